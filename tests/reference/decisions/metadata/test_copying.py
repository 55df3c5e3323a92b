"""What a slave has after a copy, and at each instant of one: all small tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import (
    FORM_4_4_0,
    FORM_4_5_0,
    REQUEST_CODES,
    STEPS,
    compute_worst_ms,
    is_content_empty,
    list_instants,
    merge_larger_offsets,
    merge_offsets,
    sync_all,
)
from reference.decisions.progress.offset_table import OffsetTable

OLD, NEW = DataVersion(1, 1), DataVersion(2, 5)


def make(version: DataVersion, names: str, offsets: OffsetTable, delay: int) -> BrokerTables:
    """A broker with these topics and groups."""
    table: VersionedTable[Any] = VersionedTable(version, dict.fromkeys(names))
    return BrokerTables(
        table, table, offsets, offsets, {"1": delay}, {"1": delay}, master_address="m"
    )


SLAVE = make(OLD, "ab", {"T@G": {0: 9, 1: 3}, "T@S": {0: 2}}, 4)
MASTER = make(NEW, "bc", {"T@G": {0: 5}, "T@M": {0: 1}}, 7)


def list_tables() -> Iterator[OffsetTable]:
    """Two keys, two queues, progress of 0 or 1 or none, and keys that are not there."""
    columns: list[dict[int, int]] = [
        {q: value for q, value in enumerate(values) if value is not None}
        for values in itertools.product((None, 0, 1), repeat=2)
    ]
    for first, second in itertools.product((None, *columns), repeat=2):
        pair = {"A": first, "B": second}
        yield {key: queues for key, queues in pair.items() if queues is not None}


def test_a_copy_replaces_and_keeps() -> None:
    """Every table in its own way (R-MS-05 to R-MS-08)."""
    after = sync_all(SLAVE, MASTER)
    assert after.topics == MASTER.topics
    assert after.groups == MASTER.groups
    assert after.offsets == {"T@G": {0: 5}, "T@M": {0: 1}, "T@S": {0: 2}}
    assert after.offset_file == after.offsets
    assert after.delay_offsets == {"1": 4}
    assert after.delay_file == {"1": 7}


def test_every_merge_of_small_tables() -> None:
    """All 10,000 pairs: the master's keys are the master's, the slave's own keys stay (R-MS-06)."""
    tables = list(list_tables())
    assert len(tables) == 100
    for slave, master in itertools.product(tables, repeat=2):
        merged = merge_offsets(slave, master)
        assert merged.keys() == slave.keys() | master.keys()
        for key, queues in merged.items():
            assert queues == (master[key] if key in master else slave[key])
        assert merge_offsets(merged, master) == merged
        assert (merged == master) == (slave.keys() <= master.keys())


def test_a_merge_may_lose_a_queue_that_only_the_slave_knows() -> None:
    """Expected to fail: that progress of a queue survives. The smallest example."""
    losses = [
        (slave, master)
        for slave, master in itertools.product(list_tables(), repeat=2)
        if any(slave[key].keys() - merge_offsets(slave, master)[key].keys() for key in slave)
    ]
    assert ({"A": {0: 0}}, {"A": {}}) in losses
    assert all(slave.keys() & master.keys() for slave, master in losses)


@pytest.mark.parametrize("count", range(5))
def test_each_step_fails_alone(count: int) -> None:
    """Every set of failing steps: the others do what they always do (R-MS-02)."""
    fields = {
        "topics": ("topics",),
        "progress": ("offsets", "offset_file"),
        "delay": ("delay_file",),
        "groups": ("groups",),
    }
    whole = sync_all(SLAVE, MASTER)
    for failing in itertools.combinations(STEPS, count):
        after = sync_all(SLAVE, MASTER, failing=failing)
        for step, names in fields.items():
            source = SLAVE if step in failing else whole
            assert [getattr(after, n) for n in names] == [getattr(source, n) for n in names]


def test_readers_may_find_an_empty_table() -> None:
    """Between clear and putAll, although both tables are full (R-MS-05)."""
    instants = list(list_instants(SLAVE, MASTER))
    assert any(not tables.topics.entries for tables in instants)
    assert any(not tables.groups.entries for tables in instants)
    assert instants[0] == SLAVE
    assert instants[-1] == sync_all(SLAVE, MASTER)


def test_progress_is_in_memory_before_it_is_on_disk() -> None:
    """A kill between the two leaves the old file."""
    instants = list(list_instants(SLAVE, MASTER))
    assert any(t.offsets != t.offset_file == SLAVE.offset_file for t in instants)


def test_without_a_master_nothing_happens() -> None:
    """Neither known (R-MS-03) nor answering."""
    alone = evolve(SLAVE, master_address=None)
    assert sync_all(alone, MASTER) == alone
    assert sync_all(SLAVE, None) == SLAVE


def test_a_completed_copy_makes_tables_agree() -> None:
    """With versions that differ and no change under way, all but what stays of the slave."""
    after = sync_all(SLAVE, MASTER)
    assert sync_all(after, MASTER) == after
    without_own = evolve(SLAVE, offsets={"T@G": {0: 9}})
    assert sync_all(without_own, MASTER).offsets == MASTER.offsets


def test_a_local_change_of_a_slave_is_thrown_away() -> None:
    """It makes the versions differ (R-MS-09)."""
    same = sync_all(SLAVE, MASTER)
    changed = evolve(same, groups=same.groups.put("own", None, now_ms=9))
    assert sync_all(changed, MASTER).groups == MASTER.groups


def test_a_group_that_is_deleted_leaves_its_progress() -> None:
    """The master's version moves on, so the slave's next copy takes the group away (issue 55).

    Progress has no version and no end: the slave keeps it, and a master that was one does, too.
    """
    both = make(OLD, "ab", {"T@a": {0: 9}}, 4)
    deleted = evolve(make(NEW, "b", {}, 4), master_address=None)
    after = sync_all(both, deleted)
    assert list(after.groups.entries) == ["b"]
    assert after.offsets == after.offset_file == {"T@a": {0: 9}}


def test_every_merge_of_larger_progress() -> None:
    """All 10,000 pairs: nothing is lost or lowered, and the order does not matter (request 1)."""
    tables = list(list_tables())
    for one, other in itertools.product(tables, repeat=2):
        merged = merge_larger_offsets(one, other)
        assert merged == merge_larger_offsets(other, one)
        for table in (one, other):
            for key, queues in table.items():
                assert all(merged[key][queue] >= offset for queue, offset in queues.items())


def find_equal_versions(steps: int) -> list[tuple[str, ...]]:
    """Sequences of changes and waits after which versions are equal and contents are not."""
    found = []
    for path in itertools.product(("master changes", "slave changes", "time passes"), repeat=steps):
        start: VersionedTable[str] = VersionedTable(DataVersion(0))
        master, slave, now_ms = start, start, 0
        for step in path:
            if step == "master changes":
                master = master.put("of master", "", now_ms)
            elif step == "slave changes":
                slave = slave.put("of slave", "", now_ms)
            else:
                now_ms += 1
        if master.version == slave.version and master.entries != slave.entries:
            found.append(path)
    return found


def test_equal_versions_may_have_different_content() -> None:
    """Expected to fail: that a version tells the content. Two changes in one millisecond do it."""
    assert find_equal_versions(1) == []
    assert find_equal_versions(2) == [
        ("master changes", "slave changes"),
        ("slave changes", "master changes"),
    ]
    version = DataVersion(0, 1)
    slave = make(version, "s", {}, 0)
    assert sync_all(slave, make(version, "m", {}, 0)).topics == slave.topics


def test_groups_have_a_new_version_after_a_restart() -> None:
    """Topics keep theirs, so only groups are copied again (recorded in x2)."""
    after = sync_all(SLAVE, MASTER)
    back = after.restart(now_ms=50)
    assert back.topics == after.topics
    assert back.groups.version == DataVersion(50)
    assert back.delay_offsets == {"1": 7}
    assert back.offsets == after.offset_file
    assert back.master_address is None


@pytest.mark.parametrize(("form", "is_skipped"), [(FORM_4_4_0, False), (FORM_4_5_0, True)])
def test_only_the_later_form_looks_at_its_own_address(form: Any, is_skipped: bool) -> None:
    """A slave that is told its own address copies from itself, or not at all (V-02)."""
    after = sync_all(SLAVE, MASTER, form=form, own_address="m")
    assert (after == SLAVE) == is_skipped


def test_when_copies_are_due() -> None:
    """Ten seconds and then every sixty, or three and ten; a dead master takes four time-outs."""
    assert [FORM_4_4_0.compute_copy_ms(n) for n in range(3)] == [10_000, 70_000, 130_000]
    assert [FORM_4_5_0.compute_copy_ms(n) for n in range(3)] == [3_000, 13_000, 23_000]
    assert compute_worst_ms() == 12_000
    assert REQUEST_CODES.keys() == STEPS.keys()


def test_an_empty_table_is_no_empty_content() -> None:
    """Only an empty text is an error (R-MS-12); a new broker's progress was copied in x2."""
    assert is_content_empty("")
    assert not is_content_empty('{"offsetTable":{}}')
