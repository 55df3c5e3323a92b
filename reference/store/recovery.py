"""Recovery of a store's files when it is loaded.

A record counts once 91 bytes, its topic and its body are there, whatever its properties (T1-00967).
Bytes after the end are neither checked nor wiped: old bytes that happen to be aligned return as
records (T1-12686).
"""

from __future__ import annotations

import struct

from attrs import evolve, frozen

from reference.store import allocation, dispatch, mapped_file, records
from reference.store import consume_queue as consume_queues
from reference.store import mapped_file_queue as queues
from reference.store.java import JavaError, Thrown
from reference.store.mapped_file import MappedFile
from reference.store.records import DispatchRequest
from reference.store.store import Store, get_min_physical_offset, replace_consume_queues

RECOVERED_FILES = 3
"""After a normal exit recovery begins at the third last file: damage before it stays (T1-13386)."""


@frozen
class RecoveredRecords:
    """What a reader finds from a file on."""

    process_offset_bytes: int
    """The log's end: after the last whole record, or at the beginning of the last file reached."""
    requests: tuple[DispatchRequest, ...]
    """Of the records that were found."""


def load(store: Store, now_ms: int) -> tuple[Store, bool | Thrown]:
    """Read everything from disk and recover it (``DefaultMessageStore#load``).

    False: an exception on the way, such as a file whose name is not a number; the work done until
    then stays. Thrown: an error, after which there is no store (T1-13853).
    """
    log, thrown = queues.load(store.commit_log)
    store = evolve(store, commit_log=log)
    if thrown is None:
        store, thrown = load_consume_queues(store)
    if thrown is not None:
        return _fail_load(store), False
    store = evolve(store, checkpoint=store.checkpoint_on_disk)
    store = recover_consume_queues(store, now_ms)
    try:
        recover = recover_abnormally if store.has_abort_file else recover_normally
        return recover_topic_queue_table(recover(store, now_ms)), True
    except JavaError as error:
        if error.class_name.endswith("Exception"):
            return _fail_load(store), False
        return store, Thrown(error.class_name)


def _fail_load(store: Store) -> Store:
    return evolve(store, allocation=allocation.shut_down(store.allocation))


def load_consume_queues(store: Store) -> tuple[Store, Thrown | None]:
    """Map the files of all queues (``DefaultMessageStore#loadConsumeQueue``)."""
    found, store = store.consume_queues_on_disk, evolve(store, consume_queues_on_disk=())
    for index, queue in enumerate(found):
        files, thrown = queues.load(queue.files)
        store = replace_consume_queues(store, evolve(queue, files=files))
        if thrown is not None:
            return evolve(store, consume_queues_on_disk=found[index + 1 :]), thrown
    return store, None


def recover_consume_queues(store: Store, now_ms: int) -> Store:
    """Each queue finds its own end."""
    found = (consume_queues.recover(queue, now_ms) for queue in store.consume_queues.values())
    return replace_consume_queues(store, *found)


def walk(store: Store, index: int) -> RecoveredRecords:
    """Read records from the beginning of a file on, over blanks into later files.

    The end of a record is accepted without checking what follows. A blank needs eight bytes. If the
    next file exists, even created in advance and empty, the log's end moves to its beginning, past
    bytes that may never have arrived (T1-09848). Otherwise the end is before the blank, though the
    file may be full (T2-00476). Raises JavaError (OutOfMemoryError).
    """
    found: list[DispatchRequest] = []
    process_offset = 0
    for file in store.commit_log.mapped_files[index:]:
        is_blank_reached, requests = _walk_file(store, file)
        found += requests
        read = sum(request.size_bytes for request in requests)
        process_offset = file.file_from_offset_bytes + read
        if not is_blank_reached:
            break
    return RecoveredRecords(process_offset, tuple(found))


def _walk_file(store: Store, file: MappedFile) -> tuple[bool, list[DispatchRequest]]:
    """The records of a file, and whether a blank ends them."""
    data = mapped_file.get_mapped_bytes(file)
    found: list[DispatchRequest] = []
    position = 0
    while True:
        request = records.check_message_and_return_size(
            data,
            position,
            is_crc_checked=store.config.is_crc_checked_on_recover,
            largest_array_bytes=store.config.largest_array_bytes,
            delays_ms=store.config.delays_ms,
        )
        if not request.is_success or request.size_bytes == 0:
            return request.is_success, found
        found.append(request)
        position = request.end_position


def recover_normally(store: Store, now_ms: int) -> Store:
    """After a normal exit: the last three files, nothing is dispatched (``#recoverNormally``).

    An empty log leaves the queues as they are.
    """
    files = store.commit_log.mapped_files
    if not files:
        return store
    found = walk(store, max(0, len(files) - RECOVERED_FILES))
    return end_log_at(store, found.process_offset_bytes, compute_max_physic(store), now_ms)


def recover_abnormally(store: Store, now_ms: int) -> Store:
    """After a kill: from the checkpoint's file on, and all is dispatched (``#recoverAbnormally``).

    Earlier files are not checked (T1-13377). An empty log destroys the queues.
    """
    files = store.commit_log.mapped_files
    if not files:
        destroyed = map(consume_queues.destroy, store.consume_queues.values())
        store = replace_consume_queues(store, *destroyed)
        return evolve(store, commit_log=queues.set_flushed_where(store.commit_log, 0))
    matched = (i for i in reversed(range(len(files))) if is_file_matched(store, files[i]))
    found = walk(store, next(matched, 0))
    max_physic_offset = compute_max_physic(store)
    for request in found.requests:
        if is_dispatched_at_recovery(store, request):
            store = dispatch.do_dispatch(store, request, now_ms)
    return end_log_at(store, found.process_offset_bytes, max_physic_offset, now_ms)


def is_dispatched_at_recovery(store: Store, request: DispatchRequest) -> bool:
    """All are dispatched, but with duplicationEnable only confirmed ones."""
    is_confirmed = request.commit_log_offset_bytes < store.confirm_offset_bytes
    return is_confirmed or not store.config.is_duplication_enabled


def is_file_matched(store: Store, file: MappedFile) -> bool:
    """The file begins with a message that is surely on disk (``#isMappedFileMatchedRecover``).

    Raises JavaError (IndexOutOfBoundsException) for files of less than 64 bytes.
    """
    data = mapped_file.get_mapped_bytes(file)
    try:
        (magic_code,) = struct.unpack_from(">i", data, records.MAGIC_CODE_POSITION)
        if magic_code != records.MESSAGE_MAGIC_CODE:
            return False
        (timestamp,) = struct.unpack_from(">q", data, records.STORE_TIMESTAMP_POSITION)
    except struct.error as error:
        raise JavaError("java.lang.IndexOutOfBoundsException") from error
    config, checkpoint = store.config, store.checkpoint
    is_index_safe = config.is_message_index_enabled and config.is_message_index_safe
    least = checkpoint.min_timestamp_index_ms if is_index_safe else checkpoint.min_timestamp_ms
    return timestamp != 0 and bool(timestamp <= least)


def compute_max_physic(store: Store) -> int:
    """The last offset in the log that any queue points to (bytes); -1: there is no entry."""
    return max((q.max_physic_offset_bytes for q in store.consume_queues.values()), default=-1)


def end_log_at(store: Store, offset_bytes: int, max_physic_offset_bytes: int, now_ms: int) -> Store:
    """The log ends here, and queues do not point beyond it.

    Whether they do is judged by their content before any dispatch.
    """
    log = queues.set_flushed_where(store.commit_log, offset_bytes)
    store = evolve(store, commit_log=queues.truncate_dirty_files(log, offset_bytes, now_ms))
    if max_physic_offset_bytes < offset_bytes:
        return store
    cut = (
        consume_queues.truncate_dirty_logic_files(queue, offset_bytes)
        for queue in store.consume_queues.values()
    )
    return replace_consume_queues(store, *cut)


def recover_topic_queue_table(store: Store) -> Store:
    """Next offsets of all queues, and where each begins (``#recoverTopicQueueTable``)."""
    begin = get_min_physical_offset(store)
    corrected = [
        consume_queues.correct_min_offset(queue, begin) for queue in store.consume_queues.values()
    ]
    table = {queue.key: queue.max_offset_in_queue for queue in corrected}
    return evolve(replace_consume_queues(store, *corrected), topic_queue_table=table)
