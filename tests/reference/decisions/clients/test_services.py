"""What works without a master."""

from __future__ import annotations

import pytest

from reference.decisions.clients.services import SERVICES, Brokers

KEPT = {
    "is_topic_readable",
    "is_pull_possible",
    "is_going_on_possible",
    "is_beginning_at_first_possible",
}
"""What slaves can do alone."""


@pytest.mark.parametrize("brokers", [(0,), (0, 1), (0, 1, 2)])
def test_with_a_master_everything_works(brokers: Brokers) -> None:
    """With or without slaves."""
    assert all(is_possible(brokers) for is_possible in SERVICES)


@pytest.mark.parametrize("brokers", [(1,), (2, 1), (7,)])
def test_slaves_alone_serve_readers_that_are_on_their_way(brokers: Brokers) -> None:
    """Nobody sends, begins at an end or in order, or gives anything back (K-47, K-60)."""
    assert {each.__name__ for each in SERVICES if each(brokers)} == KEPT
