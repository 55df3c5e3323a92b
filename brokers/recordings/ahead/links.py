"""What a recording tells in advance of one replication link, and of values that are seen later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from brokers.recordings.ahead.order import find_question_ms
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.kinds import BROKER_KINDS, END_KINDS, START_KINDS
from brokers.recordings.reading import Event

TURN_KINDS = frozenset({"node_stop_begin", "node_stop_clean", *START_KINDS, *END_KINDS})
"""Events that tell of the start, the stop or the end of a process."""


@frozen
class RecordedFrame:
    """One frame with a body, as the proxy of a link saw it."""

    t_ms: float
    """When."""
    start_offset: int
    """``master_offset``."""
    size_bytes: int
    """``body_bytes``."""

    @property
    def end_offset(self) -> int:
        """Where the next frame starts."""
        return self.start_offset + self.size_bytes


@frozen
class FutureValues:
    """Values that events will show, in the order of time.

    Looked at only where something else is lost for good, or where an order is left open.
    """

    times_ms: tuple[float, ...]
    values: tuple[int, ...]


@frozen
class LinkAhead:
    """What the recording tells of one slave's link."""

    frames: Mapping[int, tuple[RecordedFrame, ...]]
    """By connection: the frames with a body, in the order in which they were sent."""
    refusals_ms: tuple[float, ...]
    """When its proxy, to which the slave had connected, could not reach the master."""
    unconnected_ms: tuple[float, ...]
    """When the slave was seen without a connection."""
    slave_observations: FutureValues
    """Every max offset of the slave that an event shows."""
    turns: tuple[Event, ...]
    """What tells of the starts, stops and ends of the slave's processes."""
    is_traffic_hidden: bool
    """The recording shows neither frames nor reports: what came, the logs tell."""
    is_connection_hidden: bool
    """There is no proxy: the slave is connected directly."""
    reports: FutureValues
    """Every report on a connection that was not seen to end before: the master may read it."""
    begins: FutureValues
    """Where the slave's log is seen to begin, whenever it is seen to have a file."""
    files: FutureValues
    """How many files the slave's log is seen to have."""


def gather_link(events: Sequence[Event], slave: str) -> LinkAhead:
    """What the recording tells of one slave's link."""
    link = LINK_PREFIX + slave
    own = [event for event in events if event.data.get("link") == link]
    broker = [event for event in events if event.data.get("node") == slave]
    frames = _gather_frames(own)
    return LinkAhead(
        frames=frames,
        refusals_ms=tuple(event.t_ms for event in own if event.kind == "proxy_target_down"),
        unconnected_ms=tuple(e.t_ms for e in broker if e.data.get("ha_client_connected") is False),
        slave_observations=see_ends(broker, own),
        turns=tuple(event for event in broker if event.kind in TURN_KINDS),
        is_traffic_hidden=_is_traffic_hidden(events, broker),
        is_connection_hidden=not own,
        reports=_see_reports(own),
        begins=see_begins(broker),
        files=see_files(broker),
    )


def _is_traffic_hidden(events: Iterable[Event], broker: Iterable[Event]) -> bool:
    """Something has come on the link, for its ends tell so, but the recorder shows no traffic."""
    if any(event.kind in ("ha_frame", "ha_report") for event in events):
        return False
    has_log = any(event.kind in BROKER_KINDS and event["mapped_files"] for event in broker)
    names = ("push2_slave_max_offset", "push2_slave_after")
    return has_log or any(event.data.get(name, 0) for event in events for name in names)


def _gather_frames(events: Iterable[Event]) -> Mapping[int, tuple[RecordedFrame, ...]]:
    found: dict[int, list[RecordedFrame]] = defaultdict(list)
    for event in events:
        if event.kind == "ha_frame" and event["body_bytes"]:
            frame = RecordedFrame(event.t_ms, event["master_offset"], event["body_bytes"])
            found[event["conn"]].append(frame)
    return {connection: tuple(frames) for connection, frames in found.items()}


def _see_reports(events: Iterable[Event]) -> FutureValues:
    ended: set[int] = set()
    found: list[Event] = []
    for event in events:
        if event.kind == "ha_link_close":
            ended.add(event["conn"])
        if event.kind == "ha_report" and event["conn"] not in ended:
            found.append(event)
    return FutureValues(tuple(e.t_ms for e in found), tuple(e["slave_offset"] for e in found))


def see_ends(broker: Sequence[Event], link: Iterable[Event] = ()) -> FutureValues:
    """Where a broker's log is seen to end, by itself or by its reports."""
    kinds = {*BROKER_KINDS, *START_KINDS, "node_stop_clean"}
    found = [(event.t_ms, event["slave_offset"]) for event in link if event.kind == "ha_report"]
    found += [
        (event.t_ms, event["max_offset"])
        for event in broker
        if event.kind in kinds and "max_offset" in event.data
    ]
    if any(event.kind == "broker_started" for event in broker):
        scans = (event for event in broker if event.kind == "log_scan")
        found += [(event.t_ms, read_scan_end(event)) for event in scans]
    # The log goes on while the answer is under way: no earlier end is above that.
    statuses = (event for event in broker if event.kind == "broker_status")
    found += [(find_question_ms(event), event["max_offset"]) for event in statuses]
    found.sort()
    return FutureValues(tuple(t_ms for t_ms, _ in found), tuple(value for _, value in found))


def read_scan_end(scan: Event) -> int:
    """Where the records of a scan end; 0 where it has none, or one of no size."""
    records = [each for each in scan["entries"] if each["kind"] in ("msg", "blank")]
    size = records[-1].get("size") if records else None
    return int(records[-1]["offset"] + size) if isinstance(size, int) else 0


def see_begins(events: Iterable[Event]) -> FutureValues:
    """Where a broker's log is seen to begin."""
    seen = [each for each in events if each.kind in BROKER_KINDS and each["mapped_files"]]
    return FutureValues(tuple(e.t_ms for e in seen), tuple(e["min_offset"] for e in seen))


def see_files(broker: Iterable[Event]) -> FutureValues:
    """How many files a broker's log is seen to have."""
    seen = [each for each in broker if each.kind in BROKER_KINDS]
    return FutureValues(tuple(e.t_ms for e in seen), tuple(e["mapped_files"] for e in seen))
