"""What pytest does for one slice of the nightly tests, and for one turn of the dear ones.

``-m nightly --nightly-slice N`` and ``--dear-turn N``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from attrs import define
from hypothesis import settings

from tests.nightly.commits import count_commits
from tests.nightly.slices import ROOT, Slice, find_slice, read_costs
from tests.nightly.turns import TURNS, is_left


@define(frozen=True)
class Chosen:
    """The slice of this run."""

    slice: Slice
    files: set[str]
    seed: int
    seconds: float | None
    """After so long no further test of it begins."""
    start: float
    words: str
    """What is said about it."""


CHOSEN = pytest.StashKey[Chosen | None]()
TURN = pytest.StashKey[int | None]()
TOLD = pytest.StashKey[str]()
"""What is said about the turn."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a slice; ``./rmqspec test --nightly-slice`` sets the first."""
    group = parser.getgroup("nightly tests in slices")
    group.addoption(
        "--nightly-slice", metavar="N|auto", help="Run one slice: this one, or the commit's turn."
    )
    group.addoption(
        "--nightly-seconds",
        type=float,
        metavar="S",
        help="Leave out slices that are known to take longer, and begin no test after so long.",
    )
    group.addoption(
        "--dear-turn", metavar="N|auto", help="Of the dear tests run one turn, or the commit's."
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the slice, its seed and its effort; the workers are told what was chosen."""
    word = config.getoption("nightly_slice")
    config.stash[CHOSEN] = None if word is None else choose(config, word)
    config.stash[TURN] = choose_turn(config)


def choose_turn(config: pytest.Config) -> int | None:
    """The turn that is asked for, or the commit's; None where all dear tests are run."""
    word = config.getoption("dear_turn")
    if word is None:
        return None
    said = ""
    if word == "auto":
        commits, said = count_commits(ROOT)
        word = config.option.dear_turn = str(commits % TURNS)
    if not (word.isdecimal() and int(word) < TURNS):
        raise pytest.UsageError(f"--dear-turn: give auto, or a number below {TURNS}")
    config.stash[TOLD] = f"dear tests: turn {word} of {TURNS}{said}; --every-turn runs all"
    return int(word)


def choose(config: pytest.Config, word: str) -> Chosen:
    """The slice that is asked for, or whose turn it is."""
    costs, seconds = read_costs(), config.getoption("nightly_seconds")
    said = ""
    if word == "auto":
        turns = costs.list_short(seconds)
        commits, said = count_commits(ROOT)
        number, seed = turns[commits % len(turns)], commits
    elif word.isdecimal() and int(word) < costs.count:
        number = seed = int(word)
    else:
        raise pytest.UsageError(f"--nightly-slice: give auto, or a number below {costs.count}")
    config.option.nightly_slice = str(number)
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(seed)
    elif config.option.hypothesis_seed.isdecimal():
        seed = int(config.option.hypothesis_seed)
    if "HYPOTHESIS_PROFILE" not in os.environ:
        # In little time many tests with few examples each find more than two tests with many.
        settings.load_profile("nightly" if seconds is None else "dev")
    chosen = find_slice(number, costs)
    words = f"nightly: slice {number} of {costs.count}, seed {seed}{said}"
    return Chosen(chosen, chosen.find_files(), seed, seconds, time.monotonic(), words)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Which slice or turn it is, and how to run it again."""
    chosen = config.stash[CHOSEN]
    return [words for words in (chosen and chosen.words, config.stash.get(TOLD, None)) if words]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file without tests of the slice is not even imported."""
    chosen = config.stash[CHOSEN]
    if chosen is None or not collection_path.name.startswith("test_"):
        return None
    return collection_path.relative_to(ROOT).as_posix() not in chosen.files or None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Leave out the other slices' and turns' tests, before any are sorted or chosen by name."""
    chosen, turn = config.stash[CHOSEN], config.stash[TURN]
    if turn is not None:
        kept: dict[bool, list[pytest.Item]] = {True: [], False: []}
        for item in items:
            kept[not is_left(item.nodeid, turn)].append(item)
        config.hook.pytest_deselected(items=kept[False])
        items[:] = kept[True]
    if chosen is not None:
        nightly = [item.nodeid for item in items if item.get_closest_marker("nightly")]
        names = chosen.slice.choose(nightly)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
        items[:] = rotate([item for item in items if item.nodeid in names], chosen.seed)
    yield


def rotate(items: list[pytest.Item], seed: int) -> list[pytest.Item]:
    """Where the time is over before the tests, others are left each time."""
    first = seed % len(items) if items else 0
    return items[first:] + items[:first]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What there is no time left for is skipped and told: time fails no test."""
    chosen = item.config.stash[CHOSEN]
    if chosen and chosen.seconds and time.monotonic() - chosen.start > chosen.seconds:
        pytest.skip(f"no time left: this slice has had its {chosen.seconds:g} seconds")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A slice may have no tests."""
    chosen = session.config.stash[CHOSEN]
    if chosen and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
