"""One consume queue: entries of twenty bytes that point into the log.

An entry is an offset in the log, a size (both in bytes) and a tags code. Offsets within the queue's
own files are in bytes too; the queue offset of consumers is an index of entries.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from attrs import evolve, frozen

from reference.store import java, mapped_file
from reference.store import mapped_file_queue as queues
from reference.store.content import Content, Data
from reference.store.java import JavaError
from reference.store.mapped_file import MappedFile, name_file
from reference.store.mapped_file_queue import MappedFileQueue
from reference.store.records import DispatchRequest

CQ_STORE_UNIT_SIZE_BYTES = 20
ENTRY = struct.Struct(">qiq")
DESTROY_INTERVAL_MS = 60_000
"""How long a reader may keep a file that is to be deleted."""
RECOVERED_FILES = 3
"""Recovery begins at the third last file."""


class ConsumeQueueEntry(NamedTuple):
    """The content of one place of a queue."""

    offset_bytes: int
    size_bytes: int
    tags_code: int


PRE_BLANK = ConsumeQueueEntry(0, java.INT_MAX, 0)
"""Fills the file of a queue that does not begin with it; to every reader it is an entry."""


@frozen
class ConsumeQueue:
    """A queue of a topic (``ConsumeQueue``)."""

    topic: str
    queue_id: int
    files: MappedFileQueue
    max_physic_offset_bytes: int = -1
    """Offset in the log of its last entry; messages at or below are not entered again."""
    min_logic_offset_bytes: int = 0
    has_folder: bool = False
    """Its folder is on disk: the next process finds the queue again."""

    @property
    def key(self) -> str:
        """Its name in topicQueueTable."""
        return make_key(self.topic, self.queue_id)

    @property
    def min_offset_in_queue(self) -> int:
        """Index of its first entry."""
        return java.quotient(self.min_logic_offset_bytes, CQ_STORE_UNIT_SIZE_BYTES)

    @property
    def max_offset_in_queue(self) -> int:
        """Index after its last entry."""
        return java.quotient(queues.get_max_offset(self.files), CQ_STORE_UNIT_SIZE_BYTES)


def make_key(topic: str, queue_id: int) -> str:
    """A queue's name in topicQueueTable."""
    return f"{topic}-{queue_id}"


def compute_file_size(mapped_file_size_bytes: int) -> int:
    """Whole entries: rounded up (``MessageStoreConfig#getMapedFileSizeConsumeQueue``)."""
    return -(-mapped_file_size_bytes // CQ_STORE_UNIT_SIZE_BYTES) * CQ_STORE_UNIT_SIZE_BYTES


def is_filled(entry: ConsumeQueueEntry) -> bool:
    """This place has an entry; the pre-blank counts."""
    return entry.offset_bytes >= 0 and entry.size_bytes > 0


def list_entries(data: Data) -> Iterator[ConsumeQueueEntry]:
    """The entries of a file or a part of one."""
    return (ConsumeQueueEntry(*fields) for fields in ENTRY.iter_unpack(data))


def recover(queue: ConsumeQueue, now_ms: int) -> ConsumeQueue:
    """Find the queue's end: the first empty place of its last three files (``#recover``)."""
    files = queue.files.mapped_files
    if not files:
        return queue
    max_physic_offset, process_offset = queue.max_physic_offset_bytes, 0
    for file in files[max(0, len(files) - RECOVERED_FILES) :]:
        process_offset = file.file_from_offset_bytes
        for entry in list_entries(mapped_file.get_mapped_bytes(file)):
            if not is_filled(entry):
                break
            max_physic_offset = entry.offset_bytes
            process_offset += CQ_STORE_UNIT_SIZE_BYTES
        if process_offset != file.end_offset_bytes:
            break
    recovered = queues.set_flushed_where(queue.files, process_offset)
    recovered = queues.truncate_dirty_files(recovered, process_offset, now_ms)
    return evolve(queue, files=recovered, max_physic_offset_bytes=max_physic_offset)


def truncate_dirty_logic_files(queue: ConsumeQueue, physical_offset_bytes: int) -> ConsumeQueue:
    """Remove entries of messages that the log no longer holds.

    ``ConsumeQueue#truncateDirtyLogicFiles``: from the last file back to one that begins below the
    log's end. Its first place counts as an entry even if it is empty. Raises JavaError for files of
    a single entry: 4.4.0 reads such a file again and again, and load never returns.
    """
    queue = evolve(queue, max_physic_offset_bytes=physical_offset_bytes - 1)
    while (file := queues.get_last_mapped_file(queue.files)) is not None:
        kept = list(_list_kept_entries(file, physical_offset_bytes))
        if not kept:
            queue = evolve(queue, files=queues.delete_last_mapped_file(queue.files))
            continue
        if file.file_size_bytes == CQ_STORE_UNIT_SIZE_BYTES:
            raise JavaError("endless loop in ConsumeQueue#truncateDirtyLogicFiles")
        cut = mapped_file.set_positions(file, len(kept) * CQ_STORE_UNIT_SIZE_BYTES)
        files = queues.replace_file(queue.files, file, cut)
        return evolve(queue, files=files, max_physic_offset_bytes=kept[-1].offset_bytes)
    return queue


def _list_kept_entries(file: MappedFile, physical_offset_bytes: int) -> Iterator[ConsumeQueueEntry]:
    for index, entry in enumerate(list_entries(mapped_file.get_mapped_bytes(file))):
        if entry.offset_bytes >= physical_offset_bytes or (index > 0 and not is_filled(entry)):
            return
        yield entry


def get_index_buffer(queue: ConsumeQueue, start_index: int) -> tuple[ConsumeQueueEntry, ...] | None:
    """The entries from a place to the end of its file (``ConsumeQueue#getIndexBuffer``).

    None: the place is before the queue's first entry or after its last one.
    """
    offset = start_index * CQ_STORE_UNIT_SIZE_BYTES
    if offset < queue.min_logic_offset_bytes:
        return None
    file = queues.find_mapped_file_by_offset(queue.files, offset)
    if file is None:
        return None
    position = java.remainder(offset, queue.files.file_size_bytes)
    selected = mapped_file.select_mapped_buffer(file, position)
    return None if selected is None else tuple(list_entries(selected.content.data))


def delete_expired_file(
    queue: ConsumeQueue, min_physical_offset_bytes: int, now_ms: int
) -> ConsumeQueue:
    """The queue without the files all of whose messages the log has lost.

    ``ConsumeQueue#deleteExpiredFile``: the last entry of a file decides for the whole file, and the
    queue's last file always stays.
    """
    last = queue.files.file_size_bytes - CQ_STORE_UNIT_SIZE_BYTES
    files, deleted = queue.files.mapped_files, 0
    for file in files[:-1]:
        selected = mapped_file.select_mapped_buffer(file, last)
        if selected is None and file.is_available:
            break
        entries = () if selected is None else tuple(list_entries(selected.content.data))
        if entries and entries[0].offset_bytes >= min_physical_offset_bytes:
            break
        _, is_deleted = mapped_file.destroy(file, DESTROY_INTERVAL_MS, now_ms)
        if not is_deleted:
            break
        deleted += 1
    left = evolve(queue, files=evolve(queue.files, mapped_files=files[deleted:]))
    return correct_min_offset(left, min_physical_offset_bytes)


def correct_min_offset(queue: ConsumeQueue, min_physical_offset_bytes: int) -> ConsumeQueue:
    """The queue begins at the first entry that the log still holds (``#correctMinOffset``).

    Only the first file is checked. A pre-blank points to 0: in a log that begins there it is the
    first entry, so the queue's min falls below its real entries (T1-13161).
    """
    first = queues.get_first_mapped_file(queue.files)
    selected = mapped_file.select_mapped_buffer(first, 0) if first else None
    if first is None or selected is None:
        return queue
    whole = selected.size_bytes - selected.size_bytes % CQ_STORE_UNIT_SIZE_BYTES
    for index, entry in enumerate(list_entries(selected.content.data[:whole])):
        if entry.offset_bytes >= min_physical_offset_bytes:
            offset = first.file_from_offset_bytes + index * CQ_STORE_UNIT_SIZE_BYTES
            return evolve(queue, min_logic_offset_bytes=offset)
    return queue


def destroy(queue: ConsumeQueue) -> ConsumeQueue:
    """Delete all its files and its folder (``ConsumeQueue#destroy``)."""
    return evolve(
        queue,
        files=evolve(queue.files, mapped_files=(), other_files=(), flushed_where_bytes=0),
        max_physic_offset_bytes=-1,
        min_logic_offset_bytes=0,
        has_folder=False,
    )


def is_folder_nameable(topic: str) -> bool:
    """The queue's files can be created: no path holds a NUL (T1-00385)."""
    return "\0" not in topic


def _get_file_to_write(
    queue: ConsumeQueue, expect_logic_offset_bytes: int, now_ms: int
) -> ConsumeQueue | None:
    """The queue with room in its last file; None: that file cannot be created."""
    create_offset = queues.compute_create_offset(queue.files, expect_logic_offset_bytes)
    if create_offset is None:
        return queue
    if not is_folder_nameable(queue.topic):
        return None
    try:
        files, created = queues.take_from_disk(queue.files, name_file(create_offset), now_ms)
    except OSError:
        return None
    return evolve(queue, files=queues.add_file(files, created), has_folder=True)


def _fill_pre_blank(queue: ConsumeQueue, until_bytes: int, now_ms: int) -> ConsumeQueue:
    """If the queue's first file begins before its first entry, fill the places in between."""
    file = queue.files.mapped_files[-1]
    until = java.remainder(until_bytes, queue.files.file_size_bytes)
    blanks = ENTRY.pack(*PRE_BLANK) * max(0, -(-until // CQ_STORE_UNIT_SIZE_BYTES))
    filled, _ = mapped_file.append_data(file, Content(blanks), now_ms)
    files = queues.set_flushed_where(queues.replace_file(queue.files, file, filled), until_bytes)
    return evolve(queue, files=files, min_logic_offset_bytes=until_bytes)


def put_message_position_info(
    queue: ConsumeQueue, request: DispatchRequest, now_ms: int
) -> tuple[ConsumeQueue, bool]:
    """Enter a message; False: its file cannot be created (``#putMessagePositionInfo``).

    True does not mean that it was entered: a message at or below the last one, and a queue offset
    below the queue's end, count as repetitions. A queue offset above the end is still entered at
    the end, and one of 0 is not compared at all.
    """
    offset, queue_offset = request.commit_log_offset_bytes, request.consume_queue_offset
    if offset <= queue.max_physic_offset_bytes:
        return queue, True
    expect_logic_offset = java.to_long(queue_offset * CQ_STORE_UNIT_SIZE_BYTES)
    writable = _get_file_to_write(queue, expect_logic_offset, now_ms)
    if writable is None:
        return queue, False
    queue, file = writable, writable.files.mapped_files[-1]
    is_begin = file.is_first_create_in_queue and file.wrote_position_bytes == 0
    if is_begin and queue_offset != 0:
        queue = _fill_pre_blank(queue, expect_logic_offset, now_ms)
    if queue_offset != 0 and expect_logic_offset < queues.get_max_offset(queue.files):
        return queue, True
    file = queue.files.mapped_files[-1]
    entry = ENTRY.pack(offset, request.size_bytes, request.tags_code)
    appended, is_entered = mapped_file.append_data(file, Content(entry), now_ms)
    files = queues.replace_file(queue.files, file, appended)
    return evolve(queue, files=files, max_physic_offset_bytes=offset), is_entered
