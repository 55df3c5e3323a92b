"""The dear tests in turns: some runs together take all of them, and every run all others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.nightly import turns
from tests.nightly.pytest_process import run_pytest
from tests.nightly.slices import ROOT
from tests.nightly.turns import (
    DEAR_SECONDS,
    TURNS,
    compute_dear,
    find_turn,
    is_dear,
    is_left,
    read_dear,
    write,
)

CASES = [f"{name}[{number}]" for name in sorted(read_dear()) for number in range(20)]


def test_turns_together_run_each_dear_test_once() -> None:
    """And no turn has many more than another."""
    ran = Counter(case for turn in range(TURNS) for case in CASES if not is_left(case, turn))
    assert {1} == set(ran.values())
    assert set(CASES) == set(ran)
    sizes = Counter(map(find_turn, CASES))
    assert TURNS == len(sizes)
    assert max(sizes.values()) < 1.3 * min(sizes.values())


def test_other_tests_are_in_every_turn() -> None:
    """Whatever their case."""
    here = "tests/nightly/test_turns.py::test_other_tests_are_in_every_turn"
    assert not is_dear(here)
    assert not any(is_left(test, turn) for turn in range(TURNS) for test in (here, f"{here}[x]"))


def test_every_dear_function_exists() -> None:
    """A name that is gone would hide a new test that takes long."""
    missing = []
    for name in read_dear():
        file, _, function = name.partition("::")
        path = ROOT / file
        if not path.exists() or f"def {function.rpartition('::')[2]}(" not in path.read_text():
            missing.append(name)
    assert [] == missing


def test_dear_is_what_takes_long_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the time and half of it again; and it is read back as it was written."""
    half, less = DEAR_SECONDS / 2, 0.9 * DEAR_SECONDS
    dear = compute_dear({"tests/a.py::many[1]": half, "tests/a.py::many[2]": half, "b.py::x": less})
    assert {"tests/a.py": ["many"]} == dear
    path = tmp_path / "dear.toml"
    path.write_text(write(dear))
    monkeypatch.setattr(turns, "DEAR", path)
    read_dear.cache_clear()
    assert {"tests/a.py::many"} == read_dear()
    monkeypatch.undo()
    read_dear.cache_clear()


@pytest.mark.parametrize("word", [str(TURNS), "-1", "x", ""])
def test_a_wrong_turn_is_one_line(word: str) -> None:
    """It says what to give."""
    result = run_pytest(f"--dear-turn={word}")
    assert pytest.ExitCode.USAGE_ERROR == result.returncode
    assert f"--dear-turn: give auto, or a number below {TURNS}" in result.stderr


def test_a_run_takes_its_turn() -> None:
    """Of the dear tests of a file those of the turn, of the others all; without a turn all."""
    file = "tests/properties/test_convergence.py"
    collected = {
        turn: set(run_pytest("--collect-only", "-q", file, *turn).stdout.splitlines())
        for turn in ((), ("--dear-turn=0",), ("--dear-turn=5",))
    }
    every = {line for line in collected[()] if "::" in line}
    assert any(map(is_dear, every))
    for turn in (0, 5):
        told = collected[f"--dear-turn={turn}",]
        assert {test for test in every if not is_left(test, turn)} == told & every


def test_the_turn_is_told() -> None:
    """Before the tests, with what runs all."""
    told = run_pytest("--collect-only", "--dear-turn=5", "tests/nightly/test_turns.py").stdout
    assert f"dear tests: turn 5 of {TURNS}; --every-turn runs all" in told.splitlines()
