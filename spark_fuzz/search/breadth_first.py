"""Breadth-first search of small instances: the shortest violation of every guarantee, or none.

The second engine beside ``properties.z3.bounded_search``, with which it shares only the recorded
terms: every state of one structure under one fault model, depth by depth, explicitly. The reference
replays and judges its findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from attrs import frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.verdict import InternalDisagreementError
from reference.language.machine import Action
from reference.language.parameters import BaseParameters
from spark_fuzz.kernel.kernel import compile_kernel
from spark_fuzz.kernel.layout import Layout
from spark_fuzz.search.frontier import (
    NO_ROOM_IN_BUFFER,
    NO_ROOM_IN_FIELD,
    Buffer,
    Scratch,
    Space,
    StateStore,
)
from spark_fuzz.search.influence import Influence, compute_influence
from spark_fuzz.search.packing import (
    BITS_PER_WORD,
    CrowdedBufferError,
    FieldOverflowError,
    compute_independence,
    compute_packing,
    compute_picture_fields,
    compute_writes,
    find_overflow,
)
from spark_fuzz.search.safe_states import EVERYTHING_REACHES, compute_violation_reachability

STATES_MAX = 20_000_000
"""The usual budget: about a gigabyte of memory."""

STATES_LIMIT = 2**31 - 1
"""The largest budget: states are numbered in 32 bits."""

BATCH = 512
"""Successors that are inserted together."""

BUFFER_ROWS = 1 << 14
"""Room for a batch and the successors of one more state."""

SUCCESSORS_EACH = 64
"""The expected number of new successors of each state, if only some states are expanded."""


@frozen
class ShortestAnswer:
    """The answer of breadth-first search for one guarantee."""

    guarantee: str
    schedule: tuple[Action, ...] | None
    """The shortest schedule whose last step violates it, or None when none was found."""
    depth: int
    """Number of steps of the schedule, or the last depth that was searched completely."""


@frozen
class BreadthFirstResult:
    """The result of breadth-first search for one structure and fault model."""

    answers: tuple[ShortestAnswer, ...]
    """One per guarantee, in the requested order."""
    states_per_depth: tuple[int, ...]
    """Distinct states by the number of steps that they need; the last depth may be cut short."""
    is_complete: bool
    """There are no other states: unviolated guarantees hold, with these sizes."""
    is_exhausted: bool
    """The search ended because its budget of states was used up."""

    @property
    def states(self) -> int:
        """Distinct states found."""
        return sum(self.states_per_depth)


class BreadthFirstSearch:
    """One structure under one fault model, searched state by state."""

    def __init__(  # noqa: PLR0913
        self,
        structure: ClaimedStructure,
        fault_model: FaultModel,
        sizes: BaseParameters | None = None,
        guarantees: Iterable[str] | None = None,
        *,
        is_symmetric: bool = True,
        whole: Influence | None = None,
        batch: int = BATCH,
    ) -> None:
        """``sizes`` default to the small ones, ``guarantees`` to all.

        ``whole`` is the result of ``keep_everything``: then slaves are distinguished, no state is
        left out, and the search continues when every guarantee is violated.
        """
        self.structure, self.fault_model, self.batch = structure, fault_model, batch
        self.is_whole = whole is not None
        self.guarantees = tuple(structure.world.guarantees if guarantees is None else guarantees)
        small = structure.world.sizes.search if sizes is None else sizes
        self.parameters = small.limit(fault_model.search_limits)
        self.kernel = compile_kernel(structure)
        self.influence = whole or compute_influence(
            structure, fault_model, self.parameters, self.guarantees
        )
        self.reachability = (
            EVERYTHING_REACHES
            if whole
            else compute_violation_reachability(self.influence, self.kernel.layout.sorts)
        )
        self.is_sorted = is_symmetric and not self.is_whole
        initial = structure.make_initial(self.parameters)
        self.initial = self.kernel.encode_state(initial)
        self.parameter_values = self.kernel.encode_parameters(initial)
        self._pack({})

    def _pack(self, largest: Mapping[str, int]) -> None:
        """Lay out the states, with room for these values of leaves that outgrew their range."""
        layout = self.kernel.layout
        self.largest = dict(largest)
        self.packing = compute_packing(layout, self.parameters, self.influence, largest)
        self.space = self._make_space()
        self.scratch = make_scratch(self.initial, self.packing.word_count, layout)
        self.buffer = make_buffer(self.packing.word_count, layout)

    def _make_space(self) -> Space:
        """The input of the compiled loops; sorted slaves are not distinguished."""
        return Space(
            self.packing.fields,
            compute_writes(self.kernel.layout, self.influence),
            self.packing.slave_cells if self.is_sorted else np.zeros((0, 0), np.int64),
            compute_picture_fields(self.kernel.layout, self.reachability),
            np.array(self.reachability.can_reach_violation, np.int64),
            *compute_independence(self.kernel.layout, self.influence),
        )

    def search(
        self,
        states_max: int = STATES_MAX,
        depth_max: int | None = None,
        on_progress: Callable[[int, int, int], None] = lambda depth, states, frontier: None,
    ) -> BreadthFirstResult:
        """Search until every guarantee is violated, all states are found, or the budget is used up.

        ``on_progress`` is called after each depth with it, the number of distinct states so far and
        that of the states found last. When a leaf outgrows its bits, the search starts again with
        twice its range. Raises FieldOverflowError when that is no help, CrowdedBufferError,
        InternalDisagreementError when the reference rejects a schedule, ValueError for a budget
        above STATES_LIMIT.
        """
        if states_max > STATES_LIMIT:
            raise ValueError(f"a budget of {states_max} states is above {STATES_LIMIT}")
        while True:
            try:
                return self._search(states_max, depth_max, on_progress)
            except FieldOverflowError as overflow:
                if not all(
                    0 < value < 1 << BITS_PER_WORD - 2 for value in overflow.values.values()
                ):
                    raise
                grown = {path: 2 * value for path, value in overflow.values.items()}
                self._pack({**self.largest, **grown})

    def _search(
        self, states_max: int, depth_max: int | None, on_progress: Callable[[int, int, int], None]
    ) -> BreadthFirstResult:
        store = self._make_store(states_max)
        violating = np.full(len(self.kernel.layout.guarantees), -1, np.int64)
        per_depth = [1]
        self._judge(store, 0, 1, violating)
        while not self._are_all_violated(violating) and len(per_depth) - 1 != depth_max:
            first, count = sum(per_depth[:-1]), sum(per_depth)
            after = self._expand(store, first, count)
            if after == count:
                return self._conclude(store, violating, per_depth, is_complete=after < states_max)
            per_depth.append(after - count)
            self._judge(store, count, after, violating)
            on_progress(len(per_depth) - 1, after, after - count)
            if after == states_max:
                break
        return self._conclude(store, violating, per_depth, is_complete=False)

    def _are_all_violated(self, violating: Any) -> bool:
        return not self.is_whole and all(
            violating[self._get_bit(name)] >= 0 for name in self.guarantees
        )

    def collect_states(self, states_max: int = STATES_MAX) -> Any:
        """All states, packed: int64, shape (states, words).

        Raises ValueError for an insufficient budget, and whatever ``search`` raises.
        """
        store = self._make_store(states_max)
        first, count = 0, 1
        while first < count:
            first, count = count, self._expand(store, first, count)
        if count == states_max:
            raise ValueError(f"{self.structure.name} has {states_max} states or more")
        return store.words[:count].copy()

    def pack_initial(self) -> Any:
        """The initial state, packed: int64, shape (1, words)."""
        return self._make_store(1).words

    def find_successors(self, rows: Any) -> tuple[Any, Any]:
        """The successors of these distinct states, and the row of each one's predecessor.

        All are packed. Successors among the given states are left out, and so are most duplicates.
        """
        room = len(rows) * (1 + SUCCESSORS_EACH) + BUFFER_ROWS
        store = make_store(room, self.packing.word_count)
        self._insert(store, rows, 0)
        after = self._expand(store, 0, len(rows))
        if after < room:
            return store.words[len(rows) : after], store.parents[len(rows) : after]
        half = len(rows) // 2
        one, other = self.find_successors(rows[:half]), self.find_successors(rows[half:])
        return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1] + half])

    def find_violating(self, rows: Any) -> dict[str, int]:
        """The first row that violates it, for each guarantee that one violates."""
        violating = np.full(len(self.kernel.layout.guarantees), -1, np.int64)
        store = make_store(0, self.packing.word_count)._replace(words=rows)
        self._judge(store, 0, len(rows), violating)
        found = {name: int(violating[self._get_bit(name)]) for name in self.guarantees}
        return {name: row for name, row in found.items() if row >= 0}

    def _insert(self, store: StateStore, rows: Any, count: int) -> int:
        words = np.ascontiguousarray(rows)
        buffer = make_buffer(self.packing.word_count, self.kernel.layout, len(rows))
        return int(
            self.kernel.module.insert_rows(
                buffer._replace(words=words), len(rows), store, np.int64(count)
            )
        )

    def _get_bit(self, guarantee: str) -> int:
        return self.kernel.layout.guarantees.index(guarantee)

    def _expand(self, store: StateStore, first: int, count: int) -> int:
        after = self.kernel.module.expand_states(
            first,
            count,
            self.parameter_values,
            self.space,
            self.scratch,
            self.buffer,
            store,
            self.batch,
        )
        return self._check(after)

    def _judge(self, store: StateStore, first: int, last: int, violating: Any) -> None:
        self.kernel.module.judge_states(
            first, last, self.parameter_values, self.space, self.scratch, store, violating
        )

    def _check(self, count: int) -> int:
        """The count that a compiled function returned, if it is one."""
        if count == NO_ROOM_IN_FIELD:
            where = f"{self.structure.name}, {self.fault_model.name}"
            raise FieldOverflowError(where, find_overflow(self.packing, self.scratch.state))
        if count == NO_ROOM_IN_BUFFER:
            raise CrowdedBufferError(f"a state has more than {BUFFER_ROWS} successors")
        return count

    def _conclude(
        self, store: StateStore, violating: Any, per_depth: list[int], *, is_complete: bool
    ) -> BreadthFirstResult:
        is_exhausted = sum(per_depth) == len(store.words)
        depth = len(per_depth) - 1 - is_exhausted
        answers = []
        for name in self.guarantees:
            number = int(violating[self._get_bit(name)])
            schedule = self.rebuild(name, trace(store, number)) if number >= 0 else None
            steps = depth if schedule is None else len(schedule)
            answers.append(ShortestAnswer(name, schedule, steps))
        return BreadthFirstResult(tuple(answers), tuple(per_depth), is_complete, is_exhausted)

    def _rejudge(self, guarantee: str, schedule: tuple[Action, ...]) -> None:
        if not is_refuted_by(guarantee, self.structure, self.parameters, schedule):
            steps = "; ".join(map(str, schedule))
            raise InternalDisagreementError(
                f"breadth-first search refutes {guarantee} of {self.structure.name} under "
                f"{self.fault_model.name}, the reference does not: {steps}"
            )

    def reset(self) -> None:
        """Put the initial state into ``scratch``; leaves that are not packed must be as there."""
        self.scratch.base[:] = self.initial

    def rebuild(self, guarantee: str, chain: Iterable[Any]) -> tuple[Action, ...]:
        """The schedule through these packed states to one that violates a guarantee.

        The steps between them are found anew. Each continues from the actual state, not from the
        one with sorted slaves, so the schedule is a real one: from an exchanged state the same
        steps are possible with slaves exchanged. Raises InternalDisagreementError when the
        reference does not find the guarantee violated.
        """
        self.reset()
        schedule = []
        for words in chain:
            instance, *arguments = self._find_action(words)
            self.kernel.module.fire(
                self.scratch.base, self.parameter_values, instance, np.array(arguments, np.int64)
            )
            names = (name for name, *_ in self.kernel.layout.instances[instance].arguments)
            chosen = dict(zip(names, arguments, strict=False))
            schedule.append(Action(self.kernel.names[instance], chosen))
        self.reset()
        self._rejudge(guarantee, tuple(schedule))
        return tuple(schedule)

    def _find_action(self, words: Any) -> list[int]:
        """Instance and arguments of the first step from ``scratch.base`` to this state."""
        module, buffer = self.kernel.module, self.buffer
        module.pack_state(self.scratch.base, self.space.fields, self.scratch.words, 0)
        filled = self._check(
            module.collect_successors(self.parameter_values, self.space, self.scratch, buffer, 0, 0)
        )
        row = np.flatnonzero((buffer.words[:filled] == words).all(axis=1))[0]
        return [int(number) for number in buffer.actions[row]]

    def _make_store(self, states_max: int) -> StateStore:
        """A store for this many states, with the initial one in it."""
        store = make_store(states_max, self.packing.word_count)
        module, buffer = self.kernel.module, self.buffer
        self.scratch.state[:] = self.initial
        is_fitting = module.pack_state(self.initial, self.space.fields, buffer.words, 0)
        self._check(1 if is_fitting else NO_ROOM_IN_FIELD)
        buffer.parents[0] = 0
        module.insert_rows(buffer, 1, store, 0)
        return store


def make_scratch(initial: Any, word_count: int, layout: Layout) -> Scratch:
    """Working memory for one structure; leaves that are not packed keep their initial value."""
    return Scratch(
        words=np.zeros((1, word_count), np.int64),
        base=initial.copy(),
        state=initial.copy(),
        enabled=np.empty(len(layout.instances) + 1, np.int64),
        ranges=np.empty(2 * layout.arguments_max, np.int64),
        arguments=np.zeros(layout.arguments_max, np.int64),
    )


def make_store(room: int, word_count: int) -> StateStore:
    """An empty store for this many states."""
    return StateStore(
        words=np.empty((room, word_count), np.int64),
        parents=np.empty(room, np.int32),
        asleep=np.empty(room, np.int64),
        table=np.zeros(1 << max(1, 2 * room - 1).bit_length(), np.int32),
    )


def trace(store: StateStore, number: int) -> list[Any]:
    """The packed states on the path to a state, without the initial one."""
    chain = []
    while number > 0:
        chain.append(store.words[number])
        number = int(store.parents[number])
    return chain[::-1]


def make_buffer(word_count: int, layout: Layout, rows: int = BUFFER_ROWS) -> Buffer:
    """An empty buffer."""
    return Buffer(
        words=np.zeros((rows, word_count), np.int64),
        actions=np.zeros((rows, 1 + layout.arguments_max), np.int64),
        parents=np.zeros(rows, np.int32),
        asleep=np.zeros(rows, np.int64),
        slots=np.zeros(rows, np.int64),
    )
