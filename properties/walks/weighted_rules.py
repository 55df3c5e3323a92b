"""Which rule Hypothesis takes next: a choice by weight among the steps that are possible.

Hypothesis' own choice is even among all rules and tries again where a precondition fails. A fault
is then as likely as a step of replication, and a walk seldom comes to anything: a mistake that
every tenth weighted walk meets was met by none of 400 even ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from hypothesis.internal.conjecture.choice import ChoiceT
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.observability import observability_enabled
from hypothesis.stateful import Rule, RuleStrategy

from properties.walks.beginnings import Beginnings
from properties.walks.flat_walk import FlatWalk
from properties.walks.shortening import CHOICE_BYTES
from properties.walks.weighted_choice import ChoosableSteps, WeightedChoice
from reference.language.machine import Action

SWARM_SHARE = 1 / 4
"""The share of the walks in which Hypothesis' swarm testing switches rules off; no rule by which
the structure heals, or a walk would seldom come to anything."""

IMPOSSIBLE_MAX = 3
"""How many impossible steps in a row are passed over."""


class WalkingMachine(Protocol):
    """What the choice reads and notes of a machine."""

    walk: FlatWalk
    is_led: bool
    """The next step is one of a stored schedule."""

    def bundle(self, name: str) -> list[Any]:
        """The references in a bundle."""


class WeightedRules(RuleStrategy):
    """Draws the next rule of a machine with its arguments.

    A drawn number stands for the next step, by weight, and that step is noted as a second draw,
    which is forced; so are the steps of a stored schedule, along which some walks begin. The number
    0 stands for no step of its own: then the noted step is taken, or passed over if it is not
    possible. Shrinking comes to such walks, from which a step can be dropped while all others stay
    what they were.
    """

    machine: WalkingMachine  # type: ignore[assignment, unused-ignore]

    def __init__(
        self, machine: WalkingMachine, steps: ChoosableSteps, beginnings: Beginnings
    ) -> None:
        super().__init__(machine)  # type: ignore[arg-type, unused-ignore]
        self.steps = steps
        self.beginnings = beginnings
        self.by_name = {each.function.__name__: each for each in self.rules}
        self.head_choices: tuple[ChoiceT, ...] | None = None
        self.ahead: Iterator[Action] = iter(())
        self.choice = WeightedChoice(steps)

    def do_draw(self, data: ConjectureData) -> tuple[Rule, dict[str, Any]]:
        """A rule that is possible in the machine's state, and values for its arguments."""
        if observability_enabled():
            for each in self.rules:
                self.is_valid(each)  # Counts how often each precondition holds.
        if self.head_choices is None:
            self.begin(data)
        action = self.find_stored()
        self.machine.is_led = action is not None
        noted = self.note_instance(data, action)
        if noted is None:
            return self.by_name["stand_still"], {}
        return self.draw_arguments(data, noted, action)

    def begin(self, data: ConjectureData) -> None:
        """Draw what is decided once for a walk."""
        drawn = tuple(node.value for node in data.nodes)
        self.head_choices = (*drawn, *self.beginnings.none, False)
        self.ahead = iter(self.beginnings.draw(data))
        if data.draw_boolean(SWARM_SHARE):
            flags = data.draw(self.enabled_rules_strategy)
            optional = sorted(self.steps.optional_rules)
            self.choice.left_out = frozenset(n for n in optional if not flags.is_enabled(n))

    def find_stored(self) -> Action | None:
        """The next step of the stored schedule along which this walk begins, if it is possible."""
        action = next(self.ahead, None)
        if action is not None and not self.machine.walk.is_possible(action):
            self.ahead, action = iter(()), None
        return action

    def note_instance(self, data: ConjectureData, action: Action | None) -> str | None:
        """The name of the next instance; None if none is possible."""
        walk, names = self.machine.walk, self.steps.names
        for _ in range(IMPOSSIBLE_MAX):
            data.start_span(self.label)
            number = int.from_bytes(data.draw_bytes(CHOICE_BYTES, CHOICE_BYTES))
            chosen = action.instance if action else self.choice.choose(walk, number)
            is_noted_before = number == 0 and action is None
            forced = None if is_noted_before or chosen is None else names.index(chosen)
            noted = names[data.draw_integer(0, len(names) - 1, forced=forced)]
            is_possible = walk.enabled[noted] is not None
            data.stop_span(discard=not is_possible)
            if is_possible:
                return noted
        return None

    def draw_arguments(
        self, data: ConjectureData, noted: str, action: Action | None
    ) -> tuple[Rule, dict[str, Any]]:
        """The rule of an instance; what it is about, by the names in bundles; its arguments."""
        machine = self.machine
        instance, rule = self.steps.machine.instances[noted], self.steps.rules[noted]
        stored = {} if action is None else action.arguments
        about = {
            index: machine.bundle(index)[number]
            for index, number in zip(rule.indexes, instance.recorded.instance.indexes, strict=True)
        }
        drawn = {
            # Even the only value is drawn: a dropped step then leaves other draws in place.
            name: data.draw_integer(low, high, shrink_towards=low, forced=stored.get(name))
            for name, (low, high) in machine.walk.get_ranges(noted).items()
        }
        return self.by_name[rule.name], {**about, **drawn}
