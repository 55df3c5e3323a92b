"""``rmqspec prove --cross-check``: in memory and on disk the same is said of each cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.worlds.catalogue import STRUCTURES
from tests.command_line.run import assert_one_line, run

DELAY = "delay/4.4.0"


@pytest.mark.nightly
def test_levels_are_kept_and_not_searched_again(tmp_path: Path) -> None:
    """A line for each guarantee; the second time from the files alone."""
    asked = ("prove", "--cross-check", 20_000, "--fault", "none", "--structure", DELAY)
    in_memory = run(*asked)
    first = run(*asked, "--levels", tmp_path / "levels")
    assert 0 == first.returncode, first.stderr
    assert in_memory.stdout == first.stdout
    assert len(STRUCTURES[DELAY].world.guarantees) == first.stdout.count(f"{DELAY}, none, ")
    assert ": confirmed, " in first.stdout
    files = {p: p.stat().st_ino for p in (tmp_path / "levels").rglob("part-*.npy")}
    assert len(files) > 16
    again = run(*asked, "--levels", tmp_path / "levels")
    assert first.stdout == again.stdout
    assert files == {p: p.stat().st_ino for p in (tmp_path / "levels").rglob("part-*.npy")}


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    """One line, and nothing is written over."""
    asked = ("prove", "--cross-check", 20, "--fault", "none", "--structure", DELAY)
    name = next(iter(STRUCTURES[DELAY].world.guarantees))
    taken = tmp_path / "delay-4.4.0" / "none" / name / "thesis.txt"
    taken.parent.mkdir(parents=True)
    taken.touch()
    result = run(*asked, "--json", "--levels", tmp_path)
    assert "something else" in assert_one_line(result, 3)
    assert [taken] == [path for path in tmp_path.rglob("*") if path.is_file()]
