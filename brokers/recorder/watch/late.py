"""Lines that come too late to be put in order."""

from __future__ import annotations

from collections.abc import Iterator

from brokers.recorder.watch.alarms import ORDER_UNKNOWN, AlarmFacts
from brokers.recorder.watch.known import WatchedRecording

CALM_MS = 10_000.0
"""After so long without a late line the order is known again."""


def find_order_unknown(known: WatchedRecording) -> Iterator[AlarmFacts]:
    """Of whom lines came late, and how late the worst of them was."""
    for subject, late in known.late.items():
        if known.now_ms - late.latest_ms >= CALM_MS:
            late.worst_ms = 0.0
            yield AlarmFacts(ORDER_UNKNOWN, subject)
        else:
            text = (
                f"a line of {subject} came {late.worst_ms:.0f} ms after lines with later stamps: "
                "its order is not known, and no alarm rests on it"
            )
            yield AlarmFacts(ORDER_UNKNOWN, subject, text, late.latest_ms)
