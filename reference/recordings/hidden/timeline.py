"""From observation to observation: a schedule that agrees with all that was recorded.

No hidden step is taken before an observation asks for its effect. That may be too late: a slave has
copied before its master was killed, a report was read before the link was cut. Then what is unmet
is asked for before earlier observations, the latest first, and all that lies between is explained
again. Observations of different sources within the recorder's tolerance may change places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.hidden.search import Budget, Guide, Search, begin_event

EVENT_STEPS, WISH_STEPS = 4_000, 1_000
"""Steps that may be tried for one observation, and for what it needs of earlier ones."""

GO_BACK_MAX = 80
"""Over how many states the search goes back at most."""

ROUNDS_MAX = 3
"""How often it goes back for one observation, each time with fewer goals unmet."""

Ask = Callable[[Any, Node], Asked]
"""What an observation asks in a state."""


@frozen(eq=False)
class Entry:
    """An observation that is explained."""

    observation: Any
    before: Node
    after: Node
    asked: Asked


@frozen(eq=False)
class Stuck:
    """An observation that no step explains."""

    observation: Any
    asked: Asked
    nearest: Node
    unmet: tuple[Goal, ...]
    is_exhausted: bool

    @property
    def texts(self) -> list[str]:
        """What is unmet, in words."""
        return [goal.text for goal in self.unmet]


@define(eq=False)
class Timeline:
    """Explains one recording after another observation."""

    guide: Guide
    ask: Ask
    may_swap: Callable[[Any, Any], bool]
    """Two observations may have happened in the other order, by their sources and stamps."""
    begin: Node
    trail: list[Entry] = field(factory=list)
    search: Callable[[Any, Asked, Budget], Search] = Search
    """Makes a search, by the guide and what is asked."""
    total: Budget | None = None
    """Of the whole recording; None: only what each search may spend is bounded."""
    is_cut_short: bool = False
    """Going back for the observation that is stuck has ended for want of steps."""

    @property
    def node(self) -> Node:
        """The node after the last observation."""
        return self.trail[-1].after if self.trail else self.begin

    def explain(self, observations: Sequence[Any]) -> Stuck | None:
        """Explains all observations in order; the first one that cannot be explained, or None."""
        waiting = list(observations)[::-1]
        while waiting:
            observation = waiting.pop()
            stuck = self.advance(observation)
            if stuck is not None and not self.repair(stuck, waiting):
                return stuck
        return None

    def advance(self, observation: Any) -> Stuck | None:
        """One observation more, at its place."""
        entry = self.try_next(self.node, observation)
        if isinstance(entry, Stuck):
            return entry
        self.trail.append(entry)
        return None

    def try_next(self, node: Node, observation: Any) -> Entry | Stuck:
        """The entry of an observation in a state."""
        start = begin_event(node)
        asked = self.ask(observation, start)
        found = asked.before(start) if asked.before is not None else start
        search = self.search(self.guide, asked, Budget(EVENT_STEPS, self.total))
        for stage in asked.stages:
            goals = stage(found)
            searched = search.run(found, goals)
            if searched.found is None:
                near = searched.nearest
                unmet = searched.out_of_reach or tuple(g for g in goals if not g.check(near))
                return Stuck(observation, asked, near, unmet, searched.is_exhausted)
            found = searched.found
        after = asked.after(found) if asked.after is not None else found
        return Entry(observation, node, after, asked)

    def repair(self, stuck: Stuck, waiting: list[Any]) -> bool:
        """Explains a stuck observation by earlier steps, or at another place near by."""
        self.is_cut_short = False
        trail = self.go_back(self.trail, stuck, 0)
        trail = trail or self.move_earlier(stuck.observation)
        if trail is None:
            trail = self.move_later(stuck.observation, waiting)
        if trail is not None:
            self.trail = trail
        return trail is not None

    def go_back(self, trail: list[Entry], stuck: Stuck, rounds: int) -> list[Entry] | None:
        """The trail with an observation explained by steps taken before earlier ones."""
        if any(goal.is_lost and goal.is_lost(stuck.nearest) for goal in stuck.unmet):
            return None
        for count in list_turning_points(trail, stuck.unmet):
            self.ask(trail[count].observation, trail[count].before)  # sets the guide's clock
            for wish in list_wishes(stuck.unmet):
                node = self.grant(trail[count].before, wish)
                if node is None:
                    continue
                observations = [entry.observation for entry in trail[count:]]
                found = self.repeat(trail[:count], node, observations, stuck, rounds)
                if found is not None:
                    return found
        return None

    def grant(self, node: Node, wish: tuple[Goal, ...]) -> Node | None:
        """A node in which these goals are met by hidden steps alone; None: there is none."""
        start = begin_event(node)
        search = self.search(self.guide, Asked(), Budget(WISH_STEPS, self.total))
        searched = search.run(start, wish)
        self.is_cut_short |= not searched.is_exhausted
        if searched.found is None or searched.found is start:
            return None
        return searched.found

    def repeat(
        self, trail: list[Entry], node: Node, observations: list[Any], stuck: Stuck, rounds: int
    ) -> list[Entry] | None:
        """The trail with these observations explained from a node on, and the stuck one behind."""
        again = self.take_all(node, observations)
        if again is None:
            return None
        made = [*trail, *again]
        last = self.try_next(made[-1].after, stuck.observation)
        if isinstance(last, Entry):
            return [*made, last]
        is_nearer = len(last.unmet) < len(stuck.unmet) or not set(last.texts) & set(stuck.texts)
        if is_nearer and rounds < ROUNDS_MAX:
            return self.go_back(made, last, rounds + 1)
        return None

    def take_all(self, node: Node, observations: Iterable[Any]) -> list[Entry] | None:
        """The entries of observations from a node on; None where one of them is stuck."""
        entries: list[Entry] = []
        for observation in observations:
            entry = self.try_next(node, observation)
            if isinstance(entry, Stuck):
                return None
            entries.append(entry)
            node = entry.after
        return entries

    def move_earlier(self, observation: Any) -> list[Entry] | None:
        """The trail with an observation before some of the latest ones."""
        for passed in range(1, len(self.trail) + 1):
            entries = self.trail[-passed:]
            if not self.may_swap(entries[0].observation, observation):
                return None
            moved = [observation, *(entry.observation for entry in entries)]
            found = self.take_all(entries[0].before, moved)
            if found is not None:
                return [*self.trail[:-passed], *found]
        return None

    def move_later(self, observation: Any, waiting: list[Any]) -> list[Entry] | None:
        """The trail with an observation behind some of the next ones, which leave ``waiting``."""
        passed: list[Any] = []
        for other in reversed(waiting):
            if not self.may_swap(observation, other):
                return None
            passed.append(other)
            found = self.take_all(self.node, [*passed, observation])
            if found is not None:
                del waiting[-len(passed) :]
                return [*self.trail, *found]
        return None


def list_wishes(unmet: tuple[Goal, ...]) -> Iterator[tuple[Goal, ...]]:
    """What to ask for earlier: all of it, then each goal by itself."""
    yield unmet
    if len(unmet) > 1:
        for goal in unmet:
            yield (goal,)


def list_turning_points(trail: Sequence[Entry], unmet: Sequence[Goal]) -> list[int]:
    """The entries before which something else may be done: one for each state.

    First those in whose state a wanted number stands somewhere, since rules copy numbers; then the
    latest.
    """
    first: dict[int, int] = {}
    for count in range(len(trail) - 1, -1, -1):
        first[id(trail[count].before)] = count
    latest = sorted(first.values(), reverse=True)
    wanted = [goal.wanted for goal in unmet if goal.path and goal.wanted > 1]
    shown = [c for c in latest if any(number in trail[c].before.state for number in wanted)]
    return list(dict.fromkeys([*shown[:GO_BACK_MAX], *latest[:GO_BACK_MAX]]))


def count_steps(entry: Entry) -> int:
    """How many hidden and visible steps an observation took."""
    return entry.after.length - entry.before.length
