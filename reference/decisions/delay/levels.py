"""Delay levels: their names, how long they wait, and when a message of one is due.

Source: ScheduleMessageService#parseDelayLevel, #computeDeliverTimestamp,
DeliverDelayedMessageTimerTask#correctDeliverTimestamp and CommitLog#putMessage of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reference.store import java
from reference.store.java import JavaError
from reference.store.records import DELAYS_MS, HOUR_MS, MINUTE_MS, SECOND_MS

UNITS_MS: Mapping[str, int] = {"s": SECOND_MS, "m": MINUTE_MS, "h": HOUR_MS, "d": 24 * HOUR_MS}
"""The last letter of a level in ``messageDelayLevel``."""


def parse_delay_levels(text: str) -> tuple[int, ...] | None:
    """The wait of each level (ms), level 1 first; None: the broker does not start."""
    delays = []
    for word in java.split(text, " "):
        unit_ms = UNITS_MS.get(word[-1:])
        try:
            number = java.parse_integer(word[:-1], java.LONG_BITS)
        except JavaError:
            return None
        if unit_ms is None:
            return None
        delays.append(unit_ms * number)
    return tuple(delays)


def is_delayed(level: int) -> bool:
    """The message waits in a queue of its own."""
    return level > 0


def compute_level(level: int, delays_ms: Sequence[int] = DELAYS_MS) -> int:
    """The level that a delayed message gets: at most the last one."""
    return min(level, len(delays_ms))


def compute_queue_id(level: int) -> int:
    """The queue of SCHEDULE_TOPIC_XXXX in which a level waits."""
    return level - 1


def compute_countdown_ms(due_ms: int, now_ms: int, delay_ms: int) -> int:
    """The remaining wait of a message; 0 or less: it is due.

    One that would be due later than its level allows is due immediately: the level was shortened,
    or the clock was set back.
    """
    return 0 if due_ms > now_ms + delay_ms else due_ms - now_ms
