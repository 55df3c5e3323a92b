"""Rounds of delayed delivery, on numbers."""

from __future__ import annotations

import itertools

import pytest

from reference.decisions.delay.delivery import (
    DELAY_FOR_A_PERIOD_MS,
    DELAY_FOR_A_WHILE_MS,
    FIRST_DELAY_MS,
    DeliveryPosition,
    DeliveryTask,
    Met,
    Round,
    RoundMessages,
    begin_delivery,
    count_in_file,
    deliver_all,
    end_round,
    fail_round,
    look_at_queue,
)

FILE_ENTRIES = 10


def test_delivery_begins_at_its_progress() -> None:
    """Or at 0; in a second."""
    assert begin_delivery(7) == DeliveryTask(7, FIRST_DELAY_MS)
    assert begin_delivery(None) == begin_delivery(0) == DeliveryTask(0, FIRST_DELAY_MS)


@pytest.mark.parametrize(
    ("position", "begin", "decided_by"),
    [
        (-5, 3, "is_below_queue"),
        (2, 3, "is_below_queue"),
        (8, 8, "is_beyond_queue"),
        (50, 50, "is_beyond_queue"),
    ],
)
def test_a_round_without_messages_leaves_the_progress(
    position: int, begin: int, decided_by: str
) -> None:
    """Below the queue only the next round is corrected (B6-0139), beyond it nothing is."""
    found = look_at_queue(DeliveryPosition(position, 3, 8))
    assert found == Round(DeliveryTask(begin, DELAY_FOR_A_WHILE_MS), None, decided_by)


@pytest.mark.parametrize(
    ("position", "queue_max", "count"),
    [(0, 5, 5), (0, 25, 10), (9, 25, 1), (10, 25, 10), (20, 25, 5)],
)
def test_a_round_ends_with_its_file(position: int, queue_max: int, count: int) -> None:
    """Or with the queue."""
    assert count_in_file(DeliveryPosition(position, 0, queue_max), FILE_ENTRIES) == count


@pytest.mark.parametrize("met", [Met.COPIED, Met.GONE, Met.THROWN])
def test_messages_are_passed(met: Met) -> None:
    """Copied, gone or thrown: progress does not tell them apart (B6-0144)."""
    ended = end_round(RoundMessages(4, (met, met)))
    assert ended == Round(DeliveryTask(6, DELAY_FOR_A_WHILE_MS), 6, "is_file_passed")


@pytest.mark.parametrize(
    ("met", "delay_ms", "decided_by"),
    [
        (Met.NOT_DUE, 70, "is_next_not_due"),
        (Met.REFUSED, DELAY_FOR_A_PERIOD_MS, "is_copy_refused"),
    ],
)
def test_a_message_stops_a_round(met: Met, delay_ms: int, decided_by: str) -> None:
    """The next round begins with it, and progress is behind those before it."""
    ended = end_round(RoundMessages(4, (Met.COPIED, met), 70))
    assert ended == Round(DeliveryTask(5, delay_ms), 5, decided_by)


def test_a_round_that_throws_is_tried_again() -> None:
    """From its own position."""
    assert fail_round(DeliveryTask(4, 0)) == Round(
        DeliveryTask(4, DELAY_FOR_A_PERIOD_MS), None, "fail_round"
    )


def test_whole_rounds_never_skip_a_message_that_was_not_looked_at() -> None:
    """Of all queues of three messages, from every position."""
    for met in itertools.product(Met, repeat=3):
        for position in range(1, 6):
            ended = deliver_all(DeliveryPosition(position, 2, 5), met, FILE_ENTRIES)
            behind = met[position - 2 : ended.next.position - 2] if position >= 2 else ()
            assert not {Met.NOT_DUE, Met.REFUSED} & set(behind)
            assert ended.progress in (None, ended.next.position)
