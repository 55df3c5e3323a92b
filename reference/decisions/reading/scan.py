"""A store goes from entry to entry of a queue, until the batch is full.

Source: DefaultMessageStore#getMessage of 4.4.0. The loop is too long for a proof. Who proves takes any numbers that `is_possible` admits: the loop
never leaves them (a test), and attains the ends of their ranges.
"""

from __future__ import annotations

from attrs import evolve, frozen

from reference.decisions.reading.consume_queue import ENTRY_BYTES, Entry
from reference.decisions.reading.read import GetMessageStatus, Read
from reference.decisions.reading.settings import is_further_back_than_memory

SCAN_BYTES_MIN = 16_000
"""At least so many bytes of a queue are looked at, if a filter takes none of its messages."""


@frozen
class Scan:
    """What looking at one entry after another came to: numbers, or terms."""

    count: int
    """Messages found."""
    consumed: int
    """Entries that the reader has behind it."""
    last: int
    """Physical offset of the last entry looked at."""
    miss_status: int
    """The ``GetMessageStatus`` where nothing is found: by the last entry that was not taken."""


NOT_SCANNED = Scan(0, 0, 0, GetMessageStatus.NO_MATCHED_MESSAGE)
"""What stands for a scan that does not take place."""


@frozen
class Gathered:
    """A scan, and why it came to this."""

    scan: Scan
    size_bytes: int
    """Of the messages found."""
    missed_by: str
    """Name of the condition by which the last entry was not taken, while nothing was found."""
    ended_by: str
    """Name of the condition that ended it."""
    has_another_message: bool = False
    """Another message's bytes are given for the one at physical offset 0."""


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
"""When a batch is full, by where the next message is taken to lie (R-GM-05).

Each condition is told how many messages the batch has, and its bytes with the next one.
"""


def find_full(read: Read, count: int, size_bytes: int, *, is_in_disk: bool) -> str:
    """The condition by which a batch is full; empty: it is not, as one without messages never is.

    Source: DefaultMessageStore#isTheBatchFull.
    """
    for condition in FULL_ON_DISK if is_in_disk else FULL_IN_MEMORY:
        if count and condition(read, count, size_bytes):
            return condition.__name__
    return ""


@frozen
class Progress:
    """A scan on its way."""

    count: int = 0
    size_bytes: int = 0
    last: int = 0
    resume_at: int = 0
    """Entries that point below it are passed over."""
    missed_by: str = ""
    has_another_message: bool = False


def gather(read: Read) -> Gathered:
    """Entry by entry until the batch is full, or the queue's file or the patience ends (R-GM-04).

    Where a message is gone, all entries that point into the same file of the log are passed over.
    There is at least one entry.
    """
    memory = read.settings.memory_bytes
    entries = read.queue.list_from(read.offset)
    limit, now = compute_scan_limit(read), Progress()
    for used, entry in enumerate(entries[:limit]):
        now = evolve(now, last=entry.physical_offset)
        if now.last < now.resume_at:
            continue
        is_in_disk = is_further_back_than_memory(read.log_max_offset, now.last, memory)
        size_bytes = now.size_bytes + entry.size_bytes
        if full := find_full(read, now.count, size_bytes, is_in_disk=is_in_disk):
            return finish(now, used, full)
        now = look_at(read, now, read.offset + used, entry)
    end = is_scan_limit_reached if is_scan_limit_reached(read) else is_queue_file_read
    return finish(now, min(limit, len(entries)), end.__name__)


def look_at(read: Read, now: Progress, offset: int, entry: Entry) -> Progress:
    """One entry of a batch that is not full: it is taken, or it is not."""
    refused = find_refusal(read, offset, entry)
    if not refused:
        return evolve(
            now,
            count=now.count + 1,
            size_bytes=now.size_bytes + entry.size_bytes,
            resume_at=0,
            has_another_message=now.has_another_message or is_another_given(read, entry),
        )
    if refused == is_message_removed.__name__:
        file_bytes = read.settings.commit_log_file_bytes
        now = evolve(now, resume_at=now.last - now.last % file_bytes + file_bytes)
    return now if now.size_bytes else evolve(now, missed_by=refused)


def finish(now: Progress, consumed: int, ended_by: str) -> Gathered:
    """What a scan has come to."""
    miss = MISSES.get(now.missed_by, GetMessageStatus.NO_MATCHED_MESSAGE)
    return Gathered(
        Scan(now.count, consumed, now.last, miss),
        now.size_bytes,
        now.missed_by,
        ended_by,
        now.has_another_message,
    )


def compute_scan_limit(read: Read) -> int:
    """How many entries are looked at, at the most."""
    return max(SCAN_BYTES_MIN, read.max_messages * ENTRY_BYTES) // ENTRY_BYTES


def is_scan_limit_reached(read: Read) -> bool:
    """There are more entries ahead in the file than are looked at in one call."""
    return compute_scan_limit(read) < len(read.queue.list_from(read.offset))


def is_queue_file_read(read: Read) -> bool:
    """All entries ahead in the file were looked at; the next file is left to the next call."""
    return not is_scan_limit_reached(read)


def find_refusal(read: Read, offset: int, entry: Entry) -> str:
    """The condition by which a message is not taken; empty: it is taken."""
    if is_filter_refusing(read, offset):
        return is_filter_refusing.__name__
    return is_message_removed.__name__ if is_message_removed(read, entry) else ""


def is_filter_refusing(read: Read, offset: int) -> bool:
    """The subscription does not ask for this message."""
    return offset in read.filtered_out


def find_begin(read: Read, entry: Entry) -> int:
    """Where the store takes a message's bytes from (CommitLog#getMessage).

    For physical offset 0 it takes the log's first file, whichever that is: a message that was the
    very first one and is gone is answered with the bytes with which the log begins now (B1-04007).
    """
    return read.log_min_offset if entry.physical_offset == 0 else entry.physical_offset


def is_another_given(read: Read, entry: Entry) -> bool:
    """The bytes are those of another message."""
    return find_begin(read, entry) != entry.physical_offset


def is_message_removed(read: Read, entry: Entry) -> bool:
    """The commit log does not hold all of the message (CommitLog#getMessage)."""
    begin = find_begin(read, entry)
    return begin < read.log_min_offset or begin + entry.size_bytes > read.log_max_offset


MISSES = {
    is_filter_refusing.__name__: GetMessageStatus.NO_MATCHED_MESSAGE,
    is_message_removed.__name__: GetMessageStatus.MESSAGE_WAS_REMOVING,
}
"""The status of a scan that finds nothing, by what befell the last entry."""
