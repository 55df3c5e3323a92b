"""The effect of a mistake in one rule on a small instance: other counts, other states.

The states at each depth are counted anew from the first one that differs, up to the first depth
with another count. States that the true rules never reach are judged by the guarantees that are
proved there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from attrs import frozen

from reference.language.machine import Action, RecordedInstance, record_predicate
from spark_fuzz.search.graph_comparison import MutatedInstance
from spark_fuzz.search.state_graph import (
    StateGraph,
    Steps,
    count_steps,
    find_steps,
    list_keys,
)

NEW_STATES_MAX = 3_000
"""The number of states only of the mutant that are expanded in one generation."""

GENERATIONS = 5
"""The number of steps that are taken after them."""


@frozen
class OtherCount:
    """The first depth at which the mutant has another number of states."""

    depth: int
    states: int
    mutated_states: int


@frozen
class OtherStepCount:
    """A depth from which the mutant has another number of steps than its rule."""

    depth: int
    steps: int
    mutated_steps: int


@frozen
class OtherStates:
    """The first depth at which the mutant has other states, although as many."""

    depth: int
    new_states: int
    """States that the true graph does not have up to this depth."""


@frozen
class NewViolation:
    """A proved guarantee that the mutant breaks."""

    guarantee: str
    schedule: tuple[Action, ...]


class MutatedSearch:
    """One graph whose states are computed anew, with the mutant's steps in place of its rule's."""

    def __init__(self, graph: StateGraph, rule: str, mutated: Iterable[MutatedInstance]) -> None:
        self.graph, self.layout = graph, graph.layout
        self.kept = [r for r in graph.instances if r.instance.rule.name != rule]
        self.edges = [
            edges
            for recorded, edges in zip(graph.instances, graph.edges, strict=True)
            if recorded.instance.rule.name != rule
        ]
        self.pairs = list(mutated)
        self.mutated = [pair.mutated for pair in self.pairs if not _is_never_enabled(pair.mutated)]

    def find_other_step_count(self, depth: int) -> OtherStepCount | None:
        """A different number of steps from a depth up to which nothing is different."""
        reading = self.layout.read(self.graph.get_level(depth))
        steps = sum(count_steps(pair.true, reading) for pair in self.pairs)
        mutated = sum(count_steps(pair.mutated, reading) for pair in self.pairs)
        return None if steps == mutated else OtherStepCount(depth, steps, mutated)

    def find_other_count(self, depth: int, depths_max: int) -> OtherCount | None:
        """The first different count after a depth up to which nothing is different.

        Also None if no count differs in this many more depths, or before the graph ends.
        """
        for later, true, reached, new_rows in self._list_levels(depth, depths_max):
            count = len(reached) + len(new_rows)
            if count != true:
                return OtherCount(later, true, count)
        return None

    def find_other_states(self, depth: int, depths_max: int) -> OtherStates | None:
        """The first depth with other states, as far as ``find_other_count`` looks."""
        bounds = np.cumsum((0, *self.graph.states_per_depth))
        for later, _, reached, new_rows in self._list_levels(depth, depths_max):
            is_known = (reached >= bounds[later]) & (
                reached < bounds[min(later + 1, len(bounds) - 1)]
            )
            count = len(new_rows) + int((~is_known).sum())
            if count:
                return OtherStates(later, count)
        return None

    def _list_levels(self, depth: int, depths_max: int) -> Iterator[tuple[int, int, Any, Any]]:
        """Depth by depth: the true number of states, the known and the new ones."""
        last = depth + depths_max
        per_depth, rows = self.graph.states_per_depth, self.graph.rows
        bounds = np.cumsum((0, *per_depth))
        seen = np.zeros(len(rows), bool)
        seen[: bounds[depth + 1]] = True
        frontier = np.arange(bounds[depth], bounds[depth + 1])
        outside: dict[bytes, None] = {}
        outside_rows = rows[:0]
        while depth < last and (depth + 1 < len(per_depth) or self.graph.is_complete):
            depth += 1
            reached, new_rows = self._advance(frontier, outside_rows)
            frontier = reached[~seen[reached]]
            seen[frontier] = True
            outside_rows = _keep_new(new_rows, outside)
            true = per_depth[depth] if depth < len(per_depth) else 0
            yield depth, true, frontier, outside_rows
            if not len(frontier) + len(outside_rows):
                return

    def _advance(self, frontier: Any, outside_rows: Any) -> tuple[Any, Any]:
        """The known states one step later, each once, and rows of unknown states."""
        rows = self.graph.rows
        is_expanded = frontier < self.graph.expanded
        inside, beyond = frontier[is_expanded], frontier[~is_expanded]
        chosen = np.zeros(len(rows), bool)
        chosen[inside] = True
        reached = [targets[chosen[sources]] for sources, targets in self.edges]
        more = [self._take(self.mutated, rows[inside])]
        others = np.concatenate([rows[beyond], outside_rows])
        if len(others):
            more.append(self._take([*self.kept, *self.mutated], others))
        known, new = zip(*(self._sort_out(after) for after in more), strict=True)
        return np.unique(np.concatenate([*reached, *known])), np.concatenate(new)

    def _take(self, instances: list[RecordedInstance], rows: Any) -> Any:
        found = [find_steps(r, self.layout, rows).rows for r in instances]
        return np.concatenate([rows[:0], *found])

    def _sort_out(self, rows: Any) -> tuple[Any, Any]:
        """The numbers of the known states among these rows, and the rows of the others."""
        numbers = np.array([self.graph.numbers.get(k, -1) for k in list_keys(rows)], np.int64)
        return numbers[numbers >= 0], rows[numbers < 0]

    def find_violation(self, proved: Iterable[str], first: int) -> NewViolation | None:
        """A proved guarantee that a state breaks which only the mutant reaches.

        ``first`` is the number of the first state that differs. Not necessarily a shortest
        schedule: new states are taken in the order of their predecessors, and only a limited number
        of them.
        """
        claims = self.layout.structure.world.guarantees
        terms = {
            name: self.layout.fill(record_predicate(self.layout.structure, claims[name].predicate))
            for name in proved
            if name in claims
        }
        if not terms:
            return None
        for rows, rebuild in self._list_generations(first):
            reading = self.layout.read(rows)
            for name, term in terms.items():
                broken = np.flatnonzero(~reading(term))
                if len(broken):
                    return NewViolation(name, rebuild(int(broken[0])))
        return None

    def _list_generations(self, first: int) -> Iterator[tuple[Any, Any]]:
        """New states, with the schedule to each; then those one step later."""
        seen: dict[bytes, None] = {}
        rows = self.graph.rows[first : self.graph.expanded]
        found = _Generation(rows, lambda i: self.graph.rebuild(first + i))
        instances = self.mutated
        for _ in range(GENERATIONS):
            found = self._generate(found, instances, seen)
            if not len(found.rows):
                return
            yield found.rows, found.rebuild
            instances = [*self.kept, *self.mutated]

    def _generate(
        self, before: _Generation, instances: list[RecordedInstance], seen: dict[bytes, None]
    ) -> _Generation:
        chosen, origins = [before.rows[:0]], []
        for recorded in instances:
            steps = find_steps(recorded, self.layout, before.rows)
            new = []
            for i, key in enumerate(list_keys(steps.rows)):
                if key not in seen and key not in self.graph.numbers:
                    seen[key] = None
                    new.append(i)
                    origins.append((recorded, steps, i))
                if len(origins) == NEW_STATES_MAX:
                    break
            chosen.append(steps.rows[new])
            if len(origins) == NEW_STATES_MAX:
                break
        return _Generation(np.concatenate(chosen), _make_rebuild(before, origins))


@frozen(eq=False)
class _Generation:
    """States, and the schedule to each by its row."""

    rows: Any
    rebuild: Any


def _make_rebuild(before: _Generation, origins: list[tuple[RecordedInstance, Steps, int]]) -> Any:
    def rebuild(row: int) -> tuple[Action, ...]:
        recorded, steps, i = origins[row]
        arguments = {name: int(column[i]) for name, column in steps.arguments.items()}
        schedule: tuple[Action, ...] = before.rebuild(int(steps.sources[i]))
        return (*schedule, Action(recorded.instance.name, arguments))

    return rebuild


def _keep_new(rows: Any, known: dict[bytes, None]) -> Any:
    """The rows that are new, each once; they are known afterwards."""
    new = []
    for i, key in enumerate(list_keys(rows)):
        if key not in known:
            known[key] = None
            new.append(i)
    return rows[new]


def _is_never_enabled(recorded: RecordedInstance) -> bool:
    return any(c.operator == "constant" and not c.payload for c in recorded.conditions.values())
