"""Every state of a small instance up to some depth, with all leaves, and every step between them.

The search in ``breadth_first`` keeps only the leaves that the guarantees depend on. Here no leaf is
left out, so that two rules can be compared in every state, and nothing is compiled, so that any
recorded rule can take a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from reference.language.leaves import compute_leaf_sorts, flatten, is_parameter
from reference.language.machine import Action, RecordedInstance, record_machine
from reference.language.operator_table import Sort
from reference.language.terms import Term, specialise
from spark_fuzz.search.array_reading import NUMBER, ArrayReading

LEAF = np.int8
"""The type of a leaf: small instances have small numbers."""


class LeafOverflowError(OverflowError):
    """Raised when a number of a small instance does not fit."""


@frozen(eq=False)
class Steps:
    """Steps of one instance: the state before, the arguments, and the state after."""

    sources: Any
    """Numbers of states, one per step, in order."""
    arguments: Mapping[str, Any]
    """A column per argument."""
    rows: Any = None
    """The states after the steps, one row each."""


@frozen
class StateOrigins:
    """How a set of states was found: each by one step from an earlier state."""

    parents: Any
    instances: Any
    """The number of the instance that took the step."""
    arguments: Any
    """The arguments of that step; shape (states, most arguments of any instance)."""


class RowLayout:
    """The position of each leaf in a row, for one structure with given parameters."""

    def __init__(self, begin: Any) -> None:
        """``begin`` is the first state; it has structure and parameters."""
        self.structure = structure = begin.structure
        initial = flatten(begin)
        self.sorts = {p: s for p, s in compute_leaf_sorts(structure).items() if not is_parameter(p)}
        self.paths = list(self.sorts)
        self.cells = {path: i for i, path in enumerate(self.paths)}
        self.constants = {p: v for p, v in initial.items() if is_parameter(p)}
        self.initial = np.array([[initial[p] for p in self.paths]], LEAF)

    def specialise(self, recorded: RecordedInstance) -> RecordedInstance:
        """The same instance with these parameters."""
        return evolve(
            recorded,
            conditions={n: self.fill(c) for n, c in recorded.conditions.items()},
            arguments=tuple(
                (n, leaf, self.fill(low), self.fill(high))
                for n, leaf, low, high in recorded.arguments
            ),
            effects={p: self.fill(t) for p, t in recorded.effects.items()},
        )

    def fill(self, term: Term) -> Term:
        """The term with these parameters."""
        return specialise(term, self.constants)

    def read(self, rows: Any, arguments: Mapping[str, Any] | None = None) -> ArrayReading:
        """Terms over these states, and over arguments of one step from each."""
        given = {f"argument.{name}": column for name, column in (arguments or {}).items()}

        def get_fault_model(path: str) -> Any:
            if path in given:
                return given[path]
            column = rows[:, self.cells[path]]
            return column.astype(bool if self.sorts[path] is Sort.BOOLEAN else NUMBER)

        return ArrayReading(get_fault_model, len(rows))


def compute_enabled(recorded: RecordedInstance, reading: ArrayReading) -> Any:
    """The states in which the instance may fire."""
    enabled = np.ones(reading.count, bool)
    for condition in recorded.conditions.values():
        enabled &= reading(condition)
    return enabled


def list_steps(recorded: RecordedInstance, reading: ArrayReading, sources: Any) -> Steps:
    """Every step of an instance from these states, in all of which it may fire."""
    arguments: dict[str, Any] = {}
    for name, _, low, high in recorded.arguments:
        lows, highs = reading(low)[sources], reading(high)[sources]
        counts = np.maximum(highs.astype(np.int64) - lows + 1, 0)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        chosen = np.repeat(lows, counts) + (np.arange(len(first)) - first).astype(NUMBER)
        arguments = {n: np.repeat(column, counts) for n, column in arguments.items()}
        arguments[name] = chosen.astype(NUMBER)
        sources = np.repeat(sources, counts)
    return Steps(sources, arguments)


def take_steps(recorded: RecordedInstance, layout: RowLayout, rows: Any, steps: Steps) -> Steps:
    """The steps with the states that they lead to. Raises LeafOverflowError."""
    before = rows[steps.sources]
    after = before.copy()
    reading = layout.read(before, steps.arguments)
    for path, term in recorded.effects.items():
        column = reading(term)
        limits = np.iinfo(LEAF)
        if len(column) and (column.max() > limits.max or column.min() < limits.min):
            raise LeafOverflowError(f"{path} of {layout.structure.name} does not fit")
        after[:, layout.cells[path]] = column
    return evolve(steps, rows=after)


def count_steps(recorded: RecordedInstance, reading: ArrayReading) -> int:
    """The number of steps of an instance from these states, over all arguments."""
    counts = compute_enabled(recorded, reading).astype(np.int64)
    for *_, low, high in recorded.arguments:
        counts *= np.maximum(reading(high).astype(np.int64) - reading(low) + 1, 0)
    return int(counts.sum())


def find_steps(recorded: RecordedInstance, layout: RowLayout, rows: Any) -> Steps:
    """Every step of an instance from these states."""
    return find_steps_by(recorded, layout, rows, layout.read(rows))


def find_steps_by(
    recorded: RecordedInstance, layout: RowLayout, rows: Any, reading: ArrayReading
) -> Steps:
    """Every step of an instance from these states, with a shared reading."""
    sources = np.flatnonzero(compute_enabled(recorded, reading))
    return take_steps(recorded, layout, rows, list_steps(recorded, reading, sources))


def list_keys(rows: Any) -> list[bytes]:
    """Each state as bytes: the key of a table of states."""
    whole = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel()
    keys: list[bytes] = whole.tolist()
    return keys


@frozen(eq=False)
class StateGraph:
    """States by number, in the order of their depth; state 0 is the first one."""

    layout: RowLayout
    instances: tuple[RecordedInstance, ...]
    """With the parameters filled in, in the machine's order."""
    rows: Any
    numbers: Mapping[bytes, int] = field(repr=False)
    """The number of each state."""
    level: StateOrigins
    states_per_depth: tuple[int, ...]
    is_complete: bool
    """There are no other states; otherwise those of the last depth were not expanded."""
    edges: tuple[tuple[Any, Any], ...] = field(repr=False)
    """Per instance the states before and after each step, for all expanded states."""

    @property
    def expanded(self) -> int:
        """The number of states, from the first one on, with all their steps in ``edges``."""
        return len(self.rows) - (0 if self.is_complete else self.states_per_depth[-1])

    def get_level(self, depth: int) -> Any:
        """The rows of the states at one depth."""
        first = sum(self.states_per_depth[:depth])
        return self.rows[first : first + self.states_per_depth[depth]]

    def find_depth(self, number: int) -> int:
        """The number of steps to a state."""
        return int(np.searchsorted(np.cumsum(self.states_per_depth), number, side="right"))

    def rebuild(self, number: int) -> tuple[Action, ...]:
        """A shortest schedule to a state."""
        schedule: list[Action] = []
        while number > 0:
            recorded = self.instances[self.level.instances[number]]
            values = self.level.arguments[number]
            names = [name for name, *_ in recorded.arguments]
            chosen = {n: int(v) for n, v in zip(names, values, strict=False)}
            schedule.append(Action(recorded.instance.name, chosen))
            number = int(self.level.parents[number])
        return tuple(reversed(schedule))


class _Growing:
    """A graph in the making."""

    def __init__(self, layout: RowLayout, instances: Iterable[RecordedInstance]) -> None:
        self.layout = layout
        self.instances = tuple(layout.specialise(r) for r in instances)
        self.width = max(len(r.arguments) for r in self.instances)
        self.numbers: dict[bytes, int] = dict.fromkeys(list_keys(layout.initial), 0)
        self.rows = [layout.initial]
        self.parents: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
        self.edges: list[list[tuple[Any, Any]]] = [[] for _ in self.instances]

    def expand(self, rows: Any, first: int) -> Any:
        """The new states one step after these, which are numbered from ``first``."""
        reading = self.layout.read(rows)
        found = [
            self._note(number, find_steps_by(recorded, self.layout, rows, reading), first)
            for number, recorded in enumerate(self.instances)
        ]
        return np.concatenate(found)

    def _note(self, number: int, steps: Steps, first: int) -> Any:
        """The new states among those that steps of one instance lead to."""
        targets, new = np.empty(len(steps.sources), np.int32), []
        columns = list(steps.arguments.values())
        for i, key in enumerate(list_keys(steps.rows)):
            target = self.numbers.get(key)
            if target is None:
                target = self.numbers[key] = len(self.parents)
                source = first + int(steps.sources[i])
                self.parents.append((source, number, tuple(int(c[i]) for c in columns)))
                new.append(i)
            targets[i] = target
        self.edges[number].append(((first + steps.sources).astype(np.int32), targets))
        return steps.rows[new]

    def finish(self, per_depth: list[int], *, is_complete: bool) -> StateGraph:
        """The present graph."""
        arguments = np.zeros((len(self.parents), self.width), np.int16)
        for i, (_, _, values) in enumerate(self.parents):
            arguments[i, : len(values)] = values
        return StateGraph(
            self.layout,
            self.instances,
            np.concatenate(self.rows),
            self.numbers,
            StateOrigins(
                np.array([parent for parent, _, _ in self.parents], np.int32),
                np.array([number for _, number, _ in self.parents], np.int16),
                arguments,
            ),
            tuple(per_depth),
            is_complete,
            tuple(_join(pairs) for pairs in self.edges),
        )


def _join(pairs: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    sources, targets = zip(*pairs, strict=True)
    return np.concatenate(sources), np.concatenate(targets)


def collect_graph(begin: Any, states_max: int) -> StateGraph:
    """Every reachable state, or all up to the first depth that reaches ``states_max``.

    Raises LeafOverflowError.
    """
    growing = _Growing(RowLayout(begin), record_machine(begin.structure))
    per_depth = [1]
    while sum(per_depth) < states_max:
        new = growing.expand(growing.rows[-1], sum(per_depth[:-1]))
        if not len(new):
            return growing.finish(per_depth, is_complete=True)
        growing.rows.append(new)
        per_depth.append(len(new))
    return growing.finish(per_depth, is_complete=False)
