"""The search on disk against the one in memory; what is killed goes on where it was."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from pyspark.sql import SparkSession

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.judged_instances import TINY
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from reference.language.parameters import BaseParameters
from reference.worlds.delay.state import SMALL_DELAY
from spark_fuzz.campaign.session import run_tasks
from spark_fuzz.campaign.store import MANIFEST, CampaignError
from spark_fuzz.search import breadth_first, level_search
from spark_fuzz.search.breadth_first import BreadthFirstResult, BreadthFirstSearch
from spark_fuzz.search.level_search import LevelSearch, find_parents, open_processes
from spark_fuzz.search.level_store import (
    SearchPlan,
    get_level_path,
    get_part_path,
    plan_search,
    read_rows,
)
from spark_fuzz.search.row_order import choose_range
from tests.spark_fuzz.state_counts import CARELESS_READER, MASTER_ALONE, ONE_MESSAGE
from tests.structures import GROUPS

DELAY = STRUCTURES["delay/4.4.0"]
SHORT_DELAY = evolve(SMALL_DELAY, ghost_queue_size_max=1)
STOP = DELAY.world.get_fault_model("stop")
EVERY_FAULT = FAULT_MODEL_BY_NAME["every fault"]
CONSUMER_KILL = CARELESS_READER.world.get_fault_model("consumer kill")
THREE_SLAVES, TWO_SLAVES = GROUPS[-1], ClaimedGroup(slaves=2)

SHORT_PLAN = plan_search(DELAY, DELAY.world.get_fault_model("none"), SHORT_DELAY, parts=2)


def describe(result: BreadthFirstResult) -> Any:
    """What both searches must agree on; there may be several shortest schedules."""
    lengths = [(a.guarantee, a.depth, len(a.schedule or ())) for a in result.answers]
    return lengths, result.states_per_depth, result.is_complete


@pytest.fixture
def _all_by_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small levels too are made by tasks, and expanded in pieces."""
    monkeypatch.setattr(level_search, "FEW_STATES", 0)
    monkeypatch.setattr(level_search, "ROWS_TOGETHER", 300)


@pytest.mark.usefixtures("_all_by_tasks")
@pytest.mark.parametrize(
    ("structure", "fault_model", "sizes", "depth_max"),
    [
        pytest.param(DELAY, STOP, SHORT_DELAY, 6, id="delay"),
        pytest.param(TWO_SLAVES, EVERY_FAULT, TINY, 4, id="two slaves"),
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
            *(TWO_SLAVES, EVERY_FAULT, TINY, 6), id="two slaves, deep", marks=pytest.mark.nightly
        ),
    ],
)
def test_agrees_with_the_search_in_memory(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    sizes: BaseParameters,
    depth_max: int | None,
    tmp_path: Path,
) -> None:
    """As many states at each depth, and shortest schedules, which the reference has judged."""
    expected = BreadthFirstSearch(structure, fault_model, sizes).search(5_000_000, depth_max)
    plan = plan_search(structure, fault_model, sizes, parts=3)
    found = LevelSearch(plan, tmp_path / "levels").search(depth_max=depth_max)
    assert describe(expected) == describe(found)
    assert any(answer.schedule for answer in found.answers)


def read_files(folder: Path) -> dict[str, bytes]:
    """All levels, byte for byte."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.glob("level-*/*")}


def search_here(folder: Path) -> BreadthFirstResult:
    """The whole of a short search in this process."""
    return LevelSearch(SHORT_PLAN, folder).search()


@pytest.mark.spark
@pytest.mark.usefixtures("_all_by_tasks")
def test_spark_writes_the_same_files(spark: SparkSession, tmp_path: Path) -> None:
    """Byte for byte, and with the same result."""
    whole = search_here(tmp_path / "one")
    search = LevelSearch(SHORT_PLAN, tmp_path / "other", partial(run_tasks, spark))
    assert whole == search.search()
    assert read_files(tmp_path / "one") == read_files(tmp_path / "other")


@pytest.mark.usefixtures("_all_by_tasks")
def test_a_killed_process_costs_its_task_only(tmp_path: Path) -> None:
    """One line says how to go on, and the same files are written then."""
    killed: list[int] = []
    with open_processes(1) as run:

        def run_or_kill(task: Callable[[int], Any], numbers: list[int]) -> list[Any]:
            is_late = get_level_path(tmp_path / "other", 3).exists() and not killed
            killed.extend([1] * is_late)
            return run(kill_itself if is_late else task, numbers)

        with pytest.raises(CampaignError, match="same command continues"):
            LevelSearch(SHORT_PLAN, tmp_path / "other", run_or_kill).search()
    assert killed
    with open_processes(2) as run:
        again = LevelSearch(SHORT_PLAN, tmp_path / "other", run).search()
    assert search_here(tmp_path / "one") == again
    assert read_files(tmp_path / "one") == read_files(tmp_path / "other")


def kill_itself(number: int) -> None:
    """A task whose process gets no chance to say anything."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_search_goes_on_where_it_was(tmp_path: Path) -> None:
    """Whatever files are missing of a level that is not complete, they are written as they were."""
    whole = search_here(tmp_path / "one")
    assert whole.is_complete
    assert 4 < len(whole.states_per_depth)
    folder = tmp_path / "other"
    first = LevelSearch(SHORT_PLAN, folder).search(depth_max=3)
    assert whole.states_per_depth[:4] == first.states_per_depth
    get_level_path(folder, 3).with_suffix(".json").unlink()
    lost = get_part_path(folder, 3, random.Random(5).randrange(2))
    lost.unlink()
    lost.with_name(".part-0000.npy.0.tmp").write_text("cut off")
    in_place = {p: p.stat().st_ino for p in folder.rglob("part-*.npy")}
    assert whole == search_here(folder)
    lost.with_name(".part-0000.npy.0.tmp").unlink()
    assert read_files(tmp_path / "one") == read_files(folder)
    assert in_place == {p: p.stat().st_ino for p in in_place}


def test_a_budget_ends_with_a_level(tmp_path: Path) -> None:
    """The first level that reaches it is the last one, and progress tells each."""
    seen: list[tuple[int, int, int]] = []
    search = LevelSearch(SHORT_PLAN, tmp_path / "levels")
    result = search.search(4, on_progress=lambda *numbers: seen.append(numbers))
    assert result.is_exhausted
    assert not result.is_complete
    assert sum(result.states_per_depth[:-1]) < 4 <= result.states
    assert [n for _, _, n in seen] == list(result.states_per_depth[1:])


def test_a_larger_budget_goes_on_with_the_parts_of_the_first(tmp_path: Path) -> None:
    """A search may be begun with a small budget: other parts of its files would be another one."""
    LevelSearch(SHORT_PLAN, tmp_path / "levels").search(4)
    again = LevelSearch(evolve(SHORT_PLAN, parts=3), tmp_path / "levels").search()
    assert search_here(tmp_path / "one") == again
    assert read_files(tmp_path / "one") == read_files(tmp_path / "levels")


@pytest.mark.parametrize("manifest", [None, "{}", "nonsense"])
def test_the_folder_of_something_else_is_refused(manifest: str | None, tmp_path: Path) -> None:
    """Of another fault model, or of no search at all; nothing is written."""
    LevelSearch(SHORT_PLAN, tmp_path / "levels").search(1)
    if manifest:
        (tmp_path / "levels" / MANIFEST).write_text(manifest)
    other: SearchPlan = plan_search(DELAY, STOP, parts=2)
    with pytest.raises(CampaignError, match="another search"):
        LevelSearch(other, tmp_path / "levels").search(1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(CampaignError, match="something else"):
        LevelSearch(SHORT_PLAN, tmp_path / "mine").search(1)
    assert ["thesis.txt"] == [p.name for p in (tmp_path / "mine").iterdir()]


@pytest.mark.usefixtures("_all_by_tasks")
def test_workers_that_write_elsewhere_are_noticed(tmp_path: Path) -> None:
    """One line says what to name."""
    search = LevelSearch(SHORT_PLAN, tmp_path / "levels", lambda task, numbers: [])
    with pytest.raises(CampaignError, match="written elsewhere"):
        search.search()


def test_each_state_lies_in_the_part_of_its_hash(tmp_path: Path) -> None:
    """All of them do, and level 0 is one state."""
    search_here(tmp_path)
    for level in range(4):
        rows = [read_rows(get_part_path(tmp_path, level, part)) for part in range(2)]
        assert all(len(choose_range(rows[part], part, 2)) == len(rows[part]) for part in range(2))
        assert level or 1 == sum(map(len, rows))


def test_parents_are_found_in_every_part(tmp_path: Path) -> None:
    """Each state of a level has a parent in the one before."""
    search_here(tmp_path)
    goals = [
        tuple(map(int, row))
        for part in range(2)
        for row in read_rows(get_part_path(tmp_path, 3, part))
    ]
    parents = [find_parents(SHORT_PLAN, tmp_path, 2, goals, part) for part in range(2)]
    assert set(range(len(goals))) == set(parents[0]) | set(parents[1])


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
