"""Steps of bytes that no rule allows: an example of each, which fails until a rule does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.abstraction.covering import find_cover
from tests.abstraction.forgetting import forget
from tests.abstraction.gap_examples import CLOSED, EXAMPLES, History
from tests.abstraction.gaps import GAPS, find_gap


def mark_gap(name: str) -> pytest.MarkDecorator:
    """No rule is found, and nothing else goes wrong."""
    reason = f"{name}: {GAPS[name]}"
    return pytest.mark.xfail(strict=True, raises=pytest.fail.Exception, reason=reason)


CASES = [
    pytest.param(make, id=make.__name__, marks=mark_gap(name)) for make, name in EXAMPLES.items()
]


@pytest.mark.parametrize("make", CASES)
def test_the_step_is_one_of_a_rule(make: Callable[[], History]) -> None:
    """It is not; whoever closes a gap takes its name out of this list."""
    history = make()
    assert history.step is not None
    found, misses = find_cover(forget(history.before), history.step)
    if found is None:
        pytest.fail("; ".join(misses))


@pytest.mark.parametrize("make", CLOSED, ids=lambda make: make.__name__)
def test_the_step_is_one_of_a_rule_now(make: Callable[[], History]) -> None:
    """What was a gap once."""
    history = make()
    assert history.step is not None
    found, misses = find_cover(forget(history.before), history.step)
    assert found is not None, misses
    assert find_gap(history.before, history.step) is None


@pytest.mark.parametrize("make", EXAMPLES, ids=lambda make: make.__name__)
def test_gaps_are_told_by_name(make: Callable[[], History]) -> None:
    """Each example is counted under its own gap."""
    history = make()
    assert history.step is not None
    assert find_gap(history.before, history.step) == EXAMPLES[make]


def test_every_gap_has_an_example() -> None:
    """And no example is of a gap that nobody tells of."""
    assert set(EXAMPLES.values()) == set(GAPS)
