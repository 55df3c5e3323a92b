"""The second opinion on the length of counterexamples, asked again."""

from __future__ import annotations

from typing import Any

import pytest

from properties.refutations.cases import Case, load_cases
from properties.refutations.shortest import load_shortest
from spark_fuzz import shortest_counts
from spark_fuzz.shortest_counts import UnfinishedSearchError, is_searched, search

CI_STATES_MAX = 3_000_000
"""Larger searches are left to the night."""

SEARCHED = [case for case in load_cases() if is_searched(case)]


def as_parameter(case: Case) -> Any:
    """A case with its name; of the night where it meets many states."""
    is_large = load_shortest()[case.claim].states >= CI_STATES_MAX
    return pytest.param(case, marks=[pytest.mark.nightly] * is_large, id=case.claim)


@pytest.mark.parametrize("case", [as_parameter(case) for case in SEARCHED])
def test_searching_again_finds_the_same(case: Case) -> None:
    """As many steps as the certified schedule, and as many states as the page says."""
    found = search(case)
    assert len(case.schedule) == found.steps
    assert load_shortest()[case.claim] == found, "run python -m spark_fuzz.shortest_counts"


def test_a_search_that_does_not_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer states than lie on the way there is no answer, not a wrong one."""
    case = next(case for case in SEARCHED if load_shortest()[case.claim].states > 100)
    monkeypatch.setattr(shortest_counts, "STATES_MAX", 10)
    with pytest.raises(UnfinishedSearchError, match=case.claim):
        search(case)
