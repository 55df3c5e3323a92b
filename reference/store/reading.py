"""Reading from the log. Offsets and sizes are bytes.

A reader of bytes holds their file until it releases them; here it does so when a call returns.
`mapped_file.hold` is for a reader that keeps its file.
"""

from __future__ import annotations

from attrs import evolve

from reference.store import content as contents
from reference.store import java, mapped_file
from reference.store import mapped_file_queue as queues
from reference.store.content import Content
from reference.store.java import Thrown
from reference.store.mapped_file import MappedFile, SelectedBuffer
from reference.store.store import Store


def get_written(store: Store) -> Content:
    """All bytes of the log, from its first file on, with their provenance.

    Offsets are contiguous unless files are missing.
    """
    written = contents.NOTHING
    for file in store.commit_log.mapped_files:
        end = max(0, file.wrote_position_bytes)
        written = contents.join(written, contents.cut(file.content, 0, end))
    return written


def get_data(
    store: Store, offset_bytes: int, *, is_first_returned: bool | None = None
) -> SelectedBuffer | None:
    """The bytes from an offset to the end of its file's content (``CommitLog#getData``).

    By default the first file replaces a missing one only for offset 0. If it does so for another
    offset, the place in it is the offset's remainder: after expiry the offset 1 gives the second
    byte of the first file (T3-00201).
    """
    is_first = offset_bytes == 0 if is_first_returned is None else is_first_returned
    log = store.commit_log
    file = queues.find_mapped_file_by_offset(log, offset_bytes, is_first_returned=is_first)
    if file is None:
        return None
    position = java.remainder(offset_bytes, log.file_size_bytes)
    return mapped_file.select_mapped_buffer(file, position)


def get_and_hold_data(store: Store, offset_bytes: int) -> tuple[Store, MappedFile | None]:
    """A reader that keeps its bytes: their file is held, until `release` with its offset.

    None: there is nothing to read, so nothing is held.
    """
    if get_data(store, offset_bytes) is None:
        return store, None
    log = store.commit_log
    is_first = offset_bytes == 0
    file = queues.find_mapped_file_by_offset(log, offset_bytes, is_first_returned=is_first)
    assert file is not None  # Otherwise there was no data.
    held, _ = mapped_file.hold(file)
    return evolve(store, commit_log=queues.replace_file(log, file, held)), held


def release(store: Store, file_from_offset_bytes: int) -> Store:
    """A reader releases a file; a deleted one needs nothing."""
    log = store.commit_log
    for file in log.mapped_files:
        if file.file_from_offset_bytes == file_from_offset_bytes:
            log = queues.replace_file(log, file, mapped_file.release(file))
    return evolve(store, commit_log=log)


def get_commit_log_data(store: Store, offset_bytes: int) -> SelectedBuffer | None:
    """The bytes sent to a slave; none unless the store runs (``getCommitLogData``)."""
    return None if store.is_shutdown else get_data(store, offset_bytes)


def select(
    store: Store, file_index: int, position: int, size: int | None
) -> tuple[Store, SelectedBuffer | Thrown | None]:
    """Bytes of one file of the log, by its index; with size None all written ones."""
    file = store.commit_log.mapped_files[file_index]
    if size is None:
        return store, mapped_file.select_mapped_buffer(file, position)
    read, answer = mapped_file.select_sized_mapped_buffer(file, position, size)
    return evolve(store, commit_log=queues.replace_file(store.commit_log, file, read)), answer


def get_message(
    store: Store, offset_bytes: int, size: int
) -> tuple[Store, SelectedBuffer | Thrown | None]:
    """This many bytes from an offset on, all in one file (``CommitLog#getMessage``)."""
    log = store.commit_log
    is_first = offset_bytes == 0
    file = queues.find_mapped_file_by_offset(log, offset_bytes, is_first_returned=is_first)
    if file is None:
        return store, None
    position = java.remainder(offset_bytes, log.file_size_bytes)
    read, answer = mapped_file.select_sized_mapped_buffer(file, position, size)
    return evolve(store, commit_log=queues.replace_file(log, file, read)), answer
