"""The weighted choice of a walk's next step, and settling: a run of healing steps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from attrs import define, frozen

from properties.language.world import ClaimedStructure
from properties.walks.flat_walk import FlatWalk
from reference.language.compiled import CompiledMachine, compute_compiled_machine
from reference.language.rule import Rule

NUMBERS = 1 << 16
"""A choice is a number below this."""

SETTLING_SHARES = (0, 6)
"""In a walk one of so many choices begins to settle; 0: none. Settling brings a put to its answer,
and leaves less room for faults: each finds some mistakes ten times as often as the other."""

TROUBLED_SHARE = 5
"""One of so many walks is troubled."""

TROUBLED_WEIGHT_MIN = 8
"""The least weight of a rule in a troubled walk: faults and time-outs, which have 1, come often."""

SETTLING_STEPS_MAX = 24
"""The maximal number of steps in one settling: enough for a put and its copy."""


@frozen(eq=False)
class ChoosableSteps:
    """What decides which step of a structure is chosen."""

    machine: CompiledMachine
    names: tuple[str, ...]
    """Its instances, in the machine's order."""
    rules: Mapping[str, Rule]
    """The rule of each."""
    healing: frozenset[str]
    """The instances by which it heals; where the world names none, all that are no fault."""
    last_resorts: frozenset[str]
    """Those of them that end a wait although the awaited event may still come."""
    is_idling_left_out: bool
    """A healing step that changes nothing is none."""

    @property
    def optional_rules(self) -> frozenset[str]:
        """The names of the rules that a walk may leave out: those by which nothing heals."""
        return frozenset(rule.name for n, rule in self.rules.items() if n not in self.healing)

    def list_moving(self, walk: FlatWalk, *, is_patient: bool) -> list[str]:
        """The healing instances that are enabled, without last resorts if others are."""
        moving = [
            name
            for name in self.healing
            if walk.enabled[name] is not None and self.is_moving(walk, name)
        ]
        others = [name for name in moving if name not in self.last_resorts]
        return sorted(others if is_patient and others else moving)

    def is_moving(self, walk: FlatWalk, name: str) -> bool:
        """The step changes something, with its lowest arguments, or it need not."""
        if not self.is_idling_left_out:
            return True
        return self.machine.instances[name].take(walk.state, {}) not in (None, walk.state)


@cache
def compute_choosable_steps(structure: ClaimedStructure) -> ChoosableSteps:
    """The choosable steps of a structure, computed once."""
    machine = compute_compiled_machine(structure)
    rules: dict[str, Any] = {n: i.recorded.instance.rule for n, i in machine.instances.items()}
    named = structure.healing
    if named is None:
        healing = frozenset(n for n, rule in rules.items() if not rule.is_fault)
        return ChoosableSteps(machine, tuple(rules), rules, healing, frozenset(), False)
    healing = frozenset(n for n, r in rules.items() if r.name in (*named.steps, *named.recovery))
    last_resorts = frozenset(n for n in healing if rules[n].name in named.last_resorts)
    return ChoosableSteps(
        machine, tuple(rules), rules, healing, last_resorts, named.is_idling_left_out
    )


@define(eq=False)
class WeightedChoice:
    """The choices of one walk, each made of a number."""

    steps: ChoosableSteps
    left_out: frozenset[str] = frozenset()
    """The names of the rules that this walk leaves out, except where it settles."""
    settling_share: int | None = None
    """One of SETTLING_SHARES; the first choice decides it."""
    weight_min: int = 1
    """The least weight of a rule; the first choice decides it too."""
    settling_left: int = 0
    """How many more steps are to settle."""
    is_patient: bool = False
    """No wait times out in this settling while another step is possible."""

    def choose(self, walk: FlatWalk, number: int) -> str | None:
        """The instance that a number from 0 to NUMBERS - 1 stands for; None if none is possible.

        A larger part of the numbers stands for a step with a larger weight.
        """
        if self.settling_share is None:
            self.settling_share = SETTLING_SHARES[number % len(SETTLING_SHARES)]
            is_troubled = number // len(SETTLING_SHARES) % TROUBLED_SHARE == 0
            self.weight_min = TROUBLED_WEIGHT_MIN if is_troubled else 1
        share = self.settling_share
        if share and not self.settling_left and number % share == 0:
            length = number // share
            self.is_patient = length % 2 == 0
            self.settling_left = 1 + length // 2 % SETTLING_STEPS_MAX
        if self.settling_left:
            self.settling_left -= 1
            if moving := self.steps.list_moving(walk, is_patient=self.is_patient):
                return moving[number * len(moving) // NUMBERS]
            self.settling_left = 0
        return self.weigh(walk, number)

    def weigh(self, walk: FlatWalk, number: int) -> str | None:
        """A possible instance that is not left out, by weight."""
        rules, least = self.steps.rules, self.weight_min
        found = [
            (name, max(rules[name].weight, least))
            for name, ranges in walk.enabled.items()
            if ranges is not None and rules[name].name not in self.left_out
        ]
        rest = number * sum(weight for _, weight in found) // NUMBERS
        for name, weight in found:
            rest -= weight
            if rest < 0:
                return name
        return None
