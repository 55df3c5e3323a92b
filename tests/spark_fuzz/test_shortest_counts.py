"""A second opinion on the length of the counterexamples: breadth-first search over all states.

Z3 has found that no schedule is shorter; a table of all states, which shares nothing with Z3 but
the rules, must come to the same number of steps.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from properties.scenarios.counterexamples.cases import CounterexamplePage, load_cases
from spark_fuzz.search.breadth_first import BreadthFirstResult, BreadthFirstSearch

STATES: dict[str, int] = json.loads(
    (Path(__file__).parents[1] / "data" / "shortest_counts.json").read_text(encoding="utf-8")
)
"""How many states are met until the first violation, by the guarantee."""

STATES_MAX = 300_000_000
"""More than the longest search needs."""

QUICK = "delay"
"""The world whose kernel is compiled with every change; the others are left to the night."""

SEARCHED = [case for case in load_cases() if case.is_counted]
"""Claims of convergence are judged in states of rest, which this search does not know; a world may
be too large for it."""


def search(case: CounterexamplePage, states_max: int = STATES_MAX) -> BreadthFirstResult:
    """All states up to the first violation."""
    fault_model = case.structure.world.get_fault_model(case.fault)
    return BreadthFirstSearch(case.structure, fault_model, guarantees=[case.claim]).search(
        states_max
    )


def is_quick(case: CounterexamplePage) -> bool:
    """Its kernel is compiled with every change."""
    return case.structure.world.name == QUICK


def as_parameter(case: CounterexamplePage) -> Any:
    """A case with its name; of the night where its kernel takes long to compile."""
    return pytest.param(case, marks=[pytest.mark.nightly] * (not is_quick(case)), id=case.claim)


@pytest.mark.parametrize("case", [as_parameter(case) for case in SEARCHED])
def test_searching_again_finds_the_same(case: CounterexamplePage) -> None:
    """As many steps as the certified schedule, and as many states as before."""
    found = search(case)
    schedule = found.answers[0].schedule
    assert schedule is not None
    assert (len(case.schedule), STATES[case.claim]) == (len(schedule), found.states)


def test_every_case_is_counted() -> None:
    """No page promises a search that nobody makes."""
    assert {case.claim for case in SEARCHED} == set(STATES)


def test_a_search_that_does_not_end_has_no_answer() -> None:
    """With fewer states than lie on the way there is no answer, not a wrong one."""
    case = next(case for case in SEARCHED if is_quick(case) and STATES[case.claim] > 100)
    assert search(case, 10).answers[0].schedule is None
