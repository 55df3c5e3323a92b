"""How many steps a state is away from a goal: an estimate by what rules need, read off their terms.

For each leaf that has not its wanted value there is an instance that writes it, which wants its
conditions to hold, which rest on leaves that other instances write. What one step breaks that
another one made is left out, so that the number may be too low, or too high where one step serves
two. A search looks at the lowest first; nothing is left out because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, field

from reference.language.leaves import flatten
from reference.language.machine import ARGUMENT_PREFIX, probe
from reference.language.terms import Term, substitute
from reference.recordings.joined.goals import Goal, Node
from reference.recordings.joined.relevance import (
    Reach,
    compute_reaches,
    compute_writers,
)

FAR = 100.0
"""What counts for a goal that nothing can meet."""

UNKNOWN = 6.0
"""What counts where terms do not tell: too many rules behind one another, or a number that is made
of others in another way than by copying one."""

DEPTH = 7
"""How many instances may stand behind one another."""


@define
class Estimate:
    """The estimate in one state."""

    state: Any
    may: Callable[[str], bool]
    """Whether an instance may fire at all."""
    values: dict[str, Any] = field(init=False)
    failed: dict[str, list[str]] = field(init=False, factory=dict)
    known: dict[Any, float] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self.values = flatten(self.state)

    def measure(self, node: Node, goal: Goal) -> float:
        """How many steps it takes until a goal is met."""
        if goal.check(node):
            return 0.0
        if goal.action:
            return self.fire(compute_reaches(self.state.structure)[goal.action.instance], DEPTH)
        if goal.path:
            return self.change(goal.path, goal.wanted, DEPTH)
        return self.flip(goal.leaves, DEPTH) if goal.leaves else 1.0

    def fire(self, reach: Reach, depth: int) -> float:
        """Until an instance has fired."""
        name = reach.recorded.instance.name
        if depth <= 0:
            return UNKNOWN
        key = (name, depth)
        if key not in self.known:
            self.known[key] = FAR
            if name not in self.failed:
                self.failed[name] = probe(reach.recorded.instance, self.state)[0]
            needed = [self.hold(reach, each, depth - 1) for each in self.failed[name]]
            self.known[key] = min(FAR, 1.0 + sum(needed))
        return self.known[key]

    def hold(self, reach: Reach, condition: str, depth: int) -> float:
        """Until a condition of an instance holds that fails."""
        if condition not in reach.conditions:
            return FAR
        return self.flip(reach.conditions[condition], depth)

    def flip(self, leaves: Iterable[str], depth: int) -> float:
        """Until one of these leaves has another value."""
        if depth <= 0:
            return UNKNOWN
        key = (frozenset(leaves), depth)
        if key not in self.known:
            self.known[key] = FAR
            writers = compute_writers(self.state.structure)
            near = {r.recorded.instance.name: r for leaf in leaves for r in writers.get(leaf, ())}
            found = [self.fire(each, depth) for name, each in near.items() if self.may(name)]
            self.known[key] = min(found, default=FAR)
        return self.known[key]

    def change(self, path: str, wanted: int, depth: int) -> float:
        """Until a leaf has a certain value."""
        if self.values[path] == wanted:
            return 0.0
        if depth <= 0:
            return UNKNOWN
        key = (path, wanted, depth)
        if key not in self.known:
            self.known[key] = FAR
            writers = compute_writers(self.state.structure).get(path, ())
            found = [
                self.fire(each, depth) + self.make(each, path, wanted, depth - 1)
                for each in writers
                if self.may(each.recorded.instance.name)
            ]
            self.known[key] = min(found, default=FAR)
        return self.known[key]

    def make(self, reach: Reach, path: str, wanted: int, depth: int) -> float:
        """Until an instance makes this of a leaf: by an argument, or by a leaf that it copies."""
        term = reach.recorded.effects[path]
        copied = [p for p in sorted(reach.effects[path]) if _is_like(self.values[p], wanted)]
        if path in reach.chosen:
            return self.choose(reach, term, wanted, depth)
        if substitute(term, self.values) == wanted:
            return 0.0
        found = [
            self.change(source, wanted, depth)
            for source in copied
            if source != path
            and not source.startswith("parameters.")
            and substitute(term, {**self.values, source: wanted}) == wanted
        ]
        return min(found, default=UNKNOWN)

    def choose(self, reach: Reach, term: Term, wanted: int, depth: int) -> float:
        """Until an argument may have the value that makes this of a leaf."""
        instance = reach.recorded.instance
        _, ranges = probe(instance, self.state)
        if len(ranges) != 1:
            return 0.0
        (only,) = ranges
        name = f"{ARGUMENT_PREFIX}{only.name}"
        lowest = int(substitute(term, {**self.values, name: only.low}))
        for value in (wanted, only.low + wanted - lowest):
            is_in_range = only.low <= value <= only.high
            if is_in_range and substitute(term, {**self.values, name: value}) == wanted:
                return 0.0
        return 1.0 + self.flip(reach.ranges, depth)


def _is_like(value: Any, wanted: Any) -> bool:
    return isinstance(value, bool) == isinstance(wanted, bool)
