"""Hidden steps that nothing holds back: once they are overdue they have happened.

A step counts as possible from the observation at which the explanation first shows it so, which is
never before it really was. A deadline runs only while the step stays possible and nothing holds it
back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from attrs import frozen

from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.hidden.search import Budget, Guide, HiddenStepSearch, begin_event

FORCING_STEPS = 200
"""Steps that may be tried for one overdue step."""

Since = Mapping[str, float]
"""By instance: since when it has been possible and has not fired, in ms."""


class Deadlines(Protocol):
    """How long steps may take in one recording."""

    def find_deadline_ms(self, node: Node, name: str) -> float:
        """How long after it became possible an instance has fired; infinite where it may wait."""

    def is_same(self, before: Node, after: Node, name: str) -> bool:
        """An instance is about the same thing before and after an observation."""


@frozen(eq=False)
class Overdue:
    """A step that should have happened, and that nothing in the recording lets happen."""

    name: str
    waited_ms: float

    @property
    def goal(self) -> Goal:
        """What would have to hold."""
        text = f"{self.name} has been possible for {self.waited_ms:.0f} ms, and has not happened"
        return Goal(text, lambda _: False, instances=(self.name,))


@frozen(eq=False)
class Clock:
    """Forces overdue steps before each observation."""

    guide: Guide
    deadlines: Deadlines
    watched: tuple[str, ...]
    """The instances that have a deadline."""
    get_time_ms: Callable[[Any], float]
    """The earliest moment of an observation."""
    get_latest_ms: Callable[[Any], float]
    """The latest one: what it shows to be possible may not have been so before."""

    def force(self, node: Node, since: Since, observation: Any) -> tuple[Node, Since] | Overdue:
        """The node before an observation, with all that is overdue by then."""
        now_ms = self.get_time_ms(observation)
        for name in self.watched:
            begin_ms = since.get(name)
            if begin_ms is None:
                continue
            waited_ms = now_ms - begin_ms
            if waited_ms <= self.deadlines.find_deadline_ms(node, name):
                continue
            forced = self._fire(node, name)
            if forced is None:
                return Overdue(name, waited_ms)
            node, since = forced, {**since, name: now_ms}
        return node, since

    def _fire(self, node: Node, name: str) -> Node | None:
        """The node after an instance has fired, with the least of what it may do."""
        start = begin_event(node)
        goal = Goal(f"{name} fires", lambda n: name in n.spent, instances=(name,))
        asked = Requirements(permits={name: 1})
        found = HiddenStepSearch(self.guide, asked, Budget(FORCING_STEPS)).run(start, (goal,)).found
        return None if found is None else begin_event(found)

    def observe(self, before: Node, after: Node, since: Since, observation: Any) -> Since:
        """Since when what is possible after an observation has been so."""
        now_ms, fired = self.get_latest_ms(observation), list_fired(before, after)
        found: dict[str, float] = {}
        for name in self.watched:
            ranges = self.guide.machine.instances[name].find_ranges(after.state)
            # What something holds back begins to wait when it is let go, for example a frame that
            # a stalled proxy has kept.
            if ranges is not None and not math.isinf(self.deadlines.find_deadline_ms(after, name)):
                is_new = name in fired or not self.deadlines.is_same(before, after, name)
                found[name] = now_ms if is_new else since.get(name, now_ms)
        return found


def list_fired(before: Node, after: Node) -> frozenset[str]:
    """The instances that have fired between two nodes."""
    found: set[str] = set()
    for node in after.list_back():
        if node is before:
            break
        if node.action is not None:
            found.add(node.action.instance)
    return frozenset(found)
