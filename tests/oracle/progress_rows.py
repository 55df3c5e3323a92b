"""Rows about progress: commits, and a query that a broker answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reference.decisions.progress.offset_table import (
    OffsetTable,
    QueryConsumerOffsetRequest,
    answer_query,
    commit,
    name_key,
)
from reference.decisions.reading.settings import compute_memory_bytes
from tests.oracle.found import Found, Row, list_fields
from tests.oracle.get_message_rows import build_store


def list_differences(row: Row, _folder: Path) -> Iterator[Found]:
    """Where a query is answered otherwise."""
    asked = row["input"]
    table: OffsetTable = {}
    for group, topic, queue, offset in asked["commits"]:
        table = commit(table, name_key(topic, group), queue, offset)
    group, topic, number = asked["query"]
    store = build_store(asked["store"])
    queue = store.get_queue(topic, number)
    entries = queue.list_from(0)
    first = entries[0].physical_offset if entries else None
    ratio = asked["accessMessageInMemoryMaxRatio"]
    memory = compute_memory_bytes(asked["total_memory_bytes"], ratio)
    key, end = name_key(topic, group), store.log_max_offset
    answer = answer_query(
        QueryConsumerOffsetRequest(table, key, number, queue.min_offset, first, end, memory)
    )
    got = {
        "commit_codes": [0] * len(asked["commits"]),
        "code": int(answer.code),
        "offset": answer.offset,
        "queue_min_offset": queue.min_offset,
        "queue_max_offset": queue.max_offset,
        "first_physical_offset": first,
        "max_offset_py": end,
        "memory_bytes": memory,
    }
    yield from list_fields(None, row["output"], got)
