"""What a broker's store answers to a read: status, next offset, messages, suggestion.

Source: DefaultMessageStore#getMessage of 4.4.0.
"""

from __future__ import annotations

import enum

from attrs import frozen

from reference.decisions.reading.consume_queue import ENTRY_BYTES, ConsumeQueue, Entry
from reference.decisions.reading.decision import Case, choose_first
from reference.decisions.reading.settings import StoreSettings, is_further_back_than_memory

SCAN_BYTES_MIN = 16_000
"""At least so many bytes of a queue are looked at, if a filter takes none of its messages."""


class GetMessageStatus(enum.Enum):
    """``GetMessageStatus`` of 4.4.0, as far as it can occur there (R-GM-01)."""

    FOUND = "FOUND"
    NO_MATCHED_MESSAGE = "NO_MATCHED_MESSAGE"
    MESSAGE_WAS_REMOVING = "MESSAGE_WAS_REMOVING"
    OFFSET_FOUND_NULL = "OFFSET_FOUND_NULL"
    OFFSET_OVERFLOW_BADLY = "OFFSET_OVERFLOW_BADLY"
    OFFSET_OVERFLOW_ONE = "OFFSET_OVERFLOW_ONE"
    OFFSET_TOO_SMALL = "OFFSET_TOO_SMALL"
    NO_MESSAGE_IN_QUEUE = "NO_MESSAGE_IN_QUEUE"


Status = GetMessageStatus


@frozen
class Read:
    """One call of getMessage, and the state that it finds."""

    settings: StoreSettings
    queue: ConsumeQueue
    offset: int
    """Queue offset asked for."""
    max_messages: int
    """How many messages at most the caller wants."""
    log_max_offset: int
    """Max offset of the commit log, sampled before everything else (R-GM-01)."""
    log_min_offset: int = 0
    """Below it the commit log's files are gone."""
    filtered_out: frozenset[int] = frozenset()
    """Queue offsets whose messages the subscription's filter does not take."""


@frozen
class GetMessageResult:
    """What the store answers."""

    status: GetMessageStatus
    status_decided_by: str
    """Name of the condition that decided the status."""
    next_begin_offset: int
    """Queue offset that the reader shall ask for next."""
    min_offset: int
    max_offset: int
    """The ends of the queue."""
    message_count: int = 0
    size_bytes: int = 0
    """Of the messages found."""
    last_looked_at_offset: int | None = None
    """Physical offset of the last entry looked at (``maxPhyOffsetPulling``); None: not scanned."""
    ended_by: str = ""
    """Name of the condition that ended the scan."""
    is_slave_suggested: bool = False
    """``suggestPullingFromSlave``; false wherever nothing was scanned."""


def get_message(read: Read) -> GetMessageResult:
    """The answer to a read (R-GM-02): the first condition that holds decides the status."""
    decided = choose_first(UNSCANNED, read)
    if decided is None:
        return scan(read)
    status, corrected = decided.value
    return GetMessageResult(
        status=status,
        status_decided_by=decided.by,
        next_begin_offset=corrected if is_offset_corrected(read.settings) else read.offset,
        min_offset=read.queue.min_offset,
        max_offset=read.queue.max_offset,
    )


def is_offset_corrected(settings: StoreSettings) -> bool:
    """Not on a slave, unless it is told to (R-GM-03, DefaultMessageStore#nextOffsetCorrection)."""
    return not settings.is_slave or settings.is_offset_checked_in_slave


def is_queue_empty(read: Read) -> bool:
    """The queue never had a message, or nobody knows it."""
    return read.queue.max_offset == 0


def is_offset_too_small(read: Read) -> bool:
    """The messages asked for were deleted."""
    return read.offset < read.queue.min_offset


def is_offset_at_end(read: Read) -> bool:
    """The reader has read everything."""
    return read.offset == read.queue.max_offset


def is_offset_beyond_end(read: Read) -> bool:
    """The reader asks for what this broker does not have."""
    return read.offset > read.queue.max_offset


def is_queue_file_missing(read: Read) -> bool:
    """No file of the queue holds the entry asked for."""
    return not read.queue.list_from(read.offset)


def compute_reset(read: Read) -> int:
    """Where a reader beyond the end is sent: to 0 while the queue still begins there, else back.

    From 4.9.4 on it is always sent back to the end (V-18).
    """
    is_to_end = read.settings.is_reset_to_end or read.queue.min_offset > 0
    return read.queue.max_offset if is_to_end else 0


UNSCANNED: tuple[Case[Read, tuple[GetMessageStatus, int]], ...] = (
    (is_queue_empty, lambda read: (Status.NO_MESSAGE_IN_QUEUE, 0)),
    (is_offset_too_small, lambda read: (Status.OFFSET_TOO_SMALL, read.queue.min_offset)),
    (is_offset_at_end, lambda read: (Status.OFFSET_OVERFLOW_ONE, read.offset)),
    (is_offset_beyond_end, lambda read: (Status.OFFSET_OVERFLOW_BADLY, compute_reset(read))),
    (
        is_queue_file_missing,
        lambda read: (Status.OFFSET_FOUND_NULL, read.queue.compute_next_file(read.offset)),
    ),
)
"""The cases in which no entry is looked at, in the order of the code: status, corrected offset."""


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
class Scan:
    """What looking at one entry after another came to."""

    count: int
    size_bytes: int
    consumed: int
    """Entries that the reader has behind it."""
    last: int
    """Physical offset of the last entry looked at."""
    miss: str
    """What befell the last entry that was not taken, while nothing was found."""
    ended_by: str
    """Name of the condition that ended it."""


def scan(read: Read) -> GetMessageResult:
    """The answer from the entries ahead, of which there is at least one.

    The suggestion goes by the last entry looked at, which for a full batch is the one that did not
    go into it (R-GM-06).
    """
    gathered = gather(read)
    memory, is_found = read.settings.memory_bytes, is_message_found(gathered)
    return GetMessageResult(
        status=Status.FOUND if is_found else MISSES[gathered.miss],
        status_decided_by=is_message_found.__name__ if is_found else gathered.miss,
        next_begin_offset=read.offset + gathered.consumed,
        min_offset=read.queue.min_offset,
        max_offset=read.queue.max_offset,
        message_count=gathered.count,
        size_bytes=gathered.size_bytes,
        last_looked_at_offset=gathered.last,
        ended_by=gathered.ended_by,
        is_slave_suggested=is_further_back_than_memory(read.log_max_offset, gathered.last, memory),
    )


def gather(read: Read) -> Scan:
    """Entry by entry until the batch is full, or the queue's file or the patience ends (R-GM-04).

    Where a message is gone, all entries that point into the same file of the log are passed over.
    """
    settings, memory = read.settings, read.settings.memory_bytes
    entries = read.queue.list_from(read.offset)
    limit = compute_scan_limit(read)
    count = size = last = resume_at = 0
    miss = ""
    for used, entry in enumerate(entries[:limit]):
        last = entry.physical_offset
        if last < resume_at:
            continue
        is_in_disk = is_further_back_than_memory(read.log_max_offset, last, memory)
        full = find_full(read, count, size + entry.size_bytes, is_in_disk=is_in_disk)
        if full:
            return Scan(count, size, used, last, miss, full)
        refused = find_refusal(read, read.offset + used, entry)
        if not refused:
            count, size, resume_at = count + 1, size + entry.size_bytes, 0
        elif refused == is_message_removed.__name__:
            resume_at = (
                last - last % settings.commit_log_file_bytes + settings.commit_log_file_bytes
            )
        miss = refused if refused and not size else miss
    end = is_scan_limit_reached if is_scan_limit_reached(read) else is_queue_file_read
    return Scan(count, size, min(limit, len(entries)), last, miss, end.__name__)


def compute_scan_limit(read: Read) -> int:
    """How many entries are looked at, at the most."""
    return max(SCAN_BYTES_MIN, read.max_messages * ENTRY_BYTES) // ENTRY_BYTES


def is_scan_limit_reached(read: Read) -> bool:
    """There are more entries ahead in the file than are looked at in one call."""
    return compute_scan_limit(read) < len(read.queue.list_from(read.offset))


def is_queue_file_read(read: Read) -> bool:
    """All entries ahead in the file were looked at; the next file is left to the next call."""
    return not is_scan_limit_reached(read)


def is_message_found(gathered: Scan) -> bool:
    """The batch holds a message."""
    return gathered.count > 0


def find_refusal(read: Read, offset: int, entry: Entry) -> str:
    """The condition by which a message is not taken; empty: it is taken."""
    if is_filter_refusing(read, offset):
        return is_filter_refusing.__name__
    return is_message_removed.__name__ if is_message_removed(read, entry) else ""


def is_filter_refusing(read: Read, offset: int) -> bool:
    """The subscription does not ask for this message."""
    return offset in read.filtered_out


def is_message_removed(read: Read, entry: Entry) -> bool:
    """The commit log does not hold all of the message (CommitLog#getMessage)."""
    end = entry.physical_offset + entry.size_bytes
    return entry.physical_offset < read.log_min_offset or end > read.log_max_offset


MISSES = {
    is_filter_refusing.__name__: Status.NO_MATCHED_MESSAGE,
    is_message_removed.__name__: Status.MESSAGE_WAS_REMOVING,
}
"""The status of a scan that finds nothing, by what befell the last entry."""
