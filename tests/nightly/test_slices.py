"""Slices of the nightly tests: all together are all tests, each of them once and the same again."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.nightly import plugin
from tests.nightly.commits import count_commits
from tests.nightly.measuring import UNKNOWN, compute_costs, read_durations, write
from tests.nightly.plugin import rotate
from tests.nightly.pytest_process import run_pytest
from tests.nightly.slices import (
    Costs,
    Slice,
    find_slice,
    get_file,
    make_slice,
    parse_costs,
    read_costs,
)

ROOT = Path(__file__).parents[2]

COSTS = Costs(
    shared=12,
    files={
        "tests/a/test_many.py": {"test_each": 500.0, "test_each[dear]": 90.0, "test_other": 10.0},
        "tests/b/test_few.py": {"test_one": 40.0},
    },
    alone={"tests/a/test_many.py::test_long": 900.0, "tests/b/test_few.py::test_hour[x]": 3600.0},
)
MANY = [f"tests/a/test_many.py::test_each[{i}]" for i in range(50)]
TESTS = [
    "tests/a/test_many.py::test_long",
    "tests/a/test_many.py::test_each[dear]",
    *MANY,
    "tests/a/test_many.py::test_other",
    "tests/b/test_few.py::test_one",
    "tests/b/test_few.py::test_unknown[1]",
    "tests/b/test_few.py::test_hour[x]",
    "tests/c/test_new.py::test_new",
]
FILES = {get_file(test) for test in TESTS} | {"tests/c/test_without_nightly_tests.py"}


def make_slices(costs: Costs = COSTS, files: set[str] = FILES) -> list[Slice]:
    """All of them."""
    return [make_slice(number, costs, files) for number in range(costs.count)]


def run(part: Slice, tests: list[str] = TESTS) -> set[str]:
    """The tests that a slice runs: it sees those of its files only."""
    files = part.find_files()
    return part.choose(test for test in tests if get_file(test) in files)


def test_every_test_is_in_one_slice() -> None:
    """None is left out, none is run twice; those that take long have one of their own."""
    parts = [run(part) for part in make_slices()]
    assert sorted(TESTS) == sorted(test for part in parts for test in part)
    assert list(COSTS.alone) == [test for part in parts[COSTS.shared :] for test in part]


def test_slices_cost_alike() -> None:
    """54 seconds on the average; the tests of ten seconds show it."""
    assert all(10 * len(run(part) & {*MANY}) <= 54 + 10 for part in make_slices())


def test_a_new_test_moves_others_little() -> None:
    """To the slice beside theirs at most, and most of them not at all."""
    grown = [*TESTS, "tests/a/test_many.py::test_each[new]", "tests/b/test_more.py::test_new"]
    before = {test: part.number for part in make_slices() for test in run(part)}
    files = {get_file(test) for test in grown}
    after = {test: part.number for part in make_slices(files=files) for test in run(part, grown)}
    assert after.keys() == {*grown}
    moves = [abs(after[test] - before[test]) for test in TESTS]
    assert max(moves) <= 1
    assert sum(moves) < len(moves) / 4


def test_another_seed_begins_elsewhere() -> None:
    """All of the slice are still in it, and neighbours stay neighbours."""
    items: list[Any] = [*"abcde"]
    assert [*"cdeab"] == rotate(items, 2) == rotate(items, 7)
    assert [] == rotate([], 7)


def test_long_slices_are_left_out_of_a_limit() -> None:
    """Shared ones never are."""
    assert [*range(14)] == COSTS.list_short(None)
    assert [*range(13)] == COSTS.list_short(900)
    assert [*range(12)] == COSTS.list_short(60)


def test_measured_costs_are_of_tests_that_exist() -> None:
    """Each file has its functions still; no slice costs more than two minutes of one core."""
    costs = read_costs()
    named = {f"{file}::{name}" for file, names in costs.files.items() for name in names}
    for name in sorted(named | costs.alone.keys()):
        file, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(), name
    assert sum(sum(names.values()) for names in costs.files.values()) / costs.shared <= 120


def test_neighbours_share_their_border() -> None:
    """This project's slices cover the line."""
    costs = read_costs()
    places = list(find_slice(0, costs).places.values())
    assert places[0][0] == 0
    assert abs(places[-1][1] - costs.shared) < 1e-6
    assert all(a[1] == b[0] for a, b in pairwise(places))


def test_commits_are_counted(tmp_path: Path) -> None:
    """Where they can be; a shallow clone knows only some."""
    assert (0, " (git counts no commits here)") == count_commits(tmp_path)
    source, clone = tmp_path / "source", tmp_path / "clone"
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (
        ["init", "--quiet", source],
        *[["-C", source, *author, "commit", "--quiet", "--allow-empty", "-m", n] for n in "abc"],
        ["clone", "--quiet", "--depth", "2", f"file://{source}", clone],
    ):
        subprocess.run(["git", *words], check=True)
    assert (3, "") == count_commits(source)
    count, reason = count_commits(clone)
    assert 0 == count
    assert "shallow" in reason


def test_costs_are_measured_written_and_read() -> None:
    """A test is taken to cost what those of its function do; what nobody measured stays."""
    durations = """
0.50s setup    tests/a/test_many.py::test_each[1]
1.50s call     tests/a/test_many.py::test_each[1]
2 passed in 4.00s
4.00s call     tests/a/test_many.py::test_each[2 'c']
99.00s call     tests/c/test_new.py::test_new['"]
"""
    tests = [*TESTS, "tests/c/test_new.py::test_new['\"]", "tests/c/test_new.py::test_other"]
    costs = compute_costs(tests, read_durations(durations), COSTS)
    assert {"test_each": 102.0, "test_other": 10.0} == costs.files["tests/a/test_many.py"]
    assert {"test_new": UNKNOWN, "test_other": UNKNOWN} == costs.files["tests/c/test_new.py"]
    assert {*COSTS.alone, "tests/c/test_new.py::test_new['\"]"} == {*costs.alone}
    assert costs == parse_costs(write(costs))


@pytest.mark.parametrize("number", ["1000000", "all"])
def test_a_number_that_no_slice_has_is_refused(number: str) -> None:
    """With the numbers that there are."""
    result = run_pytest("-m", "nightly", f"--nightly-slice={number}")
    assert pytest.ExitCode.USAGE_ERROR == result.returncode
    assert f"a number below {read_costs().count}" in result.stderr


def test_a_slice_is_listed() -> None:
    """With its number, the number of slices and the seed."""
    result = run_pytest("-m", "nightly", "--nightly-slice=3", "--collect-only")
    assert 0 == result.returncode, result.stdout
    assert f"nightly: slice 3 of {read_costs().count}, seed 3\n" in result.stdout


@pytest.mark.parametrize(("seconds", "profile"), [(None, "nightly"), (20.0, "dev")])
def test_little_time_is_given_to_many_tests(
    seconds: float | None, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each then tries fewer examples, unless the environment says how many."""
    loaded: list[str] = []
    monkeypatch.setattr(plugin, "settings", SimpleNamespace(load_profile=loaded.append))
    monkeypatch.delenv("HYPOTHESIS_PROFILE", raising=False)
    option = SimpleNamespace(nightly_slice="auto", hypothesis_seed=None)
    config: Any = SimpleNamespace(option=option, getoption=lambda name: seconds)
    plugin.choose(config, "3")
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "ci")
    plugin.choose(config, "3")
    assert [profile] == loaded
    assert ("3", "3") == (option.nightly_slice, option.hypothesis_seed)
