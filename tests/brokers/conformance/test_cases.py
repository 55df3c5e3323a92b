"""Our own broker conforms in every case, no case is vacuous, and each catches a mutant."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.broker.mutants import MUTANTS
from brokers.conformance.case import Case
from brokers.conformance.catalogue import MASTER_CASES, SLAVE_CASES
from brokers.conformance.judging import PASSED, judge
from tests.brokers.conformance.catching import (
    ALL_CASES,
    PAGE,
    RELEASES,
    Caught,
    catch,
    find_reason,
    load,
    load_killers,
    render_cases,
    render_mutants,
    update_page,
)
from tests.brokers.conformance.simulated_broker import play_case
from tests.spec.test_links import compute_anchors

BY_DAY_EACH = 8
"""Of so many cases one is played with every change, the others nightly."""
CASES_MIN = 60
NIGHTLY_SEEDS = 6
"""All cases take half a minute for each; a seed changes only how long things take."""
BY_NAME = {case.name: case for case in ALL_CASES}


def mark(case: Case, number: int) -> object:
    """A case, or one of the night."""
    marks = () if number % BY_DAY_EACH == 0 else (pytest.mark.nightly,)
    return pytest.param(case, id=case.name.replace(" ", "_"), marks=marks)


MARKED = [mark(case, number) for number, case in enumerate(ALL_CASES)]


@pytest.mark.parametrize("case", MARKED)
def test_our_broker_conforms(case: Case, tmp_path: Path) -> None:
    """And some other answer would not."""
    outcome = judge(case, play_case(case, tmp_path))
    assert outcome.word == PASSED, outcome.reason


@pytest.mark.nightly
@pytest.mark.parametrize("release", RELEASES[1:])
@pytest.mark.parametrize("case", ALL_CASES, ids=str)
def test_later_releases_conform(case: Case, release: str, tmp_path: Path) -> None:
    """The rules of each release explain its broker."""
    outcome = judge(case, play_case(case, tmp_path, release))
    assert outcome.word == PASSED, outcome.reason


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, NIGHTLY_SEEDS + 2))
def test_runs_of_other_seeds_conform(seed: int, tmp_path: Path) -> None:
    """All cases, with other delays of the network and of timers."""
    for case in ALL_CASES:
        outcome = judge(case, play_case(case, tmp_path / case.name, seed=seed))
        assert outcome.word == PASSED, (case.name, outcome.reason)


def test_there_are_cases_enough_with_names_of_their_own() -> None:
    """For each role; no two have one name."""
    assert min(len(MASTER_CASES), len(SLAVE_CASES)) >= CASES_MIN
    assert len(BY_NAME) == len(ALL_CASES)


LONG = ("one_slave_only",)
"""Mutants whose recording takes two minutes to refuse."""


@pytest.mark.parametrize(
    "caught",
    [
        pytest.param(each, id=each.mutant, marks=[pytest.mark.nightly] * (each.mutant in LONG))
        for each in load().values()
    ],
)
def test_a_mutant_is_caught(caught: Caught) -> None:
    """By the case that the page names."""
    if caught.case:
        assert find_reason(MUTANTS[caught.mutant], BY_NAME[caught.case])


@pytest.mark.nightly
@pytest.mark.parametrize("name", MUTANTS)
def test_the_table_of_mutants_is_right(name: str) -> None:
    """Computed anew."""
    assert bool(catch(name).case) is bool(load()[name].case)


@pytest.mark.nightly
@pytest.mark.parametrize("case", ALL_CASES, ids=str)
def test_each_case_catches_a_mutant(case: Case) -> None:
    """The one that was found for it."""
    assert find_reason(MUTANTS[load_killers()[case.name]], case)


def test_the_page_has_the_tables() -> None:
    """Mutants and cases, as the data and the catalogue have them."""
    assert set(load()) == set(MUTANTS)
    text = PAGE.read_text(encoding="utf-8")
    assert update_page(text) == text
    assert render_mutants() in text
    assert render_cases() in text


def test_headings_exist() -> None:
    """Those that the cases hold a broker to."""
    for case in ALL_CASES:
        for each in case.headings:
            page, _, anchor = each.partition("#")
            assert not anchor or anchor in compute_anchors(Path("spec") / page), each
