"""Consume queues as a row of the oracle describes them: what was put, deleted, restarted."""

from __future__ import annotations

from typing import Any

from attrs import evolve, field, frozen

from reference.decisions.reading import consume_queue as queues
from reference.decisions.reading.consume_queue import BuiltQueue, MessageLocation, ReadableQueue
from reference.store.java import hash_string
from tests.oracle.store_rows import Row, RowError

SPARE_BYTES = 8
"""What has to stay free behind a message (``END_FILE_MIN_BLANK_LENGTH``)."""


@frozen
class QueueStore:
    """A log, of which only sizes are kept, and its queues by topic and number."""

    log_file_bytes: int
    entries_per_file: int
    log_min_offset: int = 0
    log_max_offset: int = 0
    queues: dict[str, BuiltQueue] = field(factory=dict)
    tags: dict[tuple[str, int], int] = field(factory=dict)
    """Hash codes of tags, by queue and queue offset; none stands for 0."""

    def get_queue(self, topic: str, number: int) -> ReadableQueue:
        """A queue; an empty one where there is none."""
        name = f"{topic}-{number}"
        known = self.queues.get(name)
        return known.queue if known else ReadableQueue(entries_per_file=self.entries_per_file)

    def find_owner(self, physical_offset: int) -> tuple[str, int] | None:
        """Queue and queue offset of the message that begins there."""
        for name, built in self.queues.items():
            for number, entry in enumerate(built.queue.entries, built.queue.first_offset):
                if entry.physical_offset == physical_offset:
                    return name, number
        return None


def build(store: Row) -> QueueStore:
    """The store of a row. Raises RowError for an unknown operation."""
    per_file = queues.compute_entries_per_file(store["mapedFileSizeConsumeQueue"])
    built = QueueStore(store["mapedFileSizeCommitLog"], per_file)
    for name, *facts in store["ops"]:
        if name not in OPERATIONS:
            raise RowError(f"there is no operation {name!r}")
        built = OPERATIONS[name](built, *facts)
    return built


def put(store: QueueStore, *facts: Any) -> QueueStore:
    """Equal messages, one behind the other; one that does not fit begins the next file.

    Told are topic, queue, size (bytes), how many, and perhaps a tag.
    """
    topic, number, size, count, tag = (*facts, None)[:5]
    name, file_bytes = f"{topic}-{number}", store.log_file_bytes
    empty = BuiltQueue(ReadableQueue(entries_per_file=store.entries_per_file))
    built, at = store.queues.get(name, empty), store.log_max_offset
    entries = list(built.queue.entries)
    for _ in range(count):
        if at % file_bytes + size + SPARE_BYTES > file_bytes:
            at += file_bytes - at % file_bytes
        entries.append(MessageLocation(at, size))
        at += size
    begin = built.queue.max_offset
    queue = evolve(built.queue, max_offset=begin + count, entries=tuple(entries))
    told = dict.fromkeys(((name, begin + i) for i in range(count)), hash_string(tag or ""))
    return evolve(
        store,
        log_max_offset=at,
        queues={**store.queues, name: evolve(built, queue=queue)},
        tags={**store.tags, **told} if tag else store.tags,
    )


def delete_log_files(store: QueueStore, count: int) -> QueueStore:
    """The first files of the log are gone."""
    return evolve(store, log_min_offset=store.log_min_offset + count * store.log_file_bytes)


def clean_queues(store: QueueStore) -> QueueStore:
    """``CleanConsumeQueueService#deleteExpiredFiles``."""
    cleaned = {
        name: queues.delete_expired_files(built, store.log_min_offset)
        for name, built in store.queues.items()
    }
    return evolve(store, queues=cleaned)


def restart(store: QueueStore, _role: str) -> QueueStore:
    """A new process: every queue looks for its minimum."""
    loaded = {
        name: queues.correct_min_offset(built, store.log_min_offset)
        for name, built in store.queues.items()
    }
    return evolve(store, queues=loaded)


def restart_without(store: QueueStore, topic: str, number: int, count: int) -> QueueStore:
    """The same without some first files of a queue."""
    name = f"{topic}-{number}"
    built = store.queues[name]
    begin = built.queue.first_offset + count * store.entries_per_file
    entries = built.queue.entries[begin - built.queue.first_offset :]
    queue = evolve(built.queue, first_offset=begin, entries=entries)
    left = evolve(store, queues={**store.queues, name: evolve(built, queue=queue)})
    return restart(left, "")


OPERATIONS = {
    "put": put,
    "delete_log_files": delete_log_files,
    "clean_queues": clean_queues,
    "restart": restart,
    "restart_without": restart_without,
}
