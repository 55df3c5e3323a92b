"""Rows about reads: ``getMessage`` on a store that is described, and its queues."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from reference.configuration.keys import KEYS
from reference.decisions.reading.consume_queue import ReadableQueue
from reference.decisions.reading.get_message import GetMessageResult, get_message
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import StoreSettings, change_store
from reference.decisions.reading.subscription import is_tag_taken, parse_tags
from reference.roles import Role
from tests.oracle.found import Found, Row, list_fields
from tests.oracle.queue_stores import QueueStore, build

LOG_FILE = "mapedFileSizeCommitLog"


@lru_cache(maxsize=4)
def _build_text(text: str) -> QueueStore:
    return build(json.loads(text))


def build_store(store: Row) -> QueueStore:
    """The store of a row; that of the rows before is kept."""
    return _build_text(json.dumps(store))


def list_differences(row: Row, _folder: Path) -> Iterator[Found]:
    """Where a read is answered otherwise."""
    asked = row["input"]
    store, call = build_store(asked["store"]), asked["call"]
    settings = make_settings(asked)
    queue = store.get_queue(call["topic"], call["queue"])
    refused = list_refused(store, call, queue)
    read = Read(
        settings,
        queue,
        call["offset"],
        call["max_msgs"],
        store.log_max_offset,
        store.log_min_offset,
        refused,
    )
    result = get_message(read)
    yield from list_fields(None, row["output"], write(store, read, result))


def make_settings(asked: Row) -> StoreSettings:
    """The settings of a row."""
    given = {**asked["settings"], LOG_FILE: asked["store"][LOG_FILE]}
    role = Role[given.pop("role")]
    known = {name: value for name, value in given.items() if name in KEYS}
    return change_store(StoreSettings(role, asked["total_memory_bytes"]), known)


def list_refused(store: QueueStore, call: Row, queue: ReadableQueue) -> frozenset[int]:
    """The queue offsets whose tags the call does not ask for."""
    if call["tags"] is None:
        return frozenset()
    name, asked = f"{call['topic']}-{call['queue']}", parse_tags(call["tags"])
    return frozenset(
        at
        for at in range(queue.first_offset, queue.max_offset)
        if not is_tag_taken(asked, store.tags.get((name, at), 0))
    )


def write(store: QueueStore, read: Read, result: GetMessageResult) -> Mapping[str, Any]:
    """An answer, as rows write it."""
    last, memory = result.last_looked_at_offset, read.settings.memory_bytes
    return {
        "status": result.status.name,
        "next_begin_offset": result.next_begin_offset,
        "min_offset": result.min_offset,
        "max_offset": result.max_offset,
        "count": result.message_count,
        "bytes": result.size_bytes,
        "suggest_pulling_from_slave": result.is_slave_suggested,
        "max_offset_py": store.log_max_offset,
        "min_offset_py": store.log_min_offset,
        "diff": None if last is None else store.log_max_offset - last,
        "max_phy_offset_pulling": last,
        "memory_bytes": memory,
        "returned_queue_offsets": write_runs(store, result),
    }


def write_runs(store: QueueStore, result: GetMessageResult) -> list[list[int]] | None:
    """The queue offsets that stand in the bytes given, as [first, last] of each run."""
    runs: list[list[int]] = []
    for at in result.queue_offsets:
        told = at
        if result.has_another_message and at == result.queue_offsets[0]:
            owner = store.find_owner(store.log_min_offset)
            told = owner[1] if owner else at
        if runs and told == runs[-1][1] + 1:
            runs[-1][1] = told
        else:
            runs.append([told, told])
    return runs


def list_store_differences(row: Row) -> Iterator[Found]:
    """Where the queues of a store are others than the real ones."""
    store = build_store(row["store"])
    for name, expected in row["queues"].items():
        topic, _, number = name.rpartition("-")
        queue = store.get_queue(topic, int(number))
        entries = [
            [e.physical_offset, e.size_bytes, *([t] if (t := store.tags.get((name, at))) else [])]
            for at, e in enumerate(queue.entries, queue.first_offset)
        ]
        begin = expected["first_entry_offset"] - queue.first_offset if entries else 0
        got = {
            "min": queue.min_offset,
            "max": queue.max_offset,
            "first_entry_offset": queue.first_offset + begin,
            "entries": entries[begin:],
        }
        for _, field, one, other in list_fields(None, expected, got):
            yield None, f"{name} {field}", one, other
