"""Interrupted campaigns: whatever was killed, the files are those of an undisturbed run."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_fuzz.campaign.job import (
    UNITS_PER_TASK,
    choose_checked,
    cut_into_tasks,
    resume_campaign,
)
from spark_fuzz.campaign.progress import Progress
from spark_fuzz.campaign.store import (
    LARGE_UNIT,
    create_campaign,
    find_missing_units,
    find_units,
    get_unit_path,
)
from tests.command_line.run import run
from tests.spark_fuzz.disturbance import MANIFEST, interrupt, read_files
from tests.spark_fuzz.written_campaign import summarise_folder

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def undisturbed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign, written in one go."""
    folder = tmp_path_factory.mktemp("campaigns") / "undisturbed"
    create_campaign(folder, MANIFEST)
    resume_campaign(spark, folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same campaign, without any unit."""
    create_campaign(tmp_path / "disturbed", MANIFEST)
    return tmp_path / "disturbed"


@given(st.integers(0, 300), st.integers(1, 9))
def test_tasks_have_every_unit_once(count: int, cores: int) -> None:
    """In order, none too large, and single ones at the end for every core."""
    tasks = cut_into_tasks([*range(count)], cores)
    assert [*range(count)] == [unit for task in tasks for unit in task]
    assert all(0 < len(task) <= UNITS_PER_TASK for task in tasks)
    assert all(1 == len(task) for task in tasks[-cores:])


def test_of_each_unit_a_schedule_is_checked() -> None:
    """And one of each part of a very large unit."""
    for size in (1, 50_000, LARGE_UNIT):
        (number,) = choose_checked(range(7 * size, 8 * size))
        assert number // size == 7
    first = 10**12
    found = choose_checked(range(first, first + 3 * LARGE_UNIT))
    assert [0, 1, 2] == sorted((number - first) // LARGE_UNIT for number in found)


def test_a_killed_driver(spark: SparkSession, folder: Path, undisturbed: Path) -> None:
    """What was in place is not computed again; the rest is, by one core as by two."""
    code, _ = interrupt(folder, signal.SIGKILL, random.Random(11).randint(1, 9))
    assert -signal.SIGKILL == code
    in_place = {unit: get_unit_path(folder, unit).stat().st_ino for unit in find_units(folder)}
    assert in_place
    resume_campaign(spark, folder)
    assert read_files(undisturbed) == read_files(folder)
    for unit, inode in in_place.items():
        assert inode == get_unit_path(folder, unit).stat().st_ino


@pytest.mark.nightly
def test_ctrl_c(spark: SparkSession, folder: Path, undisturbed: Path) -> None:
    """The last line tells how to go on; nothing is said twice or traced back."""
    code, errors = interrupt(folder, signal.SIGINT, random.Random(13).randint(1, 9))
    assert 130 == code, errors
    assert "Traceback" not in errors
    last = errors.splitlines()[-1]
    done = MANIFEST.units - len(find_missing_units(folder, MANIFEST))
    again = f"rmqspec fuzz --resume {folder} --master 'local[1]'"
    assert f"rmqspec: interrupted; {done} of 40 units are in place; continue: {again}" == last
    resume_campaign(spark, folder)
    assert read_files(undisturbed) == read_files(folder)


@pytest.mark.nightly
def test_every_driver_is_killed_but_the_last(folder: Path, undisturbed: Path) -> None:
    """Three kills, each a few units later; then the command line comes to the end."""
    chance = random.Random(12)
    for _ in range(3):
        interrupt(folder, signal.SIGKILL, len(find_units(folder)) + chance.randint(1, 7))
    result = run("fuzz", "--resume", folder, "--master", "local[1]")
    assert 0 == result.returncode, result.stderr
    assert "of 40 units are missing" in result.stdout
    assert read_files(undisturbed) == read_files(folder)


def test_lost_units_and_leftovers(spark: SparkSession, folder: Path, undisturbed: Path) -> None:
    """Any units may be missing; what killed workers have left is removed in the end."""
    for unit in random.Random(13).sample(range(MANIFEST.units), 33):
        get_unit_path(folder, unit).write_bytes(get_unit_path(undisturbed, unit).read_bytes())
    leftover = get_unit_path(folder, 0).with_name(".unit-000000.parquet.0123.tmp")
    leftover.write_text("PAR1 cut off")
    progress = resume_campaign(spark, folder)
    assert (120_000, 99_000) == (progress.done, progress.found)
    assert read_files(undisturbed) == read_files(folder)


def test_progress_counts_what_the_rows_say(spark: SparkSession, undisturbed: Path) -> None:
    """Violations are counted from the footers of files, as many as a look at the rows finds."""
    progress = resume_campaign(spark, undisturbed)
    found = summarise_folder(spark, undisturbed)["violations"]
    assert len(found) > 5
    assert {name: f["schedules"] for name, f in found.items()} == progress.violations
    assert progress.done == progress.found == progress.total == 120_000


def test_progress_knows_the_time_left() -> None:
    """At the rate of this run, to which what an earlier one has computed does not count."""
    progress = Progress(done=500, found=300, total=1000, seconds=4.0, violations={})
    assert 50.0 == progress.schedules_per_second
    assert 10.0 == progress.seconds_left
    assert Progress(300, 300, 1000, 4.0, {}).seconds_left is None
