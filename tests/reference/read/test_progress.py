"""Progress: stored without any check, and told by rules that look at the queue as well."""

from __future__ import annotations

import pytest

from reference.read.progress import Query, answer_query, commit, name_key


def test_a_commit_overwrites() -> None:
    """Lower and impossible offsets too; other queues and groups stay."""
    key = name_key("T0", "G")
    table = commit(commit({"T0@H": {0: 1}}, key, 0, 9), key, 1, 999)
    assert table == {"T0@H": {0: 1}, "T0@G": {0: 9, 1: 999}}
    assert commit(table, key, 0, 2)["T0@G"] == {0: 2, 1: 999}


@pytest.mark.parametrize(
    ("query", "offset", "by"),
    [
        (Query(7, 0, False), 7, "is_stored"),
        (Query(0, 5, True), 0, "is_stored"),
        (Query(None, 0, False), 0, "is_queue_young"),
    ],
)
def test_what_is_told(query: Query, offset: int, by: str) -> None:
    """What is stored, or 0 while the queue is young."""
    answer = answer_query(query)
    assert answer is not None
    assert (answer.value, answer.by) == (offset, by)


@pytest.mark.parametrize(
    "query", [Query(None, 1, False), Query(None, 0, True), Query(-1, 1, False)]
)
def test_not_found(query: Query) -> None:
    """Then the client decides by itself where to begin."""
    assert answer_query(query) is None
