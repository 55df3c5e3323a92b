"""From a time to a place in a queue (``ConsumeQueue#getOffsetInQueueByTime`` of 4.4.0)."""

from __future__ import annotations

import struct

from attrs import frozen

from reference.store import mapped_file, reading, records
from reference.store.consume_queue import (
    CQ_STORE_UNIT_SIZE_BYTES,
    ConsumeQueue,
    ConsumeQueueEntry,
    list_entries,
)
from reference.store.mapped_file import MappedFile, SelectedBuffer
from reference.store.store import Store, get_min_physical_offset

UNIT = CQ_STORE_UNIT_SIZE_BYTES


def find_mapped_file_by_time(queue: ConsumeQueue, timestamp_ms: int) -> MappedFile | None:
    """The first file that was modified at this time or later, else the last one.

    ``MappedFileQueue#getMappedFileByTime``.
    """
    files = queue.files.mapped_files
    later = (file for file in files if file.last_modified_ms >= timestamp_ms)
    return next(later, files[-1] if files else None)


def pickup_store_timestamp(store: Store, entry: ConsumeQueueEntry) -> int:
    """When the message of an entry was stored (ms); -1: it is gone.

    ``CommitLog#pickupStoreTimestamp``.
    """
    if entry.offset_bytes < get_min_physical_offset(store):
        return -1
    _, selected = reading.get_message(store, entry.offset_bytes, entry.size_bytes)
    if not isinstance(selected, SelectedBuffer):
        return -1
    (timestamp,) = struct.unpack_from(">q", selected.content.data, records.STORE_TIMESTAMP_POSITION)
    return int(timestamp)


@frozen
class NearestMessage:
    """The nearest message on one side of the time: its place in the file, and its time (ms)."""

    position: int = -1
    timestamp_ms: int = -1


def get_offset_in_queue_by_time(store: Store, queue: ConsumeQueue, timestamp_ms: int) -> int:
    """The queue offset of the message that was stored nearest to a time; 0: none is known."""
    file = find_mapped_file_by_time(queue, timestamp_ms)
    selected = mapped_file.select_mapped_buffer(file, 0) if file else None
    if file is None or selected is None:
        return 0
    begin = file.file_from_offset_bytes
    low, high = max(0, queue.min_logic_offset_bytes - begin), selected.size_bytes - UNIT
    entries = list(list_entries(selected.content.data))
    left = right = NearestMessage()
    while high >= low:
        middle = (low + high) // (2 * UNIT) * UNIT
        entry = entries[middle // UNIT]
        if entry.offset_bytes < get_min_physical_offset(store):
            low, left = middle + UNIT, NearestMessage(middle, left.timestamp_ms)
            continue
        stored_ms = pickup_store_timestamp(store, entry)
        if stored_ms < 0:
            return 0
        if stored_ms == timestamp_ms:
            return (begin + middle) // UNIT
        if stored_ms > timestamp_ms:
            high, right = middle - UNIT, NearestMessage(middle, stored_ms)
        else:
            low, left = middle + UNIT, NearestMessage(middle, stored_ms)
    return (begin + choose_side(left, right, timestamp_ms).position) // UNIT


def choose_side(left: NearestMessage, right: NearestMessage, timestamp_ms: int) -> NearestMessage:
    """The nearer one; the earlier one if both are equally near."""
    if left.timestamp_ms == -1:
        return right
    if right.timestamp_ms == -1:
        return left
    is_right = abs(timestamp_ms - left.timestamp_ms) > abs(timestamp_ms - right.timestamp_ms)
    return right if is_right else left
