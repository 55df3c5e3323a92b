"""A consumer's own progress: what it keeps, what it sends, and where it begins to read.

Source: RemoteBrokerOffsetStore and RebalancePushImpl of the 4.4.0 client. Which broker it speaks to
is `reference.decisions.reading.client.choose_offset_store`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from attrs import evolve, field, frozen

from reference.decisions.progress.offset_table import QueryAnswer
from reference.decisions.reading.decision import Case, Decided, choose_first

NOT_STORED = -1
"""The broker has answered that it knows no progress."""
NOT_READABLE = -2
"""No answer."""
RETRY_TOPIC_PREFIX = "%RETRY%"
"""How the topic begins that takes a group's failed messages."""


class ConsumeFromWhere(enum.Enum):
    """``ConsumeFromWhere``: where a group begins that has no progress."""

    LAST_OFFSET = "CONSUME_FROM_LAST_OFFSET"
    FIRST_OFFSET = "CONSUME_FROM_FIRST_OFFSET"
    TIMESTAMP = "CONSUME_FROM_TIMESTAMP"


@frozen
class ClientOffsets:
    """One consumer's progress in memory, by queue."""

    offsets: Mapping[int, int] = field(factory=dict)

    def update(self, queue: int, offset: int, *, is_increase_only: bool) -> ClientOffsets:
        """Consumption only moves it on; a correction sets it (R-CC-11)."""
        known = self.offsets.get(queue)
        new = max(known, offset) if is_increase_only and known is not None else offset
        return evolve(self, offsets={**self.offsets, queue: new})

    def keep(self, assigned: frozenset[int]) -> ClientOffsets:
        """What is left after progress was sent: the queues that are still its own (R-CC-12)."""
        kept = {queue: offset for queue, offset in self.offsets.items() if queue in assigned}
        return evolve(self, offsets=kept)

    def list_commits(self, assigned: frozenset[int]) -> tuple[tuple[int, int], ...]:
        """What is sent every five seconds, changed or not: queue and offset (R-CC-12)."""
        return tuple(item for item in self.offsets.items() if item[0] in assigned)


def compute_consumed(unprocessed: frozenset[int], highest_seen: int) -> int:
    """Progress of concurrent consumption (R-CC-11, ProcessQueue#removeMessage).

    The lowest message that is not done, so nothing before it is missed; else one past all.
    """
    return min(unprocessed, default=highest_seen + 1)


def read_stored(answer: QueryAnswer | None) -> int:
    """What the client makes of a broker's answer (R-CC-14); None: there was none.

    Every answer without an offset counts as no progress, whatever its code.
    """
    if answer is None:
        return NOT_READABLE
    return NOT_STORED if answer.offset is None else answer.offset


@frozen
class Beginning:
    """What a consumer knows when a queue is assigned to it."""

    stored: int
    """Stored progress, NOT_STORED or NOT_READABLE."""
    strategy: ConsumeFromWhere = ConsumeFromWhere.LAST_OFFSET
    is_retry_topic: bool = False
    master_max_offset: int | None = None
    """The queue's end; None when no master answers, for nobody else is asked."""
    master_time_offset: int | None = None
    """The first message from the configured time on; None when no master answers."""


def is_progress_stored(beginning: Beginning) -> bool:
    """The broker has progress."""
    return beginning.stored >= 0


def is_store_unreadable(beginning: Beginning) -> bool:
    """The broker gave no answer: it is not known whether there is progress."""
    return beginning.stored != NOT_STORED


def is_first_wanted(beginning: Beginning) -> bool:
    """A new group is to read everything."""
    return beginning.strategy is ConsumeFromWhere.FIRST_OFFSET


def is_retry_from_last(beginning: Beginning) -> bool:
    """No failed message of the group is to be missed."""
    return beginning.strategy is ConsumeFromWhere.LAST_OFFSET and beginning.is_retry_topic


def is_end_wanted(beginning: Beginning) -> bool:
    """A new group is to skip what is there; so does a retry topic with a time."""
    return beginning.strategy is ConsumeFromWhere.LAST_OFFSET or beginning.is_retry_topic


def is_time_wanted(beginning: Beginning) -> bool:
    """A new group is to begin at a time."""
    return beginning.strategy is ConsumeFromWhere.TIMESTAMP


BEGINNINGS: tuple[Case[Beginning, int | None], ...] = (
    (is_progress_stored, lambda beginning: beginning.stored),
    (is_store_unreadable, lambda _: None),
    (is_first_wanted, lambda _: 0),
    (is_retry_from_last, lambda _: 0),
    (is_end_wanted, lambda beginning: beginning.master_max_offset),
    (is_time_wanted, lambda beginning: beginning.master_time_offset),
)
"""Where reading begins, in the order of the code; None: the queue is not taken (R-CC-15)."""


def compute_pull_from_where(beginning: Beginning) -> Decided[int | None]:
    """Where a consumer begins to read a queue (RebalancePushImpl#computePullFromWhere).

    None: it does not, and tries again at its next rebalance.
    """
    decided = choose_first(BEGINNINGS, beginning)
    assert decided is not None  # One of the last three always holds.
    return decided
