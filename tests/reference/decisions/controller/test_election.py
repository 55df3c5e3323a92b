"""Whom the controller elects: the longest log, unless the comparison overflows."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reference.decisions.controller.election import (
    LiveBroker,
    compare_cut,
    compare_whole,
    elect,
)

GIB = 2**30
BROKERS = st.lists(
    st.builds(
        LiveBroker,
        broker_id=st.integers(1, 40),
        epoch=st.integers(1, 3),
        max_offset_bytes=st.integers(0, 8 * GIB),
        election_priority=st.integers(0, 3),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda broker: broker.broker_id,
)


@given(BROKERS)
def test_the_longest_log_of_the_last_epoch_is_elected_since_5_5_1(
    brokers: list[LiveBroker],
) -> None:
    """Nobody is ahead of the elected broker."""
    elected = next(b for b in brokers if b.broker_id == elect(brokers, compare_whole))
    assert max((b.epoch, b.max_offset_bytes) for b in brokers) == (
        elected.epoch,
        elected.max_offset_bytes,
    )


@given(BROKERS)
def test_both_comparisons_agree_up_to_two_gibibytes(brokers: list[LiveBroker]) -> None:
    """The repair changes nothing for logs whose ends are near."""
    ends = [b.max_offset_bytes for b in brokers]
    assume(max(ends) - min(ends) < 2 * GIB)
    assert elect(brokers, compare_cut) == elect(brokers, compare_whole)


@pytest.mark.parametrize(
    ("ahead", "elected"), [(2 * GIB - 1, 1), (2 * GIB, 2), (3 * GIB, 2), (4 * GIB, 1), (5 * GIB, 1)]
)
def test_the_shorter_log_is_elected_two_gibibytes_behind(ahead: int, elected: int) -> None:
    """Broker 1 is ahead. By exactly 4 GiB the two count as the same, and the first one stays."""
    assert elect([LiveBroker(1, max_offset_bytes=ahead), LiveBroker(2)]) == elected


def test_an_old_master_that_is_alive_stays() -> None:
    """Whatever the others have; without any member alive nobody is elected."""
    members = [LiveBroker(1), LiveBroker(2, max_offset_bytes=9)]
    assert elect(members, old_master=1) == 1
    assert elect(members, old_master=3) == 2
    assert elect([]) is None
