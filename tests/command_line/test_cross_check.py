"""``rmqspec prove --cross-check``: on one core and on Spark the same is said of each cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.worlds import STRUCTURES, find_world
from tests.command_line.run import assert_one_line, run

DELAY = "delay/4.4.0"


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_levels_are_kept_and_not_searched_again(tmp_path: Path) -> None:
    """A line for each guarantee; the second time from the files alone."""
    asked = ("prove", "--cross-check", 20, "--fault", "none", "--structure", DELAY)
    first = run(*asked, "--levels", tmp_path / "levels")
    assert 0 == first.returncode, first.stderr
    assert len(find_world(STRUCTURES[DELAY]).guarantees) == first.stdout.count(f"{DELAY}, none, ")
    assert ": confirmed, " in first.stdout
    files = {p: p.stat().st_ino for p in (tmp_path / "levels").rglob("part-*.parquet")}
    assert len(files) > 16
    again = run(*asked, "--levels", tmp_path / "levels")
    assert first.stdout == again.stdout
    assert files == {p: p.stat().st_ino for p in (tmp_path / "levels").rglob("part-*.parquet")}


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    """One line, and nothing is written over."""
    asked = ("prove", "--cross-check", 20, "--fault", "none", "--structure", DELAY)
    name = next(iter(find_world(STRUCTURES[DELAY]).guarantees))
    taken = tmp_path / "delay-4.4.0" / "none" / name / "thesis.txt"
    taken.parent.mkdir(parents=True)
    taken.touch()
    result = run(*asked, "--json", "--levels", tmp_path)
    assert "something else" in assert_one_line(result, 3)
    assert [taken] == [path for path in tmp_path.rglob("*") if path.is_file()]
