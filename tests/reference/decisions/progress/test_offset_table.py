"""A broker's table of progress."""

from __future__ import annotations

import itertools

import pytest

from reference.decisions.progress.offset_table import (
    QueryCode,
    QueryConsumerOffsetRequest,
    answer_query,
    commit,
    commit_first_lost,
    is_first_message_on_disk,
    name_key,
)

KEY = "T@G"


@pytest.mark.parametrize(("before", "after"), list(itertools.product((None, 0, 5), (0, 3, 9))))
def test_a_commit_overwrites(before: int | None, after: int) -> None:
    """Lower values as well (R-CO-01); other queues and keys stay."""
    table = {KEY: {1: 7} if before is None else {0: before, 1: 7}, "T@H": {0: 2}}
    assert commit(table, KEY, 0, after) == {KEY: {0: after, 1: 7}, "T@H": {0: 2}}


def test_a_first_commit_may_be_lost() -> None:
    """Two first commits of a key at the same time: one map replaces the other (R-CO-02)."""
    other = commit({}, KEY, 0, 5)
    assert commit_first_lost(other, KEY, 1, 6) == {KEY: {1: 6}}
    assert commit(other, KEY, 1, 6) == {KEY: {0: 5, 1: 6}}


def test_a_key_names_topic_and_group() -> None:
    """As the file has it."""
    assert name_key("T0", "G01") == "T0@G01"


@pytest.mark.parametrize(
    ("query", "code", "offset", "by"),
    [
        (QueryConsumerOffsetRequest({KEY: {0: 5}}, KEY, 0), QueryCode.SUCCESS, 5, "is_stored"),
        (QueryConsumerOffsetRequest({KEY: {0: 5}}, KEY, 0, 9), QueryCode.SUCCESS, 5, "is_stored"),
        (
            QueryConsumerOffsetRequest({KEY: {0: -1}}, KEY, 0),
            QueryCode.SUCCESS,
            0,
            "is_queue_young",
        ),
        (QueryConsumerOffsetRequest({}, KEY, 0), QueryCode.SUCCESS, 0, "is_queue_young"),
        (QueryConsumerOffsetRequest({KEY: {1: 5}}, KEY, 0), QueryCode.SUCCESS, 0, "is_queue_young"),
        (
            QueryConsumerOffsetRequest({}, KEY, 0, 1),
            QueryCode.QUERY_NOT_FOUND,
            None,
            "is_progress_unknown",
        ),
        (
            QueryConsumerOffsetRequest({}, KEY, 0, 0, 100, 301, 200),
            QueryCode.QUERY_NOT_FOUND,
            None,
            "is_progress_unknown",
        ),
        (
            QueryConsumerOffsetRequest({}, KEY, 0, 0, 100, 300, 200),
            QueryCode.SUCCESS,
            0,
            "is_queue_young",
        ),
        (
            QueryConsumerOffsetRequest({}, KEY, 0, 0, None, 10**9, 0),
            QueryCode.SUCCESS,
            0,
            "is_queue_young",
        ),
    ],
)
def test_queries(
    query: QueryConsumerOffsetRequest, code: QueryCode, offset: int | None, by: str
) -> None:
    """Stored, or 0 for a young queue, or not found (R-CO-05)."""
    answer = answer_query(query)
    assert (answer.code, answer.offset, answer.decided_by) == (code, offset, by)


def test_without_memory_every_first_message_is_on_disk() -> None:
    """A ratio of 0, as the recording of queries has it; without an entry there is nothing."""
    query = QueryConsumerOffsetRequest({}, KEY, 0, 0, 0, 91, 0)
    assert is_first_message_on_disk(query)
    assert not is_first_message_on_disk(QueryConsumerOffsetRequest({}, KEY, 0, 0, None, 91, 0))
