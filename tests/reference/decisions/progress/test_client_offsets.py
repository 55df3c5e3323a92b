"""What a consumer is told of progress, and where it begins to read."""

from __future__ import annotations

import pytest

from reference.decisions.progress.client_offsets import (
    NOT_READABLE,
    NOT_STORED,
    Beginning,
    ConsumeFromWhere,
    OffsetReply,
    compute_pull_from_where,
    read_stored,
    read_strategy,
    read_told,
)
from reference.decisions.progress.offset_table import QueryAnswer, QueryCode

FIRST, LAST, TIME = (
    ConsumeFromWhere.FIRST_OFFSET,
    ConsumeFromWhere.LAST_OFFSET,
    ConsumeFromWhere.TIMESTAMP,
)


def test_answers_are_read() -> None:
    """Not found and not answered are two things (R-CC-14)."""
    assert read_stored(QueryAnswer(QueryCode.SUCCESS, 5, "")) == 5
    assert read_stored(QueryAnswer(QueryCode.QUERY_NOT_FOUND, None, "")) == NOT_STORED
    assert read_stored(None) == NOT_READABLE
    assert read_stored(OffsetReply(0)) == NOT_READABLE


def test_a_master_tells_an_offset_or_nothing() -> None:
    """Whatever else it answers."""
    assert read_told(OffsetReply(0, 0)) == 0
    for reply in (None, OffsetReply(0), OffsetReply(1), OffsetReply(22, 5)):
        assert read_told(reply) is None


def test_deprecated_strategies() -> None:
    """4.4.0 takes each of them for the end, also the one that is named after the minimum."""
    assert read_strategy("CONSUME_FROM_MIN_OFFSET") is LAST
    assert read_strategy("CONSUME_FROM_FIRST_OFFSET") is FIRST
    with pytest.raises(ValueError, match="CONSUME_FROM_NOWHERE"):
        read_strategy("CONSUME_FROM_NOWHERE")


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
