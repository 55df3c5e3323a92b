"""A folder of files of one size that follow each other: a log, or one consume queue.

Offsets are bytes from the beginning of the log, whose early files may be gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import evolve, field, frozen

from reference.store import java, mapped_file
from reference.store.content import Content
from reference.store.java import JavaError, Thrown
from reference.store.mapped_file import MappedFile

DELETE_FILES_BATCH_MAX = 10
"""The most files that one call deletes."""
DESTROY_DIRTY_INTERVAL_MS = 1000


CreateContent: TypeAlias = Callable[[str], Content]
"""The zeros of a new file of this name; raises OSError where it cannot be created."""


@frozen
class DiskFile:
    """A file in the folder that is not in the queue."""

    name: str
    content: Content
    last_modified_ms: int = 0


@frozen
class MappedFileQueue:
    """The files in order, and how far they are flushed (``MappedFileQueue``)."""

    file_size_bytes: int
    mapped_files: tuple[MappedFile, ...] = ()
    other_files: tuple[DiskFile, ...] = ()
    """Other files in the folder."""
    flushed_where_bytes: int = 0
    committed_where_bytes: int = 0
    store_timestamp_ms: int = 0
    """Of the last message that a flush of all pages has reached."""
    create_content: CreateContent | None = field(default=None, eq=False, repr=False)
    """Where a new file's bytes are to lie; None: in memory."""


def load(queue: MappedFileQueue) -> tuple[MappedFileQueue, Thrown | None]:
    """Map the files of the folder in the order of their names (``MappedFileQueue#load``).

    The first file of another length silently ends the queue: that file and all later ones stay on
    disk (T1-13678); if it is the very first, the log is empty (T1-13742). A file of the right
    length whose name is not a number is an exception (T1-13718). Missing files go unnoticed
    (T1-13698).
    """
    found = sorted(queue.other_files, key=lambda file: file.name)
    size = queue.file_size_bytes
    mapped: list[MappedFile] = []
    thrown = None
    for file in found:
        if len(file.content) != size:
            break
        try:
            opened = mapped_file.map_file(file.name, size, file.content, file.last_modified_ms)
        except JavaError as error:
            thrown = Thrown(error.class_name)
            break
        mapped.append(mapped_file.set_positions(opened, size))
    left = tuple(found[len(mapped) :])
    return evolve(queue, mapped_files=tuple(mapped), other_files=left), thrown


def close(queue: MappedFileQueue) -> MappedFileQueue:
    """The files left in the folder for the next process."""
    files = (DiskFile(f.name, f.content, f.last_modified_ms) for f in queue.mapped_files)
    others = (*files, *queue.other_files)
    create = queue.create_content
    return MappedFileQueue(queue.file_size_bytes, other_files=others, create_content=create)


def get_first_mapped_file(queue: MappedFileQueue) -> MappedFile | None:
    """The oldest file; None: there is no file."""
    return queue.mapped_files[0] if queue.mapped_files else None


def get_last_mapped_file(queue: MappedFileQueue) -> MappedFile | None:
    """The file that is written to; None: there is no file."""
    return queue.mapped_files[-1] if queue.mapped_files else None


def replace_file(queue: MappedFileQueue, old: MappedFile, new: MappedFile) -> MappedFileQueue:
    """The queue with one file's positions, bytes or readers changed."""
    if old is new:
        return queue
    files = tuple(new if file is old else file for file in queue.mapped_files)
    return evolve(queue, mapped_files=files)


def get_max_offset(queue: MappedFileQueue) -> int:
    """Where the next byte goes (bytes); 0 without any file."""
    last = get_last_mapped_file(queue)
    return last.file_from_offset_bytes + last.wrote_position_bytes if last else 0


def is_covered(file: MappedFile, offset_bytes: int) -> bool:
    """The offset lies between the file's ends, written or not."""
    return file.file_from_offset_bytes <= offset_bytes < file.end_offset_bytes


def find_mapped_file_by_offset(
    queue: MappedFileQueue, offset_bytes: int, *, is_first_returned: bool = False
) -> MappedFile | None:
    """The file of an offset, else None or the first one (``#findMappedFileByOffset``).

    The index that follows from the sizes is tried first; only if files are missing, all of them are
    searched.
    """
    first, last = get_first_mapped_file(queue), get_last_mapped_file(queue)
    if first is None or last is None:
        return None
    size = queue.file_size_bytes
    if first.file_from_offset_bytes <= offset_bytes < last.end_offset_bytes:
        index = java.quotient(offset_bytes, size)
        index -= java.quotient(first.file_from_offset_bytes, size)
        likely = queue.mapped_files[index : index + 1] if index >= 0 else ()
        for file in (*likely, *queue.mapped_files):
            if is_covered(file, offset_bytes):
                return file
    return first if is_first_returned else None


def compute_create_offset(queue: MappedFileQueue, start_offset_bytes: int) -> int | None:
    """Where the file begins that must be created before a write; None: none.

    Only an empty queue considers the wanted offset, and only its file: the first bytes land at that
    file's beginning (T2-00059), those of a negative offset in a file of a negative name.
    ``MappedFileQueue#getLastMappedFile(long, boolean)``.
    """
    last = get_last_mapped_file(queue)
    if last is None:
        return start_offset_bytes - java.remainder(start_offset_bytes, queue.file_size_bytes)
    return last.end_offset_bytes if last.is_full else None


def take_from_disk(
    queue: MappedFileQueue, name: str, now_ms: int
) -> tuple[MappedFileQueue, MappedFile]:
    """Open or create a file that is not in the queue; old bytes of that name return.

    Raises JavaError (NumberFormatException) for a name that is not a number, and OSError.
    """
    found = next((file.content for file in queue.other_files if file.name == name), None)
    if found is None and queue.create_content is not None:
        found = queue.create_content(name)
    others = tuple(file for file in queue.other_files if file.name != name)
    opened = mapped_file.map_file(name, queue.file_size_bytes, found, now_ms)
    return evolve(queue, other_files=others), opened


def add_file(queue: MappedFileQueue, file: MappedFile) -> MappedFileQueue:
    """A new file at the end; the very first one is marked."""
    if not queue.mapped_files:
        file = evolve(file, is_first_create_in_queue=True)
    return evolve(queue, mapped_files=(*queue.mapped_files, file))


def set_flushed_where(queue: MappedFileQueue, offset_bytes: int) -> MappedFileQueue:
    """Flushed and committed up to one offset, as recovery determines it."""
    return evolve(queue, flushed_where_bytes=offset_bytes, committed_where_bytes=offset_bytes)


def truncate_dirty_files(queue: MappedFileQueue, offset_bytes: int, now_ms: int) -> MappedFileQueue:
    """The log ends at an offset: later files are deleted, its own file is cut.

    ``MappedFileQueue#truncateDirtyFiles``. The bytes after the cut stay in their file.
    """
    kept: list[MappedFile] = []
    left = list(queue.other_files)
    for file in queue.mapped_files:
        if file.file_from_offset_bytes + queue.file_size_bytes <= offset_bytes:
            kept.append(file)
        elif offset_bytes >= file.file_from_offset_bytes:
            position = java.remainder(offset_bytes, queue.file_size_bytes)
            kept.append(mapped_file.set_positions(file, position))
        elif not mapped_file.destroy(file, DESTROY_DIRTY_INTERVAL_MS, now_ms)[1]:
            left.append(DiskFile(file.name, file.content, file.last_modified_ms))
    return evolve(queue, mapped_files=tuple(kept), other_files=tuple(left))


def delete_last_mapped_file(queue: MappedFileQueue) -> MappedFileQueue:
    """Recovery of a consume queue removes its last file, which has no readers yet."""
    return evolve(queue, mapped_files=queue.mapped_files[:-1])


def flush(queue: MappedFileQueue, flush_least_pages: int) -> tuple[MappedFileQueue, bool]:
    """Flush the one file in which flushedWhere lies; True: nothing changed.

    ``MappedFileQueue#flush``. If that file has expired, there is none to flush, for ever
    (T4-00001), unless flushedWhere is exactly 0.
    """
    where = queue.flushed_where_bytes
    file = find_mapped_file_by_offset(queue, where, is_first_returned=where == 0)
    if file is None:
        return queue, True
    flushed = mapped_file.flush_file(file, flush_least_pages)
    queue = replace_file(queue, file, flushed)
    if flush_least_pages == 0:
        queue = evolve(queue, store_timestamp_ms=file.store_timestamp_ms)
    new_where = flushed.file_from_offset_bytes + flushed.flushed_position_bytes
    return evolve(queue, flushed_where_bytes=new_where), new_where == where


def commit(queue: MappedFileQueue) -> MappedFileQueue:
    """Move committedWhere to the end of written bytes in its file (``MappedFileQueue#commit``)."""
    where = queue.committed_where_bytes
    file = find_mapped_file_by_offset(queue, where, is_first_returned=where == 0)
    if file is None:
        return queue
    committed = file.file_from_offset_bytes + file.wrote_position_bytes
    return evolve(queue, committed_where_bytes=committed)


def delete_expired_file_by_time(
    queue: MappedFileQueue,
    expired_time_ms: int,
    interval_forcibly_ms: int,
    now_ms: int,
    *,
    is_clean_immediately: bool,
) -> tuple[MappedFileQueue, int]:
    """Delete old files from the beginning on; returns how many.

    ``MappedFileQueue#deleteExpiredFileByTime``: never the last file, at most ten, and none after
    one that is young or held. It does not check whether a file is flushed or copied.
    """
    files = queue.mapped_files
    deleted = 0
    for file in files[:-1]:
        is_expired = now_ms >= file.last_modified_ms + expired_time_ms
        if not (is_expired or is_clean_immediately):
            break
        destroyed, is_deleted = mapped_file.destroy(file, interval_forcibly_ms, now_ms)
        if not is_deleted:
            queue = replace_file(queue, file, destroyed)
            break
        deleted += 1
        if deleted >= DELETE_FILES_BATCH_MAX:
            break
    return evolve(queue, mapped_files=queue.mapped_files[deleted:]), deleted


def retry_delete_first_file(
    queue: MappedFileQueue, interval_forcibly_ms: int, now_ms: int
) -> tuple[MappedFileQueue, bool]:
    """Delete the first file if that was tried before (``MappedFileQueue#retryDeleteFirstFile``)."""
    first = get_first_mapped_file(queue)
    if first is None or first.is_available:
        return queue, False
    destroyed, is_deleted = mapped_file.destroy(first, interval_forcibly_ms, now_ms)
    if is_deleted:
        return evolve(queue, mapped_files=queue.mapped_files[1:]), True
    return replace_file(queue, first, destroyed), False


def reset_offset(queue: MappedFileQueue, offset_bytes: int) -> bool:
    """Whether the log may go back to an offset; it never does (``MappedFileQueue#resetOffset``).

    The iterator starts at the beginning and walks backwards, so it reaches no file. Only the answer
    depends on the offset, which may lie two files before the end.
    """
    if not queue.mapped_files:
        return True
    behind_bytes = java.to_long(get_max_offset(queue) - offset_bytes)
    return behind_bytes <= 2 * queue.file_size_bytes
