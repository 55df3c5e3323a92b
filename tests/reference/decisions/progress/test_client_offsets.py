"""A consumer's own progress."""

from __future__ import annotations

import pytest

from reference.decisions.progress.client_offsets import (
    NOT_READABLE,
    NOT_STORED,
    Beginning,
    ClientOffsets,
    ConsumeFromWhere,
    compute_consumed,
    compute_pull_from_where,
    read_stored,
)
from reference.decisions.progress.offset_table import QueryAnswer, QueryCode

FIRST, LAST, TIME = (
    ConsumeFromWhere.FIRST_OFFSET,
    ConsumeFromWhere.LAST_OFFSET,
    ConsumeFromWhere.TIMESTAMP,
)


def test_consumption_only_moves_progress_on() -> None:
    """A correction sets it (R-CC-11)."""
    offsets = ClientOffsets({0: 5})
    assert offsets.update(0, 3, is_increase_only=True).offsets == {0: 5}
    assert offsets.update(0, 8, is_increase_only=True).offsets == {0: 8}
    assert offsets.update(0, 3, is_increase_only=False).offsets == {0: 3}
    assert offsets.update(1, 0, is_increase_only=True).offsets == {0: 5, 1: 0}


def test_progress_is_sent_for_assigned_queues() -> None:
    """Changed or not; others are forgotten (R-CC-12)."""
    offsets = ClientOffsets({0: 5, 1: 6})
    assert offsets.list_commits(frozenset({1, 2})) == ((1, 6),)
    assert offsets.keep(frozenset({1, 2})).offsets == {1: 6}


def test_concurrent_consumption_waits_for_the_lowest() -> None:
    """Nothing that is not done is passed over."""
    assert compute_consumed(frozenset({7, 4}), 9) == 4
    assert compute_consumed(frozenset(), 9) == 10


def test_answers_are_read() -> None:
    """Not found and not answered are two things (R-CC-14)."""
    assert read_stored(QueryAnswer(QueryCode.SUCCESS, 5, "")) == 5
    assert read_stored(QueryAnswer(QueryCode.QUERY_NOT_FOUND, None, "")) == NOT_STORED
    assert read_stored(None) == NOT_READABLE


@pytest.mark.parametrize(
    ("beginning", "offset", "by"),
    [
        (Beginning(5, LAST), 5, "is_progress_stored"),
        (Beginning(0, TIME), 0, "is_progress_stored"),
        (Beginning(NOT_READABLE, FIRST), None, "is_store_unreadable"),
        (Beginning(NOT_STORED, FIRST), 0, "is_first_wanted"),
        (Beginning(NOT_STORED, LAST, True, 9), 0, "is_retry_from_last"),
        (Beginning(NOT_STORED, LAST, False, 9), 9, "is_end_wanted"),
        (Beginning(NOT_STORED, LAST), None, "is_end_wanted"),
        (Beginning(NOT_STORED, TIME, True, 9, 4), 9, "is_end_wanted"),
        (Beginning(NOT_STORED, TIME, False, 9, 4), 4, "is_time_wanted"),
        (Beginning(NOT_STORED, TIME), None, "is_time_wanted"),
    ],
)
def test_where_reading_begins(beginning: Beginning, offset: int | None, by: str) -> None:
    """R-CC-15; with a dead master neither the end nor a time can be asked for."""
    decided = compute_pull_from_where(beginning)
    assert (decided.value, decided.by) == (offset, by)
