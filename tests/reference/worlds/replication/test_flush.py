"""Flushes where retention has deleted files: for a put, and of too few pages."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.judges.byte_observer import compare_along
from properties.worlds.replication.world import CLAIMS
from reference.language.machine import Action, compute_machine, probe
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import SMALL_PARAMETERS, FaultCounts
from reference.worlds.replication.state import FLUSH_DISK_TIMEOUT, PUT_OK, Cluster
from reference.worlds.replication.structure import Structure

ALONE = Structure(slaves=0, role=Role.ASYNC_MASTER)
PARAMETERS = evolve(SMALL_PARAMETERS, limits=FaultCounts(forced_deletions=2))
ROLLED = (Action("append_other_message", {"size_bytes": 2}), Action("flush_master"))
"""Half of the first file is on disk."""
DELETED = (
    Action("fill_file"),
    Action("append_other_message", {"size_bytes": 1}),
    Action("delete_young_master_file"),
)
"""The log begins with the second file."""


def walk(structure: Structure, *schedule: Action) -> list[tuple[Action | None, Cluster]]:
    """Every state of a schedule, after the step that leads to it."""
    machine = compute_machine(structure)
    cluster = structure.make_initial(PARAMETERS)
    way: list[tuple[Action | None, Cluster]] = [(None, cluster)]
    for action in schedule:
        cluster = machine.step(cluster, action).cluster
        way.append((action, cluster))
    return way


def list_missing(structure: Structure, cluster: Cluster, name: str) -> list[str]:
    """The conditions of a step that do not hold."""
    return probe(compute_machine(structure).instances[name], cluster)[0]


@pytest.mark.parametrize("is_flushed_before", [True, False])
def test_a_put_whose_flush_finds_no_file_is_refused(is_flushed_before: bool) -> None:
    """Only ``flushedWhere`` 0 means the first file, whichever that is (R-CL-09)."""
    structure = evolve(ALONE, flush_disk_type=FlushDiskType.SYNC_FLUSH)
    put = Action("append_message[0]", {"size_bytes": 1, "waits_for_store": 1})
    way = walk(structure, *ROLLED[: 1 + is_flushed_before], *DELETED, put)
    cluster = way[-1][1]
    log = cluster.master.log
    assert (log.start_offset, log.flushed_offset) == (4, 2 if is_flushed_before else 0)
    missing = ["is_flush_file_there"] if is_flushed_before else []
    assert list_missing(structure, cluster, "flush_for_put[0]") == missing
    last = "time_out_disk_wait[0]" if is_flushed_before else "flush_for_put[0]"
    rest = (Action(last), *([] if is_flushed_before else [Action("answer_disk_wait[0]")]))
    way = walk(structure, *(a for a, _ in way if a is not None), *rest)
    answer = way[-1][1].messages[0].status
    assert answer == (FLUSH_DISK_TIMEOUT if is_flushed_before else PUT_OK)
    claims = {name: claim.predicate for name, claim in CLAIMS.items()}
    assert "" == compare_along(compute_machine(structure), claims, way)


@pytest.mark.parametrize(("size", "missing"), [(1, []), (3, ["is_first_file_not_full"])])
def test_a_full_file_never_has_too_few_pages(size: int, missing: list[str]) -> None:
    """``MappedFile#isFull`` is asked before the number of pages is."""
    way = walk(ALONE, ROLLED[0], *DELETED)
    filled = [Action("append_other_message", {"size_bytes": 2}), Action("fill_file")]
    way = walk(ALONE, *(a for a, _ in way if a is not None), *(filled if size > 1 else []))
    cluster = way[-1][1]
    assert list_missing(ALONE, cluster, "flush_master_too_few_pages") == missing
    flushed = compute_machine(ALONE).step(cluster, Action("flush_master")).cluster
    assert flushed.master.log.flushed_offset == cluster.master.log.max_offset
