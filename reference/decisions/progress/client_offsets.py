"""A broker's answer about progress, and where a consumer begins to read.

Source: RemoteBrokerOffsetStore#readOffset and RebalancePushImpl of the 4.4.0 client. The broker
that it queries is `reference.decisions.reading.client.find_offset_store`; what it keeps and sends
is in `reference.decisions.clients.offset_store`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen

from reference.decisions.progress.offset_table import QueryAnswer
from reference.decisions.reading.decision import Case, Decided, choose_first, compute_first
from reference.decisions.reading.pull import ResponseCode
from reference.language.operators import negate

NOT_STORED = -1
"""The broker has answered that it knows no progress."""
NOT_READABLE = -2
"""No answer, or one that cannot be read."""
NOT_TAKEN = -1
"""Beginning of a queue that is not taken; also returned if the master does not answer."""
RETRY_TOPIC_PREFIX = "%RETRY%"
"""Prefix of the topic that takes a group's failed messages."""


class ConsumeFromWhere(enum.Enum):
    """``ConsumeFromWhere``: where a group without progress begins."""

    LAST_OFFSET = "CONSUME_FROM_LAST_OFFSET"
    FIRST_OFFSET = "CONSUME_FROM_FIRST_OFFSET"
    TIMESTAMP = "CONSUME_FROM_TIMESTAMP"


OUTDATED_STRATEGIES: Mapping[str, ConsumeFromWhere] = {
    "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST": ConsumeFromWhere.LAST_OFFSET,
    "CONSUME_FROM_MIN_OFFSET": ConsumeFromWhere.LAST_OFFSET,
    "CONSUME_FROM_MAX_OFFSET": ConsumeFromWhere.LAST_OFFSET,
}
"""Deprecated values, and how 4.4.0 treats each of them; MIN does not begin at the minimum."""


def read_strategy(name: str) -> ConsumeFromWhere:
    """The strategy for a value of ``consumeFromWhere``.

    Raises:
        ValueError: 4.4.0 has no such value.
    """
    return OUTDATED_STRATEGIES.get(name) or ConsumeFromWhere(name)


@frozen
class OffsetReply:
    """A broker's answer to a query for an offset."""

    code: int
    offset: int | None = None
    """None if the answer has none."""


Reply: TypeAlias = OffsetReply | QueryAnswer | None
"""The answer; None: there is none."""


def is_unanswered(reply: Reply) -> bool:
    """The broker has no address, the request was not sent, or no answer came in time."""
    return reply is None


def is_refused(reply: Reply) -> bool:
    """Any code but 0: an error counts as no progress too (R-CC-14)."""
    return reply is not None and reply.code != ResponseCode.SUCCESS


def is_offset_missing(reply: Reply) -> bool:
    """Success without an offset cannot be read (B3-00548)."""
    return reply is not None and reply.offset is None


def is_offset_told(reply: Reply) -> bool:
    """Success with an offset."""
    return reply is not None and reply.offset is not None


def _get_offset(reply: Reply) -> int:
    assert reply is not None
    assert reply.offset is not None
    return reply.offset


STORED: tuple[Case[Reply, int], ...] = (
    (is_unanswered, lambda _: NOT_READABLE),
    (is_refused, lambda _: NOT_STORED),
    (is_offset_missing, lambda _: NOT_READABLE),
    (is_offset_told, _get_offset),
)
"""A consumer's reading of the answer to its query for progress (R-CC-14)."""


def read_stored(reply: Reply) -> int:
    """The client's reading of a broker's answer (RemoteBrokerOffsetStore#readOffset).

    An offset of -1 cannot be distinguished from NOT_STORED.
    """
    decided = choose_first(STORED, reply)
    assert decided is not None  # No answer, an error code, or code 0 with or without an offset.
    return decided.value


def read_told(reply: Reply) -> int | None:
    """A master's answer about the queue's end, or about a time; None: anything but an offset.

    Source: MQAdminImpl#maxOffset, #searchOffset.
    """
    decided = choose_first(STORED, reply)
    return decided.value if decided and decided.by == is_offset_told.__name__ else None


def read_place(reply: Reply) -> int:
    """A master's answer as a place to begin at; NOT_TAKEN for anything but an offset."""
    told = read_told(reply)
    return NOT_TAKEN if told is None else told


@frozen
class Beginning:
    """A consumer's knowledge when a queue is assigned to it."""

    stored: int
    """Stored progress, NOT_STORED or NOT_READABLE."""
    strategy: ConsumeFromWhere = ConsumeFromWhere.LAST_OFFSET
    is_retry_topic: bool = False
    master_max_offset: int = NOT_TAKEN
    """The queue's end; NOT_TAKEN if no master answers, since only masters are asked."""
    master_time_offset: int = NOT_TAKEN
    """The first message from the configured time on; NOT_TAKEN if no master answers."""


def is_progress_stored(beginning: Beginning) -> bool:
    """The broker has progress."""
    return beginning.stored >= 0


def is_store_unreadable(beginning: Beginning) -> bool:
    """The broker gave no answer: it is not known whether there is progress."""
    return negate(beginning.stored == NOT_STORED)


def is_first_wanted(beginning: Beginning) -> bool:
    """A new group is to read everything."""
    return beginning.strategy is ConsumeFromWhere.FIRST_OFFSET


def is_retry_from_last(beginning: Beginning) -> bool:
    """No failed message of the group is to be missed."""
    return beginning.strategy is ConsumeFromWhere.LAST_OFFSET and beginning.is_retry_topic


def is_end_wanted(beginning: Beginning) -> bool:
    """A new group is to skip existing messages; so does a retry topic with a time."""
    return beginning.strategy is ConsumeFromWhere.LAST_OFFSET or beginning.is_retry_topic


def is_time_wanted(beginning: Beginning) -> bool:
    """A new group is to begin at a time."""
    return beginning.strategy is ConsumeFromWhere.TIMESTAMP


BEGINNINGS: tuple[Case[Beginning, int], ...] = (
    (is_progress_stored, lambda beginning: beginning.stored),
    (is_store_unreadable, lambda _: NOT_TAKEN),
    (is_first_wanted, lambda _: 0),
    (is_retry_from_last, lambda _: 0),
    (is_end_wanted, lambda beginning: beginning.master_max_offset),
    (is_time_wanted, lambda beginning: beginning.master_time_offset),
)
"""Where reading begins, in the order of the code (R-CC-15)."""


def compute_begin(beginning: Beginning) -> int:
    """Where reading begins, or NOT_TAKEN; offsets are numbers or terms."""
    return compute_first(BEGINNINGS, beginning)


def compute_pull_from_where(beginning: Beginning) -> Decided[int | None]:
    """Where a consumer begins to read a queue (RebalancePushImpl#computePullFromWhere).

    None: it does not begin, and tries again at its next rebalance.
    """
    decided = choose_first(BEGINNINGS, beginning)
    assert decided is not None  # One of the last three always holds.
    value = None if decided.value == NOT_TAKEN else decided.value
    return Decided(value, decided.by)
