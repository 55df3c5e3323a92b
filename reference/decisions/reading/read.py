"""A read of a queue, and the possible statuses (DefaultMessageStore#getMessage)."""

from __future__ import annotations

import enum

from attrs import frozen

from reference.decisions.reading.consume_queue import ReadableQueue
from reference.decisions.reading.settings import StoreSettings


class GetMessageStatus(enum.IntEnum):
    """``GetMessageStatus`` of 4.4.0, as far as it can occur there (R-GM-01)."""

    FOUND = 0
    NO_MATCHED_MESSAGE = 1
    MESSAGE_WAS_REMOVING = 2
    OFFSET_FOUND_NULL = 3
    OFFSET_OVERFLOW_BADLY = 4
    OFFSET_OVERFLOW_ONE = 5
    OFFSET_TOO_SMALL = 6
    NO_MESSAGE_IN_QUEUE = 8


@frozen
class Read:
    """One call of getMessage, and the state that it finds."""

    settings: StoreSettings
    queue: ReadableQueue
    offset: int
    """Requested queue offset."""
    max_messages: int
    """The most messages that the caller wants."""
    log_max_offset: int
    """Max offset of the commit log, sampled before everything else (R-GM-01)."""
    log_min_offset: int = 0
    """Where the commit log's first file begins; earlier files are gone."""
    filtered_out: frozenset[int] = frozenset()
    """Queue offsets whose messages the subscription's filter rejects."""
