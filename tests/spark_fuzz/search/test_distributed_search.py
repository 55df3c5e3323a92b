"""The search on Spark against the one on a single core; what is killed goes on where it was."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from pyspark.sql import SparkSession

from properties.exports.instances import TINY
from properties.fault_model import FaultModel
from properties.worlds import STRUCTURES, find_world
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from reference.worlds.delay.state import SMALL_DELAY
from reference.worlds.replication.structure import Structure
from spark_fuzz.campaign.store import CampaignError
from spark_fuzz.search import breadth_first
from spark_fuzz.search.breadth_first import BreadthFirstResult, BreadthFirstSearch
from spark_fuzz.search.distributed_search import DistributedSearch
from spark_fuzz.search.level_store import (
    choose_parts,
    get_level_path,
    get_part_path,
    plan_search,
    read_rows,
)
from tests.spark_fuzz.state_counts import CARELESS_READER, MASTER_ALONE, ONE_MESSAGE
from tests.structures import STRUCTURES as GROUPS

DELAY = STRUCTURES["delay/4.4.0"]
SHORT_DELAY = evolve(SMALL_DELAY, ghost_queue_size_max=1)
STOP = find_world(DELAY).get_fault_model("stop")
EVERY_FAULT = FAULT_MODEL_BY_NAME["every fault"]
CONSUMER_KILL = find_world(CARELESS_READER).get_fault_model("consumer kill")
THREE_SLAVES, TWO_SLAVES = GROUPS[-1], Structure(slaves=2)

SHORT_PLAN = plan_search(DELAY, find_world(DELAY).get_fault_model("none"), SHORT_DELAY, parts=2)


def describe(result: BreadthFirstResult) -> Any:
    """What both searches must agree on; there may be several shortest schedules."""
    lengths = [(a.guarantee, a.depth, len(a.schedule or ())) for a in result.answers]
    return lengths, result.states_per_depth, result.is_complete


@pytest.mark.spark
@pytest.mark.parametrize(
    ("structure", "fault_model", "sizes", "depth_max"),
    [
        pytest.param(DELAY, STOP, SHORT_DELAY, 5, id="delay"),
        pytest.param(
            *(THREE_SLAVES, EVERY_FAULT, TINY, 3), id="three slaves", marks=pytest.mark.nightly
        ),
        pytest.param(
            *(DELAY, STOP, SHORT_DELAY, None), id="delay, complete", marks=pytest.mark.nightly
        ),
        pytest.param(
            *(CARELESS_READER, CONSUMER_KILL, ONE_MESSAGE, None),
            id="consumer, complete",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            *(TWO_SLAVES, EVERY_FAULT, TINY, 6), id="two slaves", marks=pytest.mark.nightly
        ),
    ],
)
def test_agrees_with_one_core(  # noqa: PLR0917
    spark: SparkSession,
    structure: Any,
    fault_model: FaultModel,
    sizes: Any,
    depth_max: int | None,
    tmp_path: Path,
) -> None:
    """As many states at each depth, and shortest schedules, which the reference has judged."""
    expected = BreadthFirstSearch(structure, fault_model, sizes).search(5_000_000, depth_max)
    plan = plan_search(structure, fault_model, sizes, parts=3)
    search = DistributedSearch(spark, plan, tmp_path / "levels")
    found = search.search(depth_max=depth_max)
    assert describe(expected) == describe(found)
    assert any(answer.schedule for answer in found.answers)


def read_files(folder: Path) -> dict[str, bytes]:
    """All levels, byte for byte."""
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in folder.glob("level-*/part-*.parquet")
    }


@pytest.mark.spark
def test_a_search_goes_on_where_it_was(spark: SparkSession, tmp_path: Path) -> None:
    """Whatever parts are missing of a level and of later ones, they are computed as they were."""
    undisturbed, disturbed = (
        DistributedSearch(spark, SHORT_PLAN, tmp_path / name) for name in ("one", "other")
    )
    whole = undisturbed.search()
    assert whole.is_complete
    assert 4 < len(whole.states_per_depth)
    first = disturbed.search(depth_max=3)
    assert whole.states_per_depth[:4] == first.states_per_depth
    lost = random.Random(5).randrange(2)
    get_part_path(disturbed.folder, 3, lost).unlink()
    leftover = get_part_path(disturbed.folder, 3, lost).with_name(".part-0000.parquet.0.tmp")
    leftover.write_text("PAR1 cut off")
    in_place = {p: p.stat().st_ino for p in disturbed.folder.rglob("part-*.parquet")}
    assert whole == disturbed.search()
    assert read_files(undisturbed.folder) == read_files(disturbed.folder)
    assert in_place == {p: p.stat().st_ino for p in in_place}


@pytest.mark.spark
def test_a_budget_ends_with_a_level(spark: SparkSession, tmp_path: Path) -> None:
    """The first level that reaches it is the last one, and progress tells each."""
    seen: list[tuple[int, int, int]] = []
    search = DistributedSearch(spark, SHORT_PLAN, tmp_path / "levels")
    result = search.search(4, on_progress=lambda *numbers: seen.append(numbers))
    assert result.is_exhausted
    assert not result.is_complete
    assert sum(result.states_per_depth[:-1]) < 4 <= result.states
    assert [n for _, _, n in seen] == list(result.states_per_depth[1:])


def test_the_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """Of other sizes, or of no search at all; nothing is written."""
    DistributedSearch(None, SHORT_PLAN, tmp_path / "levels").search(1)
    for other in (evolve(SHORT_PLAN, parts=3), plan_search(DELAY, STOP, parts=2)):
        with pytest.raises(CampaignError, match="another search"):
            DistributedSearch(None, other, tmp_path / "levels").search(1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(CampaignError, match="something else"):
        DistributedSearch(None, SHORT_PLAN, tmp_path / "mine").search(1)
    assert ["thesis.txt"] == [p.name for p in (tmp_path / "mine").iterdir()]


def test_level_0_is_the_initial_state(tmp_path: Path) -> None:
    """In the part that its words choose."""
    DistributedSearch(None, SHORT_PLAN, tmp_path).search(1)
    rows = [read_rows([get_part_path(tmp_path, 0, part)]) for part in range(2)]
    assert [1, 0] == sorted(map(len, rows), reverse=True)
    for part in range(2):
        assert (choose_parts(rows[part], 2) == part).all()
    assert get_level_path(tmp_path, 0).name == "level-0000.parquet"


def test_little_room_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """States are expanded by halves, and each successor follows the row that is named with it."""
    search = BreadthFirstSearch(MASTER_ALONE, FAULT_MODEL_BY_NAME["none"], TINY)
    states = search.collect_states()[:600]
    whole, _ = search.find_successors(states)
    monkeypatch.setattr(breadth_first, "SUCCESSORS_EACH", 0)
    monkeypatch.setattr(breadth_first, "BUFFER_ROWS", 90)
    parts, parents = search.find_successors(states)
    known = {tuple(row) for row in states}
    assert {tuple(row) for row in whole} == {tuple(row) for row in parts} - known
    for row in range(0, len(parts), 7):
        successors, _ = search.find_successors(states[parents[row]][np.newaxis])
        assert tuple(parts[row]) in set(map(tuple, successors))
