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
from properties.walks.weighted_choice import NUMBERS, ChoosableSteps, WeightedChoice
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

    A drawn number stands for the next step. The lowest ones stand for one instance each, whatever
    the state: they are forced along a stored schedule, where some walks begin, and a walk that was
    shortened has only such, so that a step can be dropped while all others stay what they were.
    Every other number, which is nearly all of them, is a choice by weight.
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
        self.mixed = 0

    def do_draw(self, data: ConjectureData) -> tuple[Rule, dict[str, Any]]:
        """A rule that is possible in the machine's state, and values for its arguments."""
        if observability_enabled():
            for each in self.rules:
                self.is_valid(each)  # Counts how often each precondition holds.
        if self.head_choices is None:
            self.begin(data)
        action = self.find_stored()
        self.machine.is_led = action is not None
        instance = self.draw_instance(data, action)
        if instance is None:
            return self.by_name["stand_still"], {}
        return self.draw_arguments(data, instance, action)

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

    def draw_instance(self, data: ConjectureData, action: Action | None) -> str | None:
        """The name of the next instance; None if none is possible."""
        walk, names = self.machine.walk, self.steps.names
        forced = None if action is None else names.index(action.instance).to_bytes(CHOICE_BYTES)
        for _ in range(IMPOSSIBLE_MAX):
            data.start_span(self.label)
            drawn = data.draw_bytes(CHOICE_BYTES, CHOICE_BYTES, forced=forced)
            number = int.from_bytes(drawn)
            chosen = names[number] if number < len(names) else self.choose(number)
            is_possible = chosen is not None and walk.enabled[chosen] is not None
            data.stop_span(discard=not is_possible)
            if is_possible:
                return chosen
        return None

    def choose(self, number: int) -> str | None:
        """An instance by weight; it depends on all numbers so far.

        Hypothesis makes most of its walks from others by a few changes: after one all is different.
        """
        self.mixed = hash((self.mixed, number))
        return self.choice.choose(self.machine.walk, self.mixed % NUMBERS)

    def draw_arguments(
        self, data: ConjectureData, name: str, action: Action | None
    ) -> tuple[Rule, dict[str, Any]]:
        """The rule of an instance; what it is about, by the names in bundles; its arguments."""
        machine = self.machine
        instance, rule = self.steps.machine.instances[name], self.steps.rules[name]
        stored = {} if action is None else action.arguments
        about = {
            index: machine.bundle(index)[number]
            for index, number in zip(rule.indexes, instance.recorded.instance.indexes, strict=True)
        }
        drawn = {
            # Even the only value is drawn: a dropped step then leaves other draws in place.
            argument: data.draw_integer(low, high, shrink_towards=low, forced=stored.get(argument))
            for argument, (low, high) in machine.walk.get_ranges(name).items()
        }
        return self.by_name[rule.name], {**about, **drawn}
