"""A store's answer to a read: status, next offset, messages, suggestion.

Before it reads any entry, the store compares numbers: the header of a read. The result of going
from entry to entry is in `reference.decisions.reading.scan`. Here the answer follows from both, for
numbers and for the terms of a proof alike.
Source: DefaultMessageStore#getMessage of 4.4.0.
"""

from __future__ import annotations

from attrs import evolve, frozen

from reference.decisions.reading.decision import Case, choose_first, compute_first
from reference.decisions.reading.read import GetMessageStatus, Read
from reference.decisions.reading.scan import NOT_SCANNED, Gathered, Scan, gather, is_message_found
from reference.decisions.reading.settings import StoreSettings, is_further_back_than_memory
from reference.language.operators import any_of, choose, negate

Status = GetMessageStatus


@frozen
class Header:
    """The values that the store compares before it reads any entry: numbers, or terms."""

    offset: int
    """Requested queue offset."""
    min_offset: int
    max_offset: int
    """The ends of the queue."""
    has_queue_file: bool
    """Some file of the queue holds the requested entry."""
    next_file_offset: int
    """The first queue offset of the file after the one of ``offset``."""
    is_offset_corrected: bool
    """A reader that requests a missing offset is redirected (`is_offset_corrected`)."""
    is_reset_to_end: bool = False
    """A reader beyond the end of a queue is always redirected to its end (V-18)."""


@frozen
class GetMessageOutcome:
    """The store's answer, as far as it decides where the reader continues: numbers, or terms."""

    status: int
    """A ``GetMessageStatus``."""
    next_begin_offset: int
    message_count: int
    is_slave_suggested: bool


@frozen
class GetMessageResult:
    """The store's answer, and the reasons."""

    status: GetMessageStatus
    status_decided_by: str
    """Name of the condition that decided the status."""
    next_begin_offset: int
    """Queue offset that the reader shall request next."""
    min_offset: int
    max_offset: int
    """The ends of the queue."""
    message_count: int = 0
    size_bytes: int = 0
    """Of the messages found."""
    last_looked_at_offset: int | None = None
    """Physical offset of the last entry read (``maxPhyOffsetPulling``); None: not scanned."""
    ended_by: str = ""
    """Name of the condition that ended the scan."""
    is_slave_suggested: bool = False
    """``suggestPullingFromSlave``; false if nothing was scanned."""
    queue_offsets: tuple[int, ...] = ()
    """Of the messages found."""
    has_another_message: bool = False
    """The message is gone, and the bytes with which the log begins now are returned instead."""


def is_offset_corrected(settings: StoreSettings) -> bool:
    """Not on a slave, unless configured (R-GM-03, DefaultMessageStore#nextOffsetCorrection)."""
    return negate(settings.is_slave) | settings.is_offset_checked_in_slave


def is_queue_empty(header: Header) -> bool:
    """The queue never had a message, or is unknown."""
    return header.max_offset == 0


def is_offset_too_small(header: Header) -> bool:
    """The requested messages were deleted."""
    return header.offset < header.min_offset


def is_offset_at_end(header: Header) -> bool:
    """The reader has read everything."""
    return header.offset == header.max_offset


def is_offset_beyond_end(header: Header) -> bool:
    """The reader requests an offset that this broker does not have."""
    return header.offset > header.max_offset


def is_queue_file_missing(header: Header) -> bool:
    """No file of the queue holds the requested entry."""
    return negate(header.has_queue_file)


def compute_reset(header: Header) -> int:
    """New offset of a reader beyond the end: 0 while the queue still begins there, else its end.

    From 4.9.4 on it is always the end (V-18).
    """
    is_to_end = header.is_reset_to_end | (header.min_offset > 0)
    return choose(is_to_end, header.max_offset, 0)


UNSCANNED: tuple[Case[Header, tuple[GetMessageStatus, int]], ...] = (
    (is_queue_empty, lambda header: (Status.NO_MESSAGE_IN_QUEUE, 0)),
    (is_offset_too_small, lambda header: (Status.OFFSET_TOO_SMALL, header.min_offset)),
    (is_offset_at_end, lambda header: (Status.OFFSET_OVERFLOW_ONE, header.offset)),
    (is_offset_beyond_end, lambda header: (Status.OFFSET_OVERFLOW_BADLY, compute_reset(header))),
    (is_queue_file_missing, lambda header: (Status.OFFSET_FOUND_NULL, header.next_file_offset)),
)
"""The cases in which no entry is read, in the order of the code: status, corrected offset."""


def is_scanned(header: Header) -> bool:
    """The store proceeds to the entries (R-GM-02)."""
    return negate(any_of(*(condition(header) for condition, _ in UNSCANNED)))


def _pick(index: int) -> tuple[Case[Header, int], ...]:
    """The statuses alone, or the corrected offsets."""

    def make(case: Case[Header, tuple[GetMessageStatus, int]]) -> Case[Header, int]:
        condition, compute = case
        return condition, lambda header: compute(header)[index]

    return tuple(map(make, UNSCANNED))


STATUSES, CORRECTIONS = _pick(0), _pick(1)


def find(header: Header, scan: Scan, log_max_offset: int, memory_bytes: int) -> GetMessageOutcome:
    """The answer of a store whose scan would find ``scan``: numbers and terms alike (R-GM-02).

    The suggestion depends on the last entry read, which for a full batch is the one that did not
    fit into it (R-GM-06).
    """
    is_looked = is_scanned(header)
    corrected = choose(
        header.is_offset_corrected, compute_first(CORRECTIONS, header), header.offset
    )
    looked = choose(is_message_found(scan), Status.FOUND, scan.miss_status)
    is_far = is_further_back_than_memory(log_max_offset, scan.last, memory_bytes)
    return GetMessageOutcome(
        status=choose(is_looked, looked, compute_first(STATUSES, header)),
        next_begin_offset=choose(is_looked, header.offset + scan.consumed, corrected),
        message_count=choose(is_looked, scan.count, 0),
        is_slave_suggested=is_looked & is_far,
    )


def make_header(read: Read) -> Header:
    """The numbers of a read."""
    queue = read.queue
    return Header(
        read.offset,
        queue.min_offset,
        queue.max_offset,
        has_queue_file=bool(queue.list_from(read.offset)),
        next_file_offset=queue.compute_next_file(read.offset),
        is_offset_corrected=is_offset_corrected(read.settings),
        is_reset_to_end=read.settings.is_reset_to_end,
    )


def get_message(read: Read) -> GetMessageResult:
    """The answer to a read, with the conditions that decided it."""
    header = make_header(read)
    decided = choose_first(UNSCANNED, header)
    gathered = None if decided else gather(read)
    scan = gathered.scan if gathered else NOT_SCANNED
    found = find(header, scan, read.log_max_offset, read.settings.memory_bytes)
    result = GetMessageResult(
        status=Status(found.status),
        status_decided_by=decided.by if decided else "",
        next_begin_offset=found.next_begin_offset,
        min_offset=header.min_offset,
        max_offset=header.max_offset,
        message_count=found.message_count,
        is_slave_suggested=found.is_slave_suggested,
    )
    return explain(result, gathered) if gathered else result


def explain(result: GetMessageResult, gathered: Gathered) -> GetMessageResult:
    """The answer of a scanned read, with the details that only the scan knows."""
    is_found = is_message_found(gathered.scan)
    return evolve(
        result,
        status_decided_by=is_message_found.__name__ if is_found else gathered.missed_by,
        size_bytes=gathered.size_bytes,
        last_looked_at_offset=gathered.scan.last,
        ended_by=gathered.ended_by,
        queue_offsets=gathered.taken,
        has_another_message=gathered.has_another_message,
    )
