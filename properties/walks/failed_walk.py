"""A walk that violates a claim, shortened and drawn.

Hypothesis could shrink it as well. It would do so by its own draws: to drop one step it draws whole
walks again, asks in each state which steps are enabled, and judges every milestone, for minutes.
Here the steps are known, so parts of them are replayed, and nothing but the claim is judged.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from attrs import define, field

from properties.generated_text import count_steps
from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import (
    JudgedStep,
    find_violating_part,
    follow,
    lower_numbers,
    shorten_schedule,
)
from properties.schedules.telling import draw_steps
from reference.language.machine import Action
from reference.language.parameters import BaseParameters

SHORTENING_MAX_S = 15.0
"""The longest time for shortening, in seconds; then the shortest schedule so far is shown."""

NUMBER_MAX = 64
"""Numbers are made smaller one by one only where none is larger, so in small sizes."""


class ViolatedClaimError(AssertionError):
    """Raised for a walk after whose last step claims do not hold; the message has the timeline."""

    def __init__(self, message: str, claims: tuple[str, ...], schedule: Sequence[Action]) -> None:
        super().__init__(message)
        self.claims = claims
        """The names of the violated claims."""
        self.schedule = tuple(schedule)
        """The steps from the initial state; ``judge_claim`` replays them."""


class _OutOfTimeError(Exception):
    """The time for shortening is over."""


@define
class Shortener:
    """Looks for a short schedule that violates a claim, until the time is over."""

    holds: Predicate
    structure: ClaimedStructure
    parameters: BaseParameters
    best: tuple[Action, ...]
    """The shortest one so far."""
    until: float = field(factory=lambda: time.monotonic() + SHORTENING_MAX_S)
    """When to stop, by the monotonic clock."""
    is_cut_short: bool = False
    """The time was over before every step had been tried."""

    def find_part(self, trial: Sequence[Action]) -> list[Action] | None:
        """The possible steps of a trial up to the violation; None if there is none."""
        if time.monotonic() > self.until:
            raise _OutOfTimeError
        part = find_violating_part(self.holds, self.structure, self.parameters, trial)
        if part is not None and len(part) <= len(self.best):
            self.best = tuple(part)
        return part

    def shorten(self) -> tuple[Action, ...]:
        """The schedule without needless steps and, in small sizes, with small numbers."""
        try:
            shortest = shorten_schedule(self.best, self.find_part)
            numbers = [v for action in shortest for v in action.arguments.values()]
            if max(numbers, default=0) <= NUMBER_MAX:
                lower_numbers(shortest, lambda trial: self.find_part(trial) == list(trial))
        except _OutOfTimeError:
            self.is_cut_short = True
        return self.best


def report_failure(
    failure: ViolatedClaimError,
    structure: ClaimedStructure,
    parameters: BaseParameters,
    claims: Mapping[str, Predicate],
) -> ViolatedClaimError:
    """The failure of a short walk in place of a long one, as a timeline."""
    name = failure.claims[0]
    shortener = Shortener(claims[name], structure, parameters, failure.schedule)
    short = shortener.shorten()
    violated = {n: claims[n] for n in failure.claims}
    steps = [
        JudgedStep(i, action, state, tuple(n for n, holds in violated.items() if not holds(state)))
        for i, (action, state) in enumerate(follow(structure, parameters, short))
    ]
    where = f"after step {len(short)}" if short else "in the initial state"
    drawn = count_steps(len(failure.schedule))
    lines = [
        f"{name} does not hold {where} (the walk took {drawn}):",
        draw_steps(steps),
        f"schedule: {'; '.join(map(str, short))}",
    ]
    if shortener.is_cut_short:
        lines.append(f"Shortening stopped after {SHORTENING_MAX_S:g} s; steps may be needless.")
    return ViolatedClaimError("\n".join(lines), steps[-1].violated, short)
