"""When a whole broker may write messages of its own, which no event tells of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.clock import JITTER_MS, SLACK_MS
from brokers.recordings.kinds import START_KINDS
from brokers.recordings.reading import Event
from reference.configuration.keys import KEYS
from reference.decisions.delay.delivery import DELAY_FOR_A_PERIOD_MS, FIRST_DELAY_MS
from reference.decisions.delay.levels import compute_level, is_delayed, parse_delay_levels

LATEST_MS = DELAY_FOR_A_PERIOD_MS + SLACK_MS
"""So long after it is due a delayed message is delivered at the latest: a round that has failed is
followed by another one (``ScheduleMessageService$DeliverDelayedMessageTimerTask``)."""


@frozen
class Window:
    """A time in which a broker may write."""

    begin_ms: float
    end_ms: float

    def meets(self, after_ms: float, until_ms: float) -> bool:
        """Some of it lies after the first moment and not after the second."""
        return self.begin_ms <= until_ms and self.end_ms > after_ms


def list_own_writes(
    events: Sequence[Event], master: str, node: Mapping[str, Any]
) -> tuple[Window, ...]:
    """When a whole master may write, in no order: corrections of consumers, delayed messages."""
    own = [event for event in events if event.data.get("node") == master]
    return (*_list_corrections(own), *_list_deliveries(own, read_delays(node)))


def mark_own_writes(
    puts: Sequence[RecordedPut], windows: Sequence[Window]
) -> tuple[RecordedPut, ...]:
    """The puts with a mark on those before which messages of the broker's own may lie."""
    return tuple(
        evolve(put, is_behind_gap=put.is_behind_gap or has_own_before(before, put, windows))
        for before, put in zip((None, *puts), puts, strict=False)
    )


def has_own_before(before: RecordedPut | None, put: RecordedPut, windows: Sequence[Window]) -> bool:
    """There is room before a put, and the broker may have written since the put before it."""
    end, since_ms = (0, 0.0) if before is None else (before.end_offset, before.begin_ms)
    has_room = end < put.start_offset
    return has_room and any(each.meets(since_ms, put.end_ms) for each in windows)


def _list_corrections(own: Iterable[Event]) -> Iterator[Window]:
    """It writes down that it has corrected a consumer (R-PM-05)."""
    for event in own:
        if event.kind == "pull_message" and event.data.get("response") == "PULL_OFFSET_MOVED":
            yield Window(event.t_ms, event.t_ms)


def _list_deliveries(own: Iterable[Event], delays_ms: Sequence[int]) -> Iterator[Window]:
    """It delivers what was delayed once it is due, and after a start perhaps once more."""
    is_any = False
    for event in own:
        level = compute_level(event.data.get("delay_level") or 0, delays_ms)
        if event.kind == "put" and is_delayed(level):
            is_any, delay_ms = True, delays_ms[level - 1]
            yield Window(
                event["t_begin_ms"] + delay_ms - JITTER_MS, event.t_ms + delay_ms + LATEST_MS
            )
        if event.kind in START_KINDS and is_any:
            yield Window(event.t_ms, event.t_ms + FIRST_DELAY_MS + LATEST_MS)


def read_delays(node: Mapping[str, Any]) -> Sequence[int]:
    """``messageDelayLevel`` of a broker: the wait of each level (ms), level 1 first."""
    settings = {**node.get("broker_config", {}), **node.get("store_config", {})}
    name = "messageDelayLevel"
    return parse_delay_levels(str(settings.get(name, KEYS[name].default))) or ()
