"""A consume queue: how it is built, and how a reader finds it.

A reader finds numbers for its ends, and a static table of entries. It is built from the places that
the master assigns and the entries that dispatch makes.
Source: CommitLog.DefaultAppendMessageCallback#doAppend, ConsumeQueue#putMessagePositionInfo,
ConsumeQueue#correctMinOffset and DefaultMessageStore#recoverTopicQueueTable of 4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from attrs import evolve, frozen

from reference.configuration.keys import KEYS
from reference.decisions.reading.decision import Case, choose_first

ENTRY_BYTES = 20
"""Bytes of one entry (ConsumeQueue.CQ_STORE_UNIT_SIZE)."""


class MessageLocation(NamedTuple):
    """Where a message lies in the commit log."""

    physical_offset: int
    size_bytes: int


def compute_entries_per_file(file_size_bytes: int) -> int:
    """Entries of one file of a queue: the size is rounded up to whole entries.

    Source: MessageStoreConfig#getMapedFileSizeConsumeQueue.
    """
    return -(-file_size_bytes // ENTRY_BYTES)


ENTRIES_PER_FILE = compute_entries_per_file(int(KEYS["mapedFileSizeConsumeQueue"].default or 0))
"""Entries of one file with the default ``mapedFileSizeConsumeQueue``."""


@frozen
class ReadableQueue:
    """One queue of one topic on one broker; an unknown queue is an empty one (R-GM-01)."""

    min_offset: int = 0
    """Queue offset of the first entry whose message may still exist."""
    max_offset: int = 0
    """One past the queue offset of the last entry."""
    first_offset: int = 0
    """Queue offset of the first entry in the table."""
    entries: Sequence[MessageLocation] = ()
    """The part of the queue that a reader may read."""
    entries_per_file: int = ENTRIES_PER_FILE

    def list_from(self, offset: int) -> Sequence[MessageLocation]:
        """The entries from a queue offset to the end of its file, for a reader.

        Empty if there is no file, or if the queue counts as beginning later (B7-0004).
        Source: ConsumeQueue#getIndexBuffer.
        """
        return self.list_file(offset) if offset >= self.min_offset else ()

    def list_file(self, offset: int) -> Sequence[MessageLocation]:
        """The entries from a queue offset to the end of its file, whatever the queue's min is."""
        begin = offset - self.first_offset
        if not 0 <= begin < len(self.entries):
            return ()
        end = self.compute_next_file(offset) - self.first_offset
        return self.entries[begin:end]

    def compute_next_file(self, offset: int) -> int:
        """The first queue offset of the file after the one of ``offset``.

        Source: ConsumeQueue#rollNextFile.
        """
        return offset + self.entries_per_file - offset % self.entries_per_file


NextOffsets: TypeAlias = Mapping[str, int]
"""By topic and queue: the queue offset of the next message (``CommitLog.topicQueueTable``)."""


class Transaction(enum.Enum):
    """The part of a transaction that a message is (MessageSysFlag)."""

    NONE = "none"
    PREPARED = "prepared"
    """A half message. A broker of 4.4.0 puts it into a separate topic as NONE (R-RP-08)."""
    COMMIT = "commit"
    ROLLBACK = "rollback"


WITHOUT_PLACE = frozenset({Transaction.PREPARED, Transaction.ROLLBACK})
"""They get no place in a queue, and no entry."""


def assign_queue_offset(
    table: NextOffsets, queue: str, transaction: Transaction = Transaction.NONE, messages: int = 1
) -> tuple[int, NextOffsets]:
    """The queue offset of a message (of a batch: its first), and the table after it (R-CL-07)."""
    if transaction in WITHOUT_PLACE:
        return 0, table
    offset = table.get(queue, 0)
    return offset, {**table, queue: offset + messages}


EMPTY_QUEUE = ReadableQueue()


@frozen
class BuiltQueue:
    """A consume queue, and how far its entries reach in the log."""

    queue: ReadableQueue = EMPTY_QUEUE
    max_physical_offset: int = -1
    """``maxPhysicOffset``: where the last message with an entry begins."""


@frozen
class Dispatched:
    """A message that dispatch has reached."""

    queue_offset: int
    """As stored in the message."""
    entry: MessageLocation
    """Its physical offset is the one stored in the message, too."""
    built: BuiltQueue
    """The queue before it."""


def is_already_reached(message: Dispatched) -> bool:
    """An earlier dispatch has already reached this place in the log: nothing is done."""
    return message.entry.physical_offset <= message.built.max_physical_offset


def is_place_taken(message: Dispatched) -> bool:
    """The queue extends beyond the message's place; at place 0 this is not checked."""
    return 0 < message.queue_offset < message.built.queue.max_offset


def is_first_of_queue(message: Dispatched) -> bool:
    """The queue has no entry yet: it begins at the message's place, wherever that is."""
    return not message.built.queue.entries


def is_next_or_behind_gap(_message: Dispatched) -> bool:
    """The entry goes to the end of the queue, even if places before it are missing."""
    return True


def begin(message: Dispatched) -> ReadableQueue:
    """A queue whose first message this is; the filling of its file before it does not count."""
    place = message.queue_offset
    per_file = message.built.queue.entries_per_file
    return ReadableQueue(place, place + 1, place, (message.entry,), per_file)


def append(message: Dispatched) -> ReadableQueue:
    """The queue with one more entry at its end."""
    queue = message.built.queue
    entries = (*queue.entries, message.entry)
    return evolve(queue, max_offset=queue.max_offset + 1, entries=entries)


DISPATCHES: tuple[Case[Dispatched, ReadableQueue | None], ...] = (
    (is_already_reached, lambda _: None),
    (is_place_taken, lambda _: None),
    (is_first_of_queue, begin),
    (is_next_or_behind_gap, append),
)
"""The decision about an entry, in the order of the code (R-RP-05); None: it is not made."""


def dispatch(built: BuiltQueue, queue_offset: int, entry: MessageLocation) -> BuiltQueue:
    """The queue after dispatch has reached a message (ConsumeQueue#putMessagePositionInfo)."""
    decided = choose_first(DISPATCHES, Dispatched(queue_offset, entry, built))
    assert decided is not None  # The last condition always holds.
    if decided.value is None:
        return built
    return evolve(built, queue=decided.value, max_physical_offset=entry.physical_offset)


def correct_min_offset(built: BuiltQueue, log_min_offset: int) -> BuiltQueue:
    """The queue begins at the first entry whose message the log still has (R-RC-10).

    Only the queue's first file is read; if all of it points before the log, nothing changes.
    """
    queue = built.queue
    first_file = queue.list_file(queue.first_offset)
    for place, entry in enumerate(first_file, start=queue.first_offset):
        if entry.physical_offset >= log_min_offset:
            return evolve(built, queue=evolve(queue, min_offset=place))
    return built


def delete_expired_files(built: BuiltQueue, log_min_offset: int) -> BuiltQueue:
    """The queue without files all of whose messages are gone; the last one stays (R-RC-10).

    Source: ConsumeQueue#deleteExpiredFile, MappedFileQueue#deleteExpiredFileByOffset. A queue whose
    messages have all expired keeps its last file, and its minimum, until new ones begin another
    file.
    """
    queue = built.queue
    while queue.compute_next_file(queue.first_offset) < queue.max_offset:
        (*_, last) = queue.list_file(queue.first_offset)
        if last.physical_offset >= log_min_offset:
            break
        begin = queue.compute_next_file(queue.first_offset)
        entries = queue.entries[begin - queue.first_offset :]
        queue = evolve(queue, first_offset=begin, entries=entries)
    return correct_min_offset(evolve(built, queue=queue), log_min_offset)


def load_next_offsets(queues: Mapping[str, BuiltQueue]) -> NextOffsets:
    """The next queue offsets after a start: the ends of the queues (R-RC-10).

    This is done once. A slave never advances them afterwards, since it takes no puts.
    """
    return {name: built.queue.max_offset for name, built in queues.items()}
