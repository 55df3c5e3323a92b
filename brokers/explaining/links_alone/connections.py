"""What the connections of a recording are going to show, and the order of late lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from attrs import frozen

from brokers.recordings.ahead.order import SENT_KINDS
from brokers.recordings.reading import Event


def put_in_order(events: Sequence[Event]) -> list[Event]:
    """What was still on its way when its connection had ended is before the next connection."""
    ordered: list[Event] = []
    openings: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        opened = openings[event.data.get("link", "")]
        if event.kind == "ha_link_open":
            opened.append(event)
        is_passing = event.kind in SENT_KINDS and bool(opened)
        if is_passing and opened[-1]["conn"] > event["conn"]:
            later = next(each for each in opened if each["conn"] > event["conn"])
            ordered.insert(ordered.index(later), event)
        else:
            ordered.append(event)
    return ordered


@frozen
class Connection:
    """What one connection is going to show."""

    reports: Sequence[int] = ()
    first_frame_offset: int | None = None
    """Where the transfer begins; None if nothing is sent."""
    has_bytes: bool = False
    """A frame has bytes of the log, which reached as far."""
    last_seq: int = -1
    """The last report or frame."""

    @property
    def first_report(self) -> int | None:
        """What the slave has when it connects; None if it never says."""
        return self.reports[0] if self.reports else None


def read_connections(events: Sequence[Event]) -> dict[tuple[str, int], Connection]:
    """The connections of all links, by link and number."""
    grouped: dict[tuple[str, int], list[Event]] = defaultdict(list)
    for event in events:
        if event.kind in SENT_KINDS:
            grouped[event["link"], event["conn"]].append(event)
    return {
        key: Connection(
            [e["slave_offset"] for e in shown if e.kind == "ha_report"],
            next((e["master_offset"] for e in shown if e.kind == "ha_frame"), None),
            any(e.kind == "ha_frame" and e["body_bytes"] > 0 for e in shown),
            shown[-1].seq,
        )
        for key, shown in grouped.items()
    }
