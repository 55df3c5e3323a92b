"""A violating walk made short, and written as the draws that make Hypothesis walk it.

Hypothesis shrinks by its own draws: to drop a step it draws a whole walk again, which takes a
hundred times as long as the steps themselves. Here the steps are known, so parts of them are
replayed by the compiled rules. What is left becomes a choice sequence, from which Hypothesis goes
on shrinking.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from attrs import define, field, frozen
from hypothesis.internal.conjecture.choice import ChoiceT

from properties.schedules.judgement import lower_numbers, shorten_schedule
from properties.schedules.related_structures import Schedule
from properties.walks.flat_walk import FlatWalk
from reference.language.compiled import CompiledMachine, State
from reference.language.machine import Action

NUMBER_MAX = 64
"""Numbers are made smaller one by one only where none is larger."""


def shorten(
    machine: CompiledMachine,
    begin: State,
    schedule: Sequence[Action],
    holds: Callable[[State], bool],
) -> Schedule:
    """A part of a violating schedule that violates a claim too and has no needless step."""

    def find_part(trial: Iterable[Action]) -> list[Action] | None:
        state, taken = begin, []
        for action in trial:
            after = machine.take(state, action)
            if after is not None:
                state = after
                taken.append(action)
                if not holds(state):
                    return taken
        return None

    short = shorten_schedule(schedule, find_part)
    if max((v for a in short for v in a.arguments.values()), default=0) > NUMBER_MAX:
        return short
    return lower_numbers(short, lambda trial: find_part(trial) == list(trial))


@define
class Head:
    """The draws of a walk before its first step, and how a step is drawn after them."""

    choices: tuple[ChoiceT, ...]
    names: Sequence[str]
    """The instances by the number that a step is drawn as."""


@frozen
class Found:
    """When walks first violated a claim."""

    example: int
    """The number of the walk, from 1."""
    step: int
    """The number of its step."""
    at_s: float
    """When, by the clock ``time.perf_counter``, in seconds."""


@define
class FoundWalks:
    """The first walk that violated each claim, shortened, as a choice sequence."""

    by_claim: dict[str, tuple[ChoiceT, ...]] = field(factory=dict)
    first: Found | None = None
    """When the first of them was found."""

    def add(
        self, claim: str, walk: FlatWalk, holds: Callable[[State], bool], head: Head, example: int
    ) -> None:
        """Shorten a walk that has violated a claim, unless one is known already."""
        if claim in self.by_claim or not walk.schedule:
            return
        self.first = self.first or Found(example, len(walk.schedule), time.perf_counter())
        short = shorten(walk.machine, walk.begun, walk.schedule, holds)
        self.by_claim[claim] = (*head.choices, *encode_steps(walk.restart(), short, head.names))


def encode_steps(walk: FlatWalk, schedule: Schedule, names: Sequence[str]) -> list[ChoiceT]:
    """The draws of some steps: that the walk goes on, the instance, each argument with a choice."""
    found: list[ChoiceT] = []
    for index, action in enumerate(schedule):
        ranges = walk.enabled[action.instance] or ()
        arguments = walk.machine.instances[action.instance].arguments
        found += [False] if index else []
        found.append(names.index(action.instance))
        found += [
            action.arguments[name]
            for name, (low, high) in zip(arguments, ranges, strict=True)
            if low < high
        ]
        walk.take(action)
    return found
