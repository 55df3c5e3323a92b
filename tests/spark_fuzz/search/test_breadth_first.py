"""Breadth-first search against a search that is too simple to be wrong, and against itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow_while_possible, judge
from properties.verdicts.certificates import load_cells
from properties.verdicts.fingerprint import compute_digest
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.reading.world import READING
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import GUARANTEES
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine
from reference.language.parameters import BaseParameters
from reference.worlds.reading.state import ReadingParameters
from reference.worlds.replication.parameters import SMALL_PARAMETERS, Parameters
from spark_fuzz.search.breadth_first import BreadthFirstResult, BreadthFirstSearch, make_store
from spark_fuzz.search.influence import keep_everything
from spark_fuzz.search.packing import CELL, MASK, SHIFT, WORD, FieldOverflowError
from tests.spark_fuzz.state_counts import (
    CARELESS_READER,
    INSTANCES,
    MASTER_ALONE,
    ONE_MESSAGE,
    SHORT_QUEUE,
    TINY,
    Instance,
    load_counts,
)
from tests.structures import GROUPS, SYNCHRONOUS_PAIR, name_of

THREE_SLAVES = GROUPS[-1]

NO_FAULT = FAULT_MODEL_BY_NAME["none"]
EVERY_FAULT = FAULT_MODEL_BY_NAME["every fault"]
NO_READER_FAULT = CARELESS_READER.world.get_fault_model("none")
POWER_LOSS = FAULT_MODEL_BY_NAME["master power loss"]


def describe(value: object) -> str:
    """A readable test id."""
    if isinstance(value, Parameters):
        return f"log of {value.ghost_log_size_max_bytes} bytes"
    if isinstance(value, ReadingParameters):
        size = value.ghost_queue_size_max
        return f"queue of {size} message" + "s" * (size > 1)
    return name_of(value)


CASES = [
    (MASTER_ALONE, NO_FAULT, TINY, 30),
    (MASTER_ALONE, EVERY_FAULT, TINY, 4),
    *(
        pytest.param(*case, marks=pytest.mark.nightly)
        for case in (
            (SYNCHRONOUS_PAIR, NO_FAULT, TINY, 6),
            (SYNCHRONOUS_PAIR, EVERY_FAULT, TINY, 3),
            (CARELESS_READER, NO_READER_FAULT, ONE_MESSAGE, 30),
            (CARELESS_READER, READING.fault_models[-1], SHORT_QUEUE, 5),
        )
    ),
]
"""Searched simply within seconds; at night also where the kernel takes long to compile."""


@pytest.mark.parametrize(("structure", "fault_model", "sizes", "depth_max"), CASES, ids=describe)
def test_agrees_with_simple_search(
    structure: ClaimedStructure, fault_model: FaultModel, sizes: BaseParameters, depth_max: int
) -> None:
    """The same number of new states at every depth, the same first violations."""
    check_against_simple_search(structure, fault_model, sizes, depth_max)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("structure", "fault_model", "sizes", "depth_max"),
    [
        (MASTER_ALONE, POWER_LOSS, TINY, 30),
        (MASTER_ALONE, EVERY_FAULT, SMALL_PARAMETERS, 4),
        (SYNCHRONOUS_PAIR, NO_FAULT, TINY, 8),
        (SYNCHRONOUS_PAIR, EVERY_FAULT, TINY, 5),
        (THREE_SLAVES, NO_FAULT, TINY, 5),
        (THREE_SLAVES, EVERY_FAULT, TINY, 2),
    ],
    ids=describe,
)
def test_agrees_with_longer_simple_search(
    structure: ClaimedStructure, fault_model: FaultModel, sizes: BaseParameters, depth_max: int
) -> None:
    """The same for larger instances."""
    check_against_simple_search(structure, fault_model, sizes, depth_max)


def check_against_simple_search(
    structure: ClaimedStructure, fault_model: FaultModel, sizes: BaseParameters, depth_max: int
) -> None:
    """Compare the searches for all guarantees, and for the third alone, with the simple one."""
    names = tuple(structure.world.guarantees)
    for guarantees in (names, names[2:3]):
        search = BreadthFirstSearch(structure, fault_model, sizes, guarantees)
        result = search.search(1_000_000, depth_max)
        lengths = get_lengths(result)
        is_ended_early = len(lengths) == len(guarantees)
        depth = max(lengths.values()) if is_ended_early else depth_max
        counts, violations = search_simply(search, depth)
        assert counts == list(result.states_per_depth)
        assert lengths == {n: d for n, d in violations.items() if n in guarantees}


def get_lengths(result: BreadthFirstResult) -> dict[str, int]:
    """Number of steps of the schedules that were found."""
    return {a.guarantee: len(a.schedule) for a in result.answers if a.schedule is not None}


def search_simply(search: BreadthFirstSearch, depth_max: int) -> tuple[list[int], dict[str, int]]:
    """New states per depth and the depth of the first violations, by nothing but the reference.

    States are searched whole; a new one is counted if it differs from all before it in a leaf that
    the other search tells apart, and has prospects.
    """
    frontier = {search.structure.make_initial(search.parameters)}
    seen, kept = set(frontier), {project(search, c) for c in frontier}
    counts, violations = [1], {n: 0 for c in frontier for n in judge(c)}
    for depth in range(1, depth_max + 1):
        frontier = {after for c in frontier for after in step_everywhere(c)} - seen
        seen |= frontier
        new = {project(search, c) for c in frontier if can_reach_violation(search, c)} - kept
        kept |= new
        counts += [len(new)] if new else []
        for name in {n for c in frontier for n in judge(c)}:
            violations.setdefault(name, depth)
    return counts, violations


def step_everywhere(cluster: Any) -> Iterator[Any]:
    """The state after every enabled instance with every combination of its arguments."""
    machine = compute_machine(cluster.structure)
    for enabled in machine.enabled(cluster):
        choices: list[dict[str, int]] = [{}]
        for r in enabled.ranges:
            choices = [{**c, r.name: v} for c in choices for v in range(r.low, r.high + 1)]
        for arguments in choices:
            yield machine.step(cluster, Action(enabled.instance.name, arguments)).cluster


def project(search: BreadthFirstSearch, cluster: Any) -> tuple[int, ...]:
    """The leaves that the search tells apart, slaves in that order which makes them smallest."""
    values, highest = flatten(cluster), search.influence.highest
    return min(
        tuple(
            min(int(values[rename(path, order)]), highest.get(path, 99))
            for path in search.influence.leaves
        )
        for order in itertools.permutations(range(search.structure.slaves))
    )


def can_reach_violation(search: BreadthFirstSearch, cluster: Any) -> bool:
    """The search goes on from this state."""
    values, domains = flatten(cluster), search.reachability.domains
    picture = tuple(min(values[path], domain[-1]) for path, domain in domains.items())
    pictures = itertools.product(*domains.values())
    return dict(zip(pictures, search.reachability.can_reach_violation, strict=True))[picture]


def rename(path: str, order: tuple[int, ...]) -> str:
    """The path of the same leaf of the slave that comes in the place of this one."""
    kind, *rest = path.split(".")
    if kind not in ("slaves", "links"):
        return path
    return ".".join([kind, str(order[int(rest[0])]), *rest[1:]])


@pytest.mark.parametrize(
    ("structure", "fault_model", "sizes", "depth_max"),
    [
        (MASTER_ALONE, NO_FAULT, TINY, 30),
        pytest.param(SYNCHRONOUS_PAIR, EVERY_FAULT, TINY, 3, marks=pytest.mark.nightly),
        pytest.param(
            *(CARELESS_READER, NO_READER_FAULT, ONE_MESSAGE, 30), marks=pytest.mark.nightly
        ),
    ],
    ids=describe,
)
def test_whole_state_agrees_with_simple_search(
    structure: ClaimedStructure, fault_model: FaultModel, sizes: BaseParameters, depth_max: int
) -> None:
    """With nothing left out there are as many states as the reference finds, at every depth."""
    whole = keep_everything(structure, {})
    search = BreadthFirstSearch(structure, fault_model, sizes, whole=whole)
    result = search.search(1_000_000, depth_max)
    counts, violations = search_simply(search, depth_max)
    assert counts == list(result.states_per_depth)
    assert get_lengths(result) == violations
    usual = BreadthFirstSearch(structure, fault_model, sizes).search(1_000_000, depth_max)
    assert get_lengths(usual) == violations
    assert usual.states <= result.states


def test_whole_search_goes_on_after_violations() -> None:
    """It counts what there is, also when every guarantee that was asked for is violated."""
    name = "message_is_stored_once"
    whole = keep_everything(MASTER_ALONE, {})
    search = BreadthFirstSearch(MASTER_ALONE, NO_FAULT, TINY, (name,), whole=whole)
    result = search.search(1_000_000)
    assert result.is_complete
    assert {name} == set(get_lengths(result))


@pytest.mark.nightly
def test_number_that_stops_counting_has_an_end() -> None:
    """No state has a larger one, and there are fewer states."""
    path = "master.connection_count"
    searches = [
        BreadthFirstSearch(
            SYNCHRONOUS_PAIR, NO_FAULT, TINY, whole=keep_everything(SYNCHRONOUS_PAIR, highest)
        )
        for highest in ({}, {path: 1})
    ]
    free, ended = (search.search(100_000, 9) for search in searches)
    assert ended.states < free.states


@pytest.mark.parametrize("fault_model", [NO_FAULT, POWER_LOSS], ids=name_of)
def test_batches_change_nothing(fault_model: FaultModel) -> None:
    """One successor at a time or hundreds together: the same states, the same schedules."""
    results = [
        BreadthFirstSearch(MASTER_ALONE, fault_model, TINY, batch=batch).search(500_000)
        for batch in (1, 7, 512)
    ]
    assert results[0].is_complete
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(
    "instance",
    [pytest.param(i, marks=[pytest.mark.nightly] * i.is_nightly, id=i.name) for i in INSTANCES],
)
def test_complete_instances_have_so_many_states(instance: Instance) -> None:
    """Exact numbers of distinct states per depth, whatever the size of batches."""
    recorded = load_counts()[instance.name]
    renew = "other rules; renew with `python -m tests.spark_fuzz.state_counts`"
    assert recorded["digest"] == compute_digest(instance.structure), renew
    for batch in (1, 512):
        result = instance.count(batch)
        assert result.is_complete
        assert recorded["depths"] == list(result.states_per_depth)


@pytest.mark.nightly
def test_slaves_may_be_exchanged() -> None:
    """With and without telling slaves apart schedules are equally long; there are fewer states."""
    together, apart = (
        BreadthFirstSearch(THREE_SLAVES, EVERY_FAULT, TINY, is_symmetric=is_symmetric).search(
            1_000_000, depth_max=6
        )
        for is_symmetric in (True, False)
    )
    assert get_lengths(together)
    assert get_lengths(together) == get_lengths(apart)
    assert together.states < apart.states


def list_orbits(search: BreadthFirstSearch, rows: Any) -> set[tuple[Any, ...]]:
    """Packed states, with the values of each slave's leaves in ascending order of slaves."""
    fields, slave_cells = search.packing.fields, search.packing.slave_cells
    cells = [int(cell) for cell in fields[:, CELL]]
    columns = [(rows[:, f[WORD]] >> f[SHIFT] & f[MASK]).tolist() for f in fields]
    of_slaves = [[columns[cells.index(c)] for c in leaves] for leaves in slave_cells.tolist()]
    own = {int(cell) for cell in slave_cells.flat}
    others = [column for cell, column in zip(cells, columns, strict=True) if cell not in own]
    return {
        (tuple(c[i] for c in others), *sorted(tuple(c[i] for c in leaves) for leaves in of_slaves))
        for i in range(len(rows))
    }


def find_levels(search: BreadthFirstSearch, begin: Any, depth: int) -> list[set[tuple[Any, ...]]]:
    """The states that are new after each of so many steps from one, with slaves in any order.

    Where slaves are not told apart, none may be found twice.
    """
    store = make_store(200_000, search.packing.word_count)
    rows, first, count = search.pack_initial(), 0, 1
    assert search.kernel.module.pack_state(begin, search.space.fields, rows, 0)
    search._insert(store, rows, 0)
    seen, levels = list_orbits(search, rows), []
    for _ in range(depth):
        first, count = count, search._expand(store, first, count)
        found = list_orbits(search, store.words[first:count])
        assert search.space.slave_cells.size == 0 or len(found) == count - first
        levels.append(found - seen)
        seen |= found
    return levels


@cache
def search_three_slaves(*, is_symmetric: bool) -> BreadthFirstSearch:
    """Under every fault, with slaves in any order or told apart."""
    return BreadthFirstSearch(THREE_SLAVES, EVERY_FAULT, TINY, is_symmetric=is_symmetric)


@pytest.mark.parametrize(("left_out", "depth"), [(1, 3), (3, 2)])
def test_exchanged_slaves_make_the_same_states(left_out: int, depth: int) -> None:
    """Near the ends of known schedules: as many states as there are with slaves in any order.

    Their slaves hold different bytes.
    """
    together, apart = (search_three_slaves(is_symmetric=each) for each in (True, False))
    cells = load_cells(THREE_SLAVES).values()
    schedules = filter(None, dict.fromkeys(cell.schedule for cell in cells))
    exchanged = 0
    for schedule in itertools.islice(schedules, 0, None, depth):
        states = follow_while_possible(THREE_SLAVES, together.parameters, schedule[:-left_out])
        *_, (_, state) = states
        begin = together.kernel.encode_state(state)
        assert find_levels(together, begin, depth) == find_levels(apart, begin, depth)
        exchanged += len({slave.log.max_offset for slave in state.slaves}) > 1
    assert exchanged >= 3


def test_fewer_guarantees_need_fewer_states() -> None:
    """Searching for one guarantee alone finds the same length with fewer states."""
    for name, steps in get_lengths(
        BreadthFirstSearch(MASTER_ALONE, EVERY_FAULT, TINY).search(1_000_000, depth_max=6)
    ).items():
        alone = BreadthFirstSearch(MASTER_ALONE, EVERY_FAULT, TINY, (name,))
        assert get_lengths(alone.search(1_000_000)) == {name: steps}
    with_all = BreadthFirstSearch(MASTER_ALONE, NO_FAULT, TINY).search(1_000_000)
    kept = BreadthFirstSearch(MASTER_ALONE, NO_FAULT, TINY, ("acknowledged_is_kept_on_master",))
    assert kept.search(1_000_000).states < with_all.states


def test_budget_ends_the_search() -> None:
    """A search with too small a budget says so, and claims no depth that it has not finished."""
    search = BreadthFirstSearch(MASTER_ALONE, NO_FAULT, SMALL_PARAMETERS)
    seen: list[tuple[int, int, int]] = []
    result = search.search(2_000, on_progress=lambda *numbers: seen.append(numbers))
    assert (result.is_exhausted, result.is_complete, result.states) == (True, False, 2_000)
    assert [n for _, _, n in seen] == list(result.states_per_depth[1:])
    depths = {a.depth for a in result.answers if a.schedule is None}
    assert depths == {len(result.states_per_depth) - 2}


@pytest.mark.parametrize(
    ("structure", "path", "value"),
    [
        (MASTER_ALONE, "messages.0.phase", 2),
        pytest.param(*(SYNCHRONOUS_PAIR, "master.connection_count", 1), marks=pytest.mark.nightly),
    ],
    ids=describe,
)
def test_leaf_that_outgrows_its_bits_is_noticed(
    structure: ClaimedStructure, path: str, value: int
) -> None:
    """A value never wraps: the search starts again with room for it, and finds the same."""
    search = BreadthFirstSearch(structure, NO_FAULT, TINY)
    expected = search.search(10_000)
    field = search.packing.paths.index(path)
    search.space.fields[field, MASK] = 1
    with pytest.raises(FieldOverflowError, match=rf"{path} = {value}"):
        search.collect_states(10_000)
    assert expected == search.search(10_000)
    assert {path: 2 * value} == search.largest


def test_a_count_that_grows_with_every_step() -> None:
    """The clock of copied tables has no end: its bits are as many as a deep search needs."""
    structure = STRUCTURES["tables/both/5.3.2"]
    no_fault = structure.world.get_fault_model("none")
    search = BreadthFirstSearch(structure, no_fault, guarantees=["answered_entry_stays_on_master"])
    with pytest.raises(FieldOverflowError, match="ghost_clock = 15"):
        search.collect_states(300_000)
    assert search.search(300_000).is_exhausted
    assert search.largest["ghost_clock"] > 15


def test_order_of_guarantees_is_kept() -> None:
    """One answer per guarantee, in the order in which they were asked for."""
    names = tuple(reversed(GUARANTEES))
    result = BreadthFirstSearch(MASTER_ALONE, NO_FAULT, TINY, names).search(10_000)
    assert names == tuple(a.guarantee for a in result.answers)
