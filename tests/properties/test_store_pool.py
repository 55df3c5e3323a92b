"""A master with transientStorePoolEnable: as real stores answered, and what its groups may lose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.verdicts import certificates
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.structures import POOLED_GROUPS
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.induction import prove_lemmas
from reference.language.machine import Action, compute_machine
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL
from reference.worlds.replication.lineage import has_message, is_torn
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.state import Cluster
from tests.structures import name_of

RUNS = json.loads((Path(__file__).parents[1] / "data" / "store_pool.json").read_text())["runs"]
ALONE = ClaimedGroup(Role.ASYNC_MASTER, FlushDiskType.ASYNC_FLUSH, 0, variants=(STORE_POOL,))
SIZES = evolve(
    Parameters(),
    mapped_file_size_bytes=1 << 20,
    ghost_log_size_max_bytes=1 << 24,
    limits=FaultCounts(master_kills=1, swallowed_disk_errors=1),
)
KEPT = "acknowledged_is_kept_on_master"


def go(cluster: Cluster, rule: str, **arguments: int) -> Cluster:
    """The cluster after a step that is possible."""
    outcome = compute_machine(cluster.structure).step(cluster, Action(rule, arguments))
    assert not outcome.is_refused, (rule, arguments, outcome.failed)
    return outcome.cluster


def put(cluster: Cluster, step: dict[str, Any]) -> Cluster:
    """The cluster after a put, rolled if need be, and after the commit that was seen."""
    log = cluster.master.log
    if step["wrote"] > log.max_offset + step["put"]:
        cluster = go(cluster, "fill_file")
    if step.get("is_cut_short"):
        cluster = go(cluster, "append_message[0]", size_bytes=step["put"], waits_for_store=1)
        return go(cluster, "swallow_commit_error", committed_offset=step["max"])
    cluster = go(cluster, "append_other_message", size_bytes=step["put"])
    if cluster.committed_offset[0] < step["max"]:
        cluster = go(cluster, "commit_master", committed_offset=step["max"])
    return cluster


def end(cluster: Cluster, how: str) -> Cluster:
    """The cluster after a kill, or a stop in order, and the next start."""
    committed, end_offset = cluster.committed_offset[0], cluster.master.log.max_offset
    if how == "stop":
        cluster = go(cluster, "begin_master_stop")
        if committed < end_offset:
            cluster = go(cluster, "commit_master", committed_offset=end_offset)
        cluster = go(cluster, "finish_master_stop")
    elif committed < end_offset:
        cluster = go(cluster, "kill_master_with_buffers", kept_offset=committed)
    else:
        cluster = go(cluster, "kill_master")
    return go(cluster, "restart_master")


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run["name"])
def test_the_rules_do_what_real_stores_did(run: dict[str, Any]) -> None:
    """What could be read after each put, and what a start found."""
    cluster = ALONE.make_initial(SIZES)
    for step in run["steps"]:
        if "put" in step:
            cluster = put(cluster, step)
            assert step["wrote"] == cluster.master.log.max_offset
            assert step["max"] == cluster.committed_offset[0]
        elif run["name"] != "full_disk":
            cluster = end(cluster, step["end"])
            assert step["max"] == cluster.master.log.max_offset


def test_a_commit_that_was_cut_short_leaves_a_hole() -> None:
    """The real start ended the log before it; in the model the message is torn, and lost too."""
    (run,) = (run for run in RUNS if run["name"] == "full_disk")
    cluster = ALONE.make_initial(SIZES)
    for step in run["steps"][:-1]:
        cluster = put(cluster, step)
    message = cluster.messages[0]
    assert run["steps"][-1]["max"] == message.start_offset
    assert is_torn(cluster.master.log, message)
    assert not has_message(cluster.master.log, message)


@pytest.mark.parametrize(
    "structure",
    [pytest.param(s, marks=[pytest.mark.nightly] * (s.slaves > 0)) for s in POOLED_GROUPS],
    ids=name_of,
)
def test_certificates_prove_and_refute_again(structure: ClaimedGroup) -> None:
    """Every cell is decided."""
    document = certificates.load(structure)
    assert document is not None
    cells = certificates.recheck(structure, Parameters(), document)
    assert {VerdictWord.PROVED, VerdictWord.REFUTED} == {cell.word for cell in cells}


@pytest.mark.parametrize("structure", POOLED_GROUPS, ids=name_of)
def test_what_a_kill_takes(structure: ClaimedGroup) -> None:
    """What was answered at once; not what waited for a slave, which has committed bytes only."""
    cells = load_cells(structure)
    word = cells[KEPT, "master kill"].word
    waits = structure.is_sync_master
    assert word is (VerdictWord.PROVED if waits else VerdictWord.REFUTED)
    plain = load_cells(evolve(structure, variants=()))
    assert plain[KEPT, "master kill"].word is VerdictWord.PROVED
    assert cells["read_is_kept_on_master", "master kill"].word is VerdictWord.PROVED
    assert cells[KEPT, "none"].word is VerdictWord.PROVED


@pytest.mark.parametrize("structure", POOLED_GROUPS[:4], ids=name_of)
def test_all_lemmas_are_inductive(structure: ClaimedGroup) -> None:
    """Those of a pool, and those of every group."""
    assert set(structure.world.get_lemmas(structure)) == set(prove_lemmas(structure))
