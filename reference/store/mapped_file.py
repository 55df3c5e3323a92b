"""One file of a log or queue: its bytes, its three positions, and its readers.

Positions are bytes from the file's beginning, 0 <= position <= file size. Without a transient store
pool all written bytes can be read immediately, and nothing moves the committed position.
"""

from __future__ import annotations

from attrs import evolve, frozen

from reference.store import content as contents
from reference.store import java
from reference.store.content import Content, Data
from reference.store.java import Thrown

OS_PAGE_SIZE_BYTES = 4096
FORCED_REFERENCE_COUNT = -1000


@frozen
class MappedFile:
    """A file that is mapped (``MappedFile``)."""

    name: str
    file_from_offset_bytes: int
    """Offset of its first byte in the log: its name, read as a number."""
    file_size_bytes: int
    content: Content
    """All of the file on disk; bytes beyond the file size are not mapped."""
    wrote_position_bytes: int = 0
    committed_position_bytes: int = 0
    flushed_position_bytes: int = 0
    is_first_create_in_queue: bool = False
    last_modified_ms: int = 0
    store_timestamp_ms: int = 0
    """Of the last message that a master put into it; 0 in a slave's files."""
    is_available: bool = True
    """Its destruction has not been attempted."""
    reference_count: int = 1
    is_cleanup_called: bool = False
    first_shutdown_ms: int = 0

    @property
    def end_offset_bytes(self) -> int:
        """Where the next file begins."""
        return self.file_from_offset_bytes + self.file_size_bytes

    @property
    def is_full(self) -> bool:
        """Its last byte is written."""
        return self.wrote_position_bytes == self.file_size_bytes

    @property
    def is_cleanup_over(self) -> bool:
        """It is not mapped any more, so it can be deleted (``ReferenceResource#isCleanupOver``)."""
        return self.reference_count <= 0 and self.is_cleanup_called


@frozen
class SelectedBuffer:
    """Bytes of a file handed to a reader (``SelectMappedBufferResult``)."""

    start_offset_bytes: int
    content: Content

    @property
    def size_bytes(self) -> int:
        """The number of bytes."""
        return len(self.content)


def name_file(offset_bytes: int) -> str:
    """``UtilAll#offset2FileName``: twenty digits, after a sign if the offset is negative."""
    return f"{'-' if offset_bytes < 0 else ''}{abs(offset_bytes):020d}"


def map_file(name: str, file_size_bytes: int, found: Content | None, now_ms: int) -> MappedFile:
    """Open a file, or create it with zeros; one that is too short is lengthened.

    ``MappedFile#init``. Raises JavaError (NumberFormatException) for a name that is not a number.
    """
    return MappedFile(
        name=name,
        file_from_offset_bytes=java.parse_integer(name, java.LONG_BITS),
        file_size_bytes=file_size_bytes,
        content=contents.lengthen(found or contents.NOTHING, file_size_bytes),
        last_modified_ms=now_ms,
    )


def set_positions(file: MappedFile, position_bytes: int) -> MappedFile:
    """Set all three positions to one place."""
    return evolve(
        file,
        wrote_position_bytes=position_bytes,
        committed_position_bytes=position_bytes,
        flushed_position_bytes=position_bytes,
    )


def get_mapped_bytes(file: MappedFile) -> Data:
    """The whole file, written or not (``MappedFile#sliceByteBuffer``)."""
    data, size = file.content.data, file.file_size_bytes
    return data if len(data) == size else data[:size]


def write_and_advance(
    file: MappedFile, written: Content, wrote_bytes: int, now_ms: int
) -> MappedFile:
    """Write bytes at the wrote position, and advance it by the stated length."""
    return evolve(
        file,
        content=contents.write(file.content, file.wrote_position_bytes, written),
        wrote_position_bytes=file.wrote_position_bytes + wrote_bytes,
        last_modified_ms=now_ms,
    )


def append_data(file: MappedFile, data: Content, now_ms: int) -> tuple[MappedFile, bool]:
    """Append whole or not at all: data that would cross the file's end is refused (T2-00196).

    ``MappedFile#appendMessage(byte[])``. A write that fails is only logged, and the position still
    advances; this also happens in a file of a negative name that recovery has cut at a place below
    0.
    """
    position = file.wrote_position_bytes
    if position + len(data) > file.file_size_bytes:
        return file, False
    if position < 0:
        return evolve(file, wrote_position_bytes=position + len(data)), True
    return write_and_advance(file, data, len(data), now_ms), True


def is_able_to_flush(file: MappedFile, flush_least_pages: int) -> bool:
    """Enough is written: this many pages, or anything if the number is 0; a full file always."""
    wrote, flushed = file.wrote_position_bytes, file.flushed_position_bytes
    if file.is_full:
        return True
    if flush_least_pages > 0:
        pages = wrote // OS_PAGE_SIZE_BYTES - flushed // OS_PAGE_SIZE_BYTES
        return pages >= flush_least_pages
    return wrote > flushed


def flush_file(file: MappedFile, flush_least_pages: int) -> MappedFile:
    """Force the written bytes (``MappedFile#flush``).

    A file that is being deleted cannot be held: it counts as flushed without a force (T4-00209).
    """
    if not is_able_to_flush(file, flush_least_pages):
        return file
    return evolve(file, flushed_position_bytes=file.wrote_position_bytes)


def select_mapped_buffer(file: MappedFile, position: int) -> SelectedBuffer | None:
    """All written bytes from a position on (``MappedFile#selectMappedBuffer(int)``).

    None: there are none, or the file is being deleted.
    """
    if not 0 <= position < file.wrote_position_bytes or not file.is_available:
        return None
    selected = contents.cut(file.content, position, file.wrote_position_bytes)
    return SelectedBuffer(file.file_from_offset_bytes + position, selected)


def select_sized_mapped_buffer(
    file: MappedFile, position: int, size: int
) -> tuple[MappedFile, SelectedBuffer | Thrown | None]:
    """This many bytes from a position on (``MappedFile#selectMappedBuffer(int, int)``).

    Only the end is checked. A position or size outside the file throws after the file was held. It
    is never released again, so it can only be deleted by force (T3-00371).
    """
    if java.to_int(position + size) > file.wrote_position_bytes or not file.is_available:
        return file, None
    if not 0 <= position <= file.file_size_bytes or not (
        0 <= size <= file.file_size_bytes - position
    ):
        held, _ = hold(file)
        return held, Thrown("java.lang.IllegalArgumentException")
    selected = contents.cut(file.content, position, position + size)
    return file, SelectedBuffer(file.file_from_offset_bytes + position, selected)


def hold(file: MappedFile) -> tuple[MappedFile, bool]:
    """A reader begins to use the file, unless it is being deleted (``ReferenceResource#hold``)."""
    if not file.is_available or file.reference_count <= 0:
        return file, False
    return evolve(file, reference_count=file.reference_count + 1), True


def release(file: MappedFile) -> MappedFile:
    """A reader has finished; the last one unmaps a file that is being deleted."""
    count = file.reference_count - 1
    if count > 0:
        return evolve(file, reference_count=count)
    return evolve(file, reference_count=count, is_cleanup_called=not file.is_available)


def shut_down(file: MappedFile, interval_forcibly_ms: int, now_ms: int) -> MappedFile:
    """Admit no more readers; later calls take the file from readers that held it too long.

    ``ReferenceResource#shutdown``.
    """
    if file.is_available:
        return release(evolve(file, is_available=False, first_shutdown_ms=now_ms))
    if file.reference_count > 0 and now_ms - file.first_shutdown_ms >= interval_forcibly_ms:
        forced = FORCED_REFERENCE_COUNT - file.reference_count
        return release(evolve(file, reference_count=forced))
    return file


def destroy(file: MappedFile, interval_forcibly_ms: int, now_ms: int) -> tuple[MappedFile, bool]:
    """Delete the file; False: a reader holds it (``MappedFile#destroy``)."""
    file = shut_down(file, interval_forcibly_ms, now_ms)
    return file, file.is_cleanup_over
