"""The moments of a recording with the steps that were taken for each, for who wants to see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, field, frozen

from brokers.explaining.group_state import GroupState
from brokers.explaining.seen.moments import NotedMoment
from reference.language.compiled import State
from reference.language.machine import Action


@frozen
class Told:
    """A moment, and the steps that were taken for it."""

    moment: NotedMoment
    before: State = field(repr=False)
    """The state before all of them."""
    granted: frozenset[str] = frozenset()
    """Hidden steps that events had allowed."""
    steps: list[tuple[Action, State, State]] = field(factory=list)
    """Each with the states before and behind it."""


@define(eq=False)
class Trail:
    """What was explained so far."""

    moments: list[Told] = field(factory=list)

    def begin(
        self, moment: NotedMoment, group: GroupState, granted: Mapping[str, object] | None = None
    ) -> None:
        """The steps that are taken from now on are for this moment."""
        self.moments.append(told := Told(moment, group.state, frozenset(granted or ())))
        group.watch = told.steps.append

    def forget_from(self, place: int) -> Sequence[Told]:
        """What was told from a place on has not happened."""
        forgotten = self.moments[place:]
        del self.moments[place:]
        return forgotten
