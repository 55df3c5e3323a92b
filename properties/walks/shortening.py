"""A violating walk made short, and written as the draws that make Hypothesis walk it.

Hypothesis shrinks by its own draws: to drop a step it draws a whole walk again, which takes a
hundred times as long as the steps themselves. Here the steps are known, so parts of them are
replayed by the compiled rules. What is left becomes a choice sequence, from which Hypothesis goes
on shrinking.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence

from attrs import define, field, frozen
from hypothesis.internal.conjecture.choice import ChoiceT

from properties.schedules.judgement import lower_numbers, shorten_schedule
from properties.schedules.related_structures import Schedule
from properties.walks.flat_walk import FlatWalk
from properties.walks.weighted_choice import NUMBERS, ChoosableSteps, WeightedChoice
from reference.language.compiled import CompiledMachine, State
from reference.language.machine import Action

CHOICE_BYTES = 2
"""The number that stands for a step is drawn as bytes: integers above 127 are skewed."""

SHORT_WALKS = 1000
"""How many walks look for another violation that may be shorter: a second or less."""

NUMBER_MAX = 64
"""Numbers are made smaller one by one only where none is larger."""


@frozen(eq=False)
class Shortener:
    """Looks for a short part of a violating walk, from one initial state."""

    machine: CompiledMachine
    begin: State
    holds: Callable[[State], bool]

    def find_part(self, trial: Iterable[Action]) -> list[Action] | None:
        """The possible steps of a trial up to the violation; None if there is none."""
        state, taken = self.begin, []
        for action in trial:
            after = self.machine.take(state, action)
            if after is not None:
                state = after
                taken.append(action)
                if not self.holds(state):
                    return taken
        return None

    def drop_needless(self, schedule: Sequence[Action]) -> Schedule | None:
        """The schedule without needless steps; None if it violates nothing from this state."""
        part = self.find_part(schedule)
        return None if part is None else shorten_schedule(part, self.find_part)

    def lower(self, schedule: Schedule) -> Schedule:
        """The schedule with smaller numbers, where none is large."""
        if max((v for a in schedule for v in a.arguments.values()), default=0) > NUMBER_MAX:
            return schedule
        return lower_numbers(schedule, lambda trial: self.find_part(trial) == list(trial))


@frozen(eq=False)
class Head:
    """The draws of a walk before its first step, and how its steps and its size are drawn."""

    choices: tuple[ChoiceT, ...]
    steps: ChoosableSteps
    """Its names are the instances by the number that a step is drawn as."""
    size_place: int | None = None
    """Which of the draws is the size; None if there is only one."""
    begins: Sequence[State] = ()
    """The initial states by the number that a size is drawn as."""

    def choose_size(self, number: int) -> tuple[ChoiceT, ...]:
        """The draws with another size."""
        choices = list(self.choices)
        if self.size_place is not None:
            choices[self.size_place] = number
        return tuple(choices)


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
        """Shorten the first walk that has violated a claim; one without steps stays as it is."""
        if not walk.schedule:
            return
        self.first = self.first or Found(example, len(walk.schedule), time.perf_counter())
        begins = head.begins if head.size_place is not None else [walk.begun]
        found: list[tuple[int, int, Shortener, Schedule]] = []
        for begin, size in {b: i for i, b in reversed([*enumerate(begins)])}.items():
            shortener = Shortener(walk.machine, begin, holds)
            short = shortener.drop_needless(walk.schedule)
            if short is not None:
                found.append((len(short), size, shortener, short))
        _, size, best, short = min(found, key=lambda each: each[:2])
        short = look_for_shorter(head.steps, best, short)
        again = FlatWalk.begin_at(walk.machine, best.begin)
        steps = encode_steps(again, best.lower(short), head.steps.names)
        self.by_claim[claim] = (*head.choose_size(size), *steps)


def look_for_shorter(steps: ChoosableSteps, shortener: Shortener, short: Schedule) -> Schedule:
    """A shorter violating schedule, if a few short weighted walks find one; seeded."""
    chance = random.Random(0)
    for _ in range(SHORT_WALKS):
        walk = FlatWalk.begin_at(shortener.machine, shortener.begin)
        choice = WeightedChoice(steps)
        while len(walk.schedule) < 2 * len(short):
            name = choice.choose(walk, chance.randrange(NUMBERS))
            if name is None:
                break
            walk.take_evenly(name, chance)
            if not shortener.holds(walk.state):
                other = shortener.drop_needless(walk.schedule)
                short = other if other is not None and len(other) < len(short) else short
                break
    return short


def encode_steps(walk: FlatWalk, schedule: Schedule, names: Sequence[str]) -> list[ChoiceT]:
    """The draws of some steps: that the walk goes on; the instance's number; its arguments."""
    found: list[ChoiceT] = []
    for index, action in enumerate(schedule):
        found += [False] if index else []
        found.append(names.index(action.instance).to_bytes(CHOICE_BYTES))
        ranges = walk.get_ranges(action.instance).items()
        found += [action.arguments.get(name, low) for name, (low, _) in ranges]
        walk.take(action)
    return found
