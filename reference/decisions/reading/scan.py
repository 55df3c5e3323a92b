"""A store goes from entry to entry of a queue until the batch is full.

Source: DefaultMessageStore#getMessage of 4.4.0. The loop is too long for a proof. A proof takes any
numbers that `is_possible` admits; a test ensures that the loop never leaves them, and attains the
ends of their ranges.
"""

from __future__ import annotations

from attrs import define, field, frozen

from reference.decisions.reading.consume_queue import ENTRY_BYTES, MessageLocation
from reference.decisions.reading.read import GetMessageStatus, Read
from reference.decisions.reading.settings import is_further_back_than_memory
from reference.language.operators import all_of, any_of, maximum, minimum

SCAN_BYTES_MIN = 16_000
"""At least this many bytes of a queue are scanned if a filter takes none of its messages."""


@frozen
class Scan:
    """The result of reading one entry after another: numbers, or terms."""

    count: int
    """Messages found."""
    consumed: int
    """Entries that the reader has passed."""
    last: int
    """Physical offset of the last entry read."""
    miss_status: int
    """The ``GetMessageStatus`` if nothing is found: by the last entry that was not taken."""


NOT_SCANNED = Scan(0, 0, 0, GetMessageStatus.NO_MATCHED_MESSAGE)
"""Stands for a scan that does not take place."""


@frozen
class Ahead:
    """What is known of the entries ahead without reading them: numbers, or terms."""

    entries: int
    """From the requested offset to the end of the queue; at least one."""
    begin: int
    """Physical offset of the first of them."""
    log_max_offset: int
    max_messages: int
    """The most messages that the caller wants."""


def is_possible(scan: Scan, ahead: Ahead) -> bool:
    """Reading the entries ahead may have this result: the assumption of a proof about the loop.

    A batch takes one message whatever the caller wants (R-GM-05), and the entries of a queue lie in
    the order of the log.
    """
    is_miss = any_of(*(scan.miss_status == status for status in MISSES.values()))
    return all_of(
        1 <= scan.consumed,
        scan.consumed <= ahead.entries,
        0 <= scan.count,
        scan.count <= minimum(scan.consumed, maximum(1, ahead.max_messages)),
        ahead.begin <= scan.last,
        scan.last < ahead.log_max_offset,
        is_miss,
    )


@frozen
class Gathered:
    """A scan, with the reasons for its result."""

    scan: Scan
    size_bytes: int
    """Of the messages found."""
    missed_by: str
    """Name of the condition by which the last entry was not taken, if nothing was found."""
    ended_by: str
    """Name of the condition that ended it."""
    taken: tuple[int, ...] = ()
    """Queue offsets of the messages found."""
    has_another_message: bool = False
    """Another message's bytes are returned for the one at physical offset 0."""


def is_message_found(scan: Scan) -> bool:
    """The batch holds a message."""
    return scan.count > 0


def is_count_reached(read: Read, count: int, _: int) -> bool:
    """As many messages as the reader wants."""
    return read.max_messages <= count


def is_disk_size_exceeded(read: Read, _: int, size_bytes: int) -> bool:
    """With the next message, more bytes than are read from disk at a time."""
    return size_bytes > read.settings.bytes_max_in_disk


def is_disk_count_reached(read: Read, count: int, _: int) -> bool:
    """As many messages as are read from disk at a time."""
    return count > read.settings.count_max_in_disk - 1


def is_memory_size_exceeded(read: Read, _: int, size_bytes: int) -> bool:
    """With the next message, more bytes than are read from memory at a time."""
    return size_bytes > read.settings.bytes_max_in_memory


def is_memory_count_reached(read: Read, count: int, _: int) -> bool:
    """As many messages as are read from memory at a time."""
    return count > read.settings.count_max_in_memory - 1


FULL_ON_DISK = (is_count_reached, is_disk_size_exceeded, is_disk_count_reached)
FULL_IN_MEMORY = (is_count_reached, is_memory_size_exceeded, is_memory_count_reached)
"""When a batch is full, by where the next message is assumed to lie (R-GM-05).

Each condition takes the batch's number of messages, and its bytes with the next one.
"""


def find_full(read: Read, count: int, size_bytes: int, *, is_in_disk: bool) -> str:
    """The condition by which a batch is full; empty if it is not, as one without messages never is.

    Source: DefaultMessageStore#isTheBatchFull.
    """
    for condition in FULL_ON_DISK if is_in_disk else FULL_IN_MEMORY:
        if count and condition(read, count, size_bytes):
            return condition.__name__
    return ""


@define
class QueueScan:
    """A scan in progress: the only thing here that changes in place, for speed."""

    count: int = 0
    size_bytes: int = 0
    resume_at: int = 0
    """Entries that point below it are skipped."""
    missed_by: str = ""
    taken: list[int] = field(factory=list)
    """Queue offsets of the messages found."""
    has_another_message: bool = False

    def look_at(self, read: Read, offset: int, entry: MessageLocation) -> None:
        """Read one entry of a batch that is not full: take it or not."""
        refused = find_refusal(read, offset, entry)
        if refused == is_message_removed.__name__:
            file_bytes, at = read.settings.commit_log_file_bytes, entry.physical_offset
            self.resume_at = at - at % file_bytes + file_bytes
        if refused:
            self.missed_by = self.missed_by if self.count else refused
            return
        self.count += 1
        self.size_bytes += entry.size_bytes
        self.resume_at = 0
        self.taken.append(offset)
        self.has_another_message |= is_another_given(read, entry)

    def finish(self, consumed: int, last: int, ended_by: str) -> Gathered:
        """The result."""
        miss = MISSES.get(self.missed_by, GetMessageStatus.NO_MATCHED_MESSAGE)
        return Gathered(
            Scan(self.count, consumed, last, miss),
            self.size_bytes,
            self.missed_by,
            ended_by,
            tuple(self.taken),
            self.has_another_message,
        )


def gather(read: Read) -> Gathered:
    """Read entries until the batch is full, or the file or the scan limit ends (R-GM-04).

    If a message is gone, all entries that point into the same file of the log are skipped. There is
    at least one entry.
    """
    memory = read.settings.memory_bytes
    entries = read.queue.list_from(read.offset)
    limit, walk, last = compute_scan_limit(read), QueueScan(), 0
    for used, entry in enumerate(entries[:limit]):
        last = entry.physical_offset
        if last < walk.resume_at:
            continue
        is_in_disk = is_further_back_than_memory(read.log_max_offset, last, memory)
        size_bytes = walk.size_bytes + entry.size_bytes
        if full := find_full(read, walk.count, size_bytes, is_in_disk=is_in_disk):
            return walk.finish(used, last, full)
        walk.look_at(read, read.offset + used, entry)
    end = is_scan_limit_reached if is_scan_limit_reached(read) else is_queue_file_read
    return walk.finish(min(limit, len(entries)), last, end.__name__)


def compute_scan_limit(read: Read) -> int:
    """The most entries that are read."""
    return max(SCAN_BYTES_MIN, read.max_messages * ENTRY_BYTES) // ENTRY_BYTES


def is_scan_limit_reached(read: Read) -> bool:
    """The file has more entries ahead than one call reads."""
    return compute_scan_limit(read) < len(read.queue.list_from(read.offset))


def is_queue_file_read(read: Read) -> bool:
    """All entries ahead in the file were read; the next file is left to the next call."""
    return not is_scan_limit_reached(read)


def find_refusal(read: Read, offset: int, entry: MessageLocation) -> str:
    """The condition by which a message is not taken; empty: it is taken."""
    if is_filter_refusing(read, offset):
        return is_filter_refusing.__name__
    return is_message_removed.__name__ if is_message_removed(read, entry) else ""


def is_filter_refusing(read: Read, offset: int) -> bool:
    """The subscription does not include this message."""
    return offset in read.filtered_out


def find_begin(read: Read, entry: MessageLocation) -> int:
    """Where the store takes a message's bytes from (CommitLog#getMessage).

    For physical offset 0 it takes the log's first file, whichever that is. If the very first
    message is gone, it returns the bytes with which the log begins now (B1-04007).
    """
    return read.log_min_offset if entry.physical_offset == 0 else entry.physical_offset


def is_another_given(read: Read, entry: MessageLocation) -> bool:
    """The bytes are those of another message."""
    return find_begin(read, entry) != entry.physical_offset


def is_message_removed(read: Read, entry: MessageLocation) -> bool:
    """The commit log does not hold all of the message (CommitLog#getMessage)."""
    begin = find_begin(read, entry)
    return begin < read.log_min_offset or begin + entry.size_bytes > read.log_max_offset


MISSES = {
    is_filter_refusing.__name__: GetMessageStatus.NO_MATCHED_MESSAGE,
    is_message_removed.__name__: GetMessageStatus.MESSAGE_WAS_REMOVING,
}
"""The status of a scan that finds nothing, by the fate of the last entry."""
