"""A push consumer's reaction to the answer of a pull, on numbers or on the terms of a proof.

Source: MQClientAPIImpl#processPullResponse, PullAPIWrapper#processPullResult and the callback in
DefaultMQPushConsumerImpl#pullMessage of the 4.4.0 client.
"""

from __future__ import annotations

from attrs import evolve, frozen

from reference.decisions.progress.client_offsets import NOT_STORED
from reference.decisions.reading.pull import ResponseCode
from reference.language.operators import any_of, choose, maximum, negate

DECODED_CODES = (
    ResponseCode.SUCCESS,
    ResponseCode.PULL_NOT_FOUND,
    ResponseCode.PULL_RETRY_IMMEDIATELY,
    ResponseCode.PULL_OFFSET_MOVED,
)
"""The codes that the client decodes; any other one is an exception there."""


@frozen
class ReadPosition:
    """A consumer's position in a queue that it reads: numbers, or terms."""

    next_offset: int
    """Start of its next pull (``PullRequest#nextOffset``)."""
    progress: int
    """Its progress in memory; -1: none."""
    suggested_id: int
    """The queue's entry in ``pullFromWhichNodeTable``."""
    is_cache_empty: bool
    """Every message that it has received is done."""


@frozen
class PullResponse:
    """An answer to a pull whose header has all its numbers: numbers, or terms."""

    code: int
    next_begin_offset: int = 0
    suggested_id: int = 0
    is_message_left: bool = False
    """After the client's own tag filter."""


def is_decoded(answered: PullResponse) -> bool:
    """The client can read the answer, so suggestion and next offset count (R-CC-05)."""
    return any_of(*(answered.code == code for code in DECODED_CODES))


def is_message_kept(answered: PullResponse) -> bool:
    """FOUND, and a message is left: it is cached."""
    return (answered.code == ResponseCode.SUCCESS) & answered.is_message_left


def is_no_message_kept(answered: PullResponse) -> bool:
    """FOUND, and no message is left: cache and progress stay as they were (B3-03239)."""
    return (answered.code == ResponseCode.SUCCESS) & negate(answered.is_message_left)


def is_nothing_for_it(answered: PullResponse) -> bool:
    """No new message, or none that matches."""
    is_nothing_new = answered.code == ResponseCode.PULL_NOT_FOUND
    return is_nothing_new | (answered.code == ResponseCode.PULL_RETRY_IMMEDIATELY)


def is_offset_illegal(answered: PullResponse) -> bool:
    """The broker has corrected the offset: the queue is given up (R-CC-09)."""
    return answered.code == ResponseCode.PULL_OFFSET_MOVED


def is_progress_moved(standing: ReadPosition, answered: PullResponse) -> bool:
    """Progress follows the next offset if nothing is cached (#correctTagsOffset, R-CC-08)."""
    return is_nothing_for_it(answered) & standing.is_cache_empty


def move_on(progress: int, offset: int) -> int:
    """Progress after consumption, which only advances it (R-CC-11, #updateOffset)."""
    return maximum(progress, offset)


def meet(standing: ReadPosition, answered: PullResponse) -> ReadPosition:
    """The consumer after an answer, without the messages that it caches."""
    begin, is_read = answered.next_begin_offset, is_decoded(answered)
    moved = choose(is_progress_moved(standing, answered), begin, NOT_STORED)
    return evolve(
        standing,
        next_offset=choose(is_read, begin, standing.next_offset),
        progress=move_on(standing.progress, moved),
        suggested_id=choose(is_read, answered.suggested_id, standing.suggested_id),
    )
