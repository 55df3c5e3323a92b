"""One round of delivery: how far it goes, and where the next one begins.

A position is an index in the queue of a level. A round reads the queue from its position to the end
of one file, or to the queue's end if that comes first. The outcome of a message decides whether the
round continues after it. The table of progress follows rounds that read messages; a round that
found none leaves it.
Source: ScheduleMessageService#start, DeliverDelayedMessageTimerTask#executeOnTimeup and #run of
4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from attrs import frozen

from reference.decisions.reading.decision import Case, choose_first

FIRST_DELAY_MS = 1_000
"""From the start to the first round of a level (``FIRST_DELAY_TIME``)."""
DELAY_FOR_A_WHILE_MS = 100
"""From a completed round to the next one."""
DELAY_FOR_A_PERIOD_MS = 10_000
"""From a failed round to the next one."""


@frozen
class DeliveryTask:
    """A planned round (``DeliverDelayedMessageTimerTask``)."""

    position: int
    delay_ms: int
    """From now to its beginning."""


@frozen
class DeliveryPosition:
    """A position, with its queue."""

    position: int
    queue_min: int
    queue_max: int
    """One past the last message."""


class Met(enum.Enum):
    """A round's outcome for one message."""

    NOT_DUE = "it still has to wait"
    GONE = "its log file is deleted, or its record cannot be read"
    COPIED = "its copy was put, and answered PUT_OK"
    REFUSED = "its copy was put, and answered otherwise"
    THROWN = "making or putting its copy threw an exception"


@frozen
class RoundMessages:
    """The messages that a round has read, in order."""

    position: int
    """Of the first one."""
    met: tuple[Met, ...]
    countdown_ms: int = 0
    """The remaining wait of the last one."""


@frozen
class Round:
    """How a round ends."""

    next: DeliveryTask
    progress: int | None
    """The new value in the table of progress; None: it is unchanged."""
    decided_by: str
    """Name of the condition that decided."""


def begin_delivery(progress: int | None) -> DeliveryTask:
    """The first round of a level after the start: at the table's progress, or at 0."""
    return DeliveryTask(progress or 0, FIRST_DELAY_MS)


def is_below_queue(look: DeliveryPosition) -> bool:
    """The messages before the queue's first one are gone; a negative position counts too."""
    return look.position < look.queue_min


def is_beyond_queue(look: DeliveryPosition) -> bool:
    """No message is there yet, perhaps because the queue has become shorter than the progress."""
    return look.position >= look.queue_max


EMPTY_LOOKS: tuple[Case[DeliveryPosition, int], ...] = (
    (is_below_queue, lambda look: look.queue_min),
    (is_beyond_queue, lambda look: look.position),
)
"""Where the next round begins if this one finds no message.

Only the next round: table and file keep the old progress until a round has read messages (B6-0139).
Progress beyond the end is not corrected at all.
"""


def look_at_queue(look: DeliveryPosition) -> Round | None:
    """The end of a round that finds no message; None: there are some."""
    decided = choose_first(EMPTY_LOOKS, look)
    if decided is None:
        return None
    return Round(DeliveryTask(decided.value, DELAY_FOR_A_WHILE_MS), None, decided.by)


def count_in_file(look: DeliveryPosition, file_entries: int) -> int:
    """The number of messages that a round reads: to the end of the file that holds its position."""
    file_end = (look.position // file_entries + 1) * file_entries
    return min(file_end, look.queue_max) - look.position


def is_stopped_by(met: Met) -> bool:
    """The round ends at this message, and the next one begins with it.

    All others are passed: silently those that are gone (B6-0144), and those whose copy threw, which
    are logged and dropped.
    """
    return met in (Met.NOT_DUE, Met.REFUSED)


def is_next_not_due(passed: RoundMessages) -> bool:
    """The last message read has to wait."""
    return passed.met[-1:] == (Met.NOT_DUE,)


def is_copy_refused(passed: RoundMessages) -> bool:
    """The store did not take the last copy, or did not answer PUT_OK."""
    return passed.met[-1:] == (Met.REFUSED,)


def is_file_passed(_passed: RoundMessages) -> bool:
    """All messages of the file were passed."""
    return True


def _get_last(passed: RoundMessages) -> int:
    return passed.position + len(passed.met) - 1


def _get_end(passed: RoundMessages) -> int:
    return passed.position + len(passed.met)


ENDS: tuple[Case[RoundMessages, DeliveryTask], ...] = (
    (is_next_not_due, lambda passed: DeliveryTask(_get_last(passed), passed.countdown_ms)),
    (is_copy_refused, lambda passed: DeliveryTask(_get_last(passed), DELAY_FOR_A_PERIOD_MS)),
    (is_file_passed, lambda passed: DeliveryTask(_get_end(passed), DELAY_FOR_A_WHILE_MS)),
)
"""How a round that has read messages ends."""


def end_round(passed: RoundMessages) -> Round:
    """The next round and the progress, both after the passed messages."""
    decided = choose_first(ENDS, passed)
    assert decided is not None  # The last condition always holds.
    return Round(decided.value, decided.value.position, decided.by)


def fail_round(task: DeliveryTask) -> Round:
    """Another exception was thrown: the same round is repeated later."""
    return Round(DeliveryTask(task.position, DELAY_FOR_A_PERIOD_MS), None, "fail_round")


def deliver_all(look: DeliveryPosition, met: Sequence[Met], file_entries: int) -> Round:
    """A whole round, given the outcome of each message in the queue.

    ``met`` begins at the queue's first message; the remaining wait is not given (0).
    """
    empty = look_at_queue(look)
    if empty is not None:
        return empty
    begin = look.position - look.queue_min
    seen: list[Met] = []
    for each in met[begin : begin + count_in_file(look, file_entries)]:
        seen.append(each)
        if is_stopped_by(each):
            break
    return end_round(RoundMessages(look.position, tuple(seen)))
