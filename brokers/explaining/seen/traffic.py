"""What goes over a link: frames and reports, queued until somebody takes them.

A frame is sent by the master, noted on its way and taken by the slave; a report is made by the
slave, noted on its way and read by the master.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from attrs import define, evolve, field, frozen

from brokers.explaining.seen.moments import CUT_KINDS
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.kinds import START_KINDS, STOP_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.roles.places import EXCHANGE
from brokers.recordings.view import Displaced
from reference.language.compiled import State

FAILED = "service has exception."
"""How the log line of a thread ends that has met an exception."""


@frozen
class NotedFrame:
    """Bytes of a log that are noted on a link."""

    offset: int
    size_bytes: int
    t_ms: float


@frozen
class StalledTime:
    """A time in which the proxy of a link holds back what goes in one direction, or in both."""

    begin_ms: float
    end_ms: float
    kinds: frozenset[str]
    """The kinds of events that it holds back: ``ha_report``, ``ha_frame``."""


@frozen
class Traffic:
    """All that is noted of one link, by connection."""

    frames: Mapping[int, Sequence[NotedFrame]]
    """Without heartbeats."""
    reports: Mapping[int, Sequence[int]]
    begins: Mapping[int, int]
    """Where the first frame of a connection stands, with bytes or without."""
    ends_ms: Mapping[int, float]
    """When a connection was seen to have ended, by its end, a later one, or that of a broker."""
    noted_ends_ms: Mapping[int, float]
    """The same, by its own end, noted at one side or by a cut."""
    opens_ms: Sequence[float]
    """When the slave connected."""
    is_shown: bool
    """There is a proxy in the link, which notes connections."""
    are_bytes_shown: bool
    """It notes what goes over them."""
    stalls: Sequence[StalledTime]
    """When its proxy held something back."""
    failed_ms: Sequence[float]
    """When one of the two brokers has logged that a thread of this link has failed."""
    is_begun_by_exchange: bool
    """No slave runs at this place before a master of before does."""

    @classmethod
    def gather(cls, plan: Plan, slave: str) -> Traffic:
        """Of the link of one slave."""
        ahead, events = plan.links[plan.slaves.index(slave)], plan.recording.events
        link, nodes = LINK_PREFIX + slave, (plan.master, slave)
        own = [event for event in events if event.data.get("link") == link]
        frames: dict[int, list[NotedFrame]] = defaultdict(list)
        reports: dict[int, list[int]] = defaultdict(list)
        begins: dict[int, int] = {}
        for event in own:
            if event.kind == "ha_frame" and event["master_offset"] >= 0:
                begins.setdefault(event["conn"], event["master_offset"])
            if event.kind == "ha_frame" and event["body_bytes"]:
                frame = NotedFrame(event["master_offset"], event["body_bytes"], event.t_ms)
                frames[event["conn"]].append(frame)
            elif event.kind == "ha_report":
                reports[event["conn"]].append(event["slave_offset"])
        ends_ms, noted_ends_ms = gather_ends(events, link, nodes)
        is_shown = not ahead.is_connection_hidden
        return cls(
            frames,
            reports,
            begins,
            ends_ms,
            noted_ends_ms,
            [event.t_ms for event in own if event.kind == "ha_link_open"],
            is_shown,
            is_shown and not ahead.is_traffic_hidden,
            tuple(list_stalls(own)),
            [e.t_ms for e in events if is_failure(e) and e["node"] in nodes],
            is_begun_by_exchange(events, slave),
        )


def gather_ends(
    events: Iterable[Event], link: str, nodes: Collection[str]
) -> tuple[dict[int, float], dict[int, float]]:
    """When connections ended: by whatever shows it, and by their own ends alone."""
    ends_ms: dict[int, float] = {}
    noted_ms: dict[int, float] = {}
    present = 0
    for event in events:
        is_own = event.data.get("link") == link
        if is_own and event.kind in CUT_KINDS:
            connection = event.data.get("conn", present)
            ends_ms.setdefault(connection, event.t_ms)
            noted_ms.setdefault(connection, event.t_ms)
        elif is_own and event.kind == "ha_link_open":
            ends_ms.setdefault(present, event.t_ms)
            present = event["conn"]
        elif event.kind in STOP_KINDS and event["node"] in nodes:
            ends_ms.setdefault(present, event.t_ms)
    return ends_ms, noted_ms


def list_stalls(own: Iterable[Event]) -> Iterator[StalledTime]:
    """The times in which a link was stalled, each with the same directions throughout."""
    present: StalledTime | None = None
    for event in own:
        if event.kind not in ("link_stalled", "link_healed"):
            continue
        if present is not None:
            yield evolve(present, end_ms=event.t_ms)
        present = None
        if event.kind == "link_stalled":
            kinds = {"ha_report": "slave_to_master", "ha_frame": "master_to_slave"}
            held = frozenset(kind for kind, way in kinds.items() if event.data.get(way, True))
            present = StalledTime(event.t_ms, math.inf, held)
    if present is not None:
        yield present


def is_failure(event: Event) -> bool:
    """A thread of a connection has met an exception, and ends it (HAConnection, HAClient#run)."""
    return event.kind == "log" and str(event.data.get("msg", "")).endswith(FAILED)


def is_begun_by_exchange(events: Sequence[Event], slave: str) -> bool:
    """The first broker that is seen at a slave's place was the master before."""
    for event in events:
        if event.data.get(EXCHANGE) == slave:
            return True
        if event.kind in START_KINDS and event["node"] == slave:
            return False
    return False


@define(eq=False)
class LinkQueues:
    """One link, in its present connection."""

    slave: int
    traffic: Traffic = field(repr=False)
    connection: int = 0
    """Its number; 0 where there is none."""
    latest: int = 0
    """The number of the latest."""
    ends_seen: Mapping[int, int] = field(factory=dict)
    """By number: at how many sides the end of a connection was seen."""
    reported_before: int = 0
    """What the slave has reported last on the connection before; 0 in a new process."""
    is_open: bool = False
    sent: int = 0
    """Frames that the master has sent."""
    sent_ms: float = 0.0
    """Since when the first of them was to be sent that is not noted."""
    noted: int = 0
    """Those of them that were noted."""
    taken: int = 0
    """Those of these that the slave has taken."""
    seen: int = 0
    """Reports that were noted."""
    made: list[int] = field(factory=list)
    """Reports that the slave has made, and which were not noted."""
    made_ms: float = 0.0
    """When the first of these was made."""
    unread: list[int] = field(factory=list)
    """Reports that were noted, and which the master has not read."""
    last_report: int | None = None
    last_report_ms: float = -math.inf
    last_frame_ms: float | None = None
    """When the last frame was noted, a heartbeat or not; None before the first."""
    frame_least_ms: float = 0.0
    """When the last frame was sent at the earliest; before the first, when a report was noted."""
    frame_before_ms: float | None = None
    """When the one before that was noted."""
    has_crossed: bool = False
    """A report was repeated right behind a frame: the two had crossed."""
    refused_ms: float = -math.inf
    """When a connect of the slave was refused, the last time."""
    end_at_request: int = 0
    """Where the master's log was known to end when the first report was noted."""
    refused_frame_ms: float | None = None
    """When a master that is played has sent what the slave refuses; None for never."""
    cut_ms: float = -math.inf
    """When the proxy ended a connection, the last time."""
    last_end: int | None = None
    """Where the last frame with bytes ended."""
    changed_ms: float = 0.0
    """When the present connection began, or the last one ended."""
    are_reports_stalled: bool = False
    """The proxy holds back what the slave sends."""
    are_frames_stalled: bool = False
    """The proxy holds back what the master sends."""
    late_point: int = -1
    """Where the slave has yet to cut its log since its handshake; -1: nowhere."""
    before_connect: State | None = field(default=None, repr=False)
    """The state in which the slave connected."""
    held: list[NotedFrame] = field(factory=list)
    """Frames of a master that has ended, which may still come."""
    held_state: State | None = field(default=None, repr=False)
    """The state in which it ended."""
    displaced: Displaced | None = None
    """Bytes that the slave has stored at another offset than the master has them at."""
    stalled_ms: float = -math.inf
    healed_ms: float = -math.inf
    """When the proxy let pass what it had held back, the last time."""
    frames_healed_ms: float = -math.inf
    """The same of what the master sends."""

    @property
    def is_stalled(self) -> bool:
        """The proxy holds back one direction or both."""
        return self.are_reports_stalled or self.are_frames_stalled

    def count_ends(self, connection: int) -> int:
        """At how many sides the end of a connection was seen."""
        return self.ends_seen.get(connection, 0)

    def begin(self, connection: int, t_ms: float) -> None:
        """A connection begins, or with number 0 there is none."""
        self.connection, self.is_open, self.changed_ms = connection, connection > 0, t_ms
        self.latest = max(self.latest, connection)
        self.reported_before = self.last_report or self.reported_before
        self.sent = self.noted = self.taken = self.seen = 0
        self.made, self.unread, self.held = [], [], []
        self.last_report, self.last_report_ms = None, t_ms
        self.last_frame_ms = self.frame_before_ms = self.last_end = None
        self.has_crossed, self.refused_frame_ms, self.end_at_request = False, None, 0

    def end(self, t_ms: float) -> None:
        """A broker at one of its ends does not run any more; its proxy has not seen that yet."""
        if self.is_open:
            self.changed_ms = t_ms
        self.made, self.unread, self.is_open = [], [], False

    def make_report(self, offset: int, t_ms: float) -> None:
        """The slave makes a report."""
        if not self.made:
            self.made_ms = t_ms
        self.made.append(offset)

    def note_made(self, t_ms: float) -> None:
        """The first of the reports that were made is noted."""
        del self.made[0]
        self.made_ms = t_ms

    def recover(self, end: int) -> None:
        """The slave runs anew with a log up to here."""
        self.refused_ms = -math.inf
        left = None if self.displaced is None else self.displaced.cut(end)
        self.displaced = None if left is None else evolve(left, is_recovered=True)

    def find_next_sent(self) -> NotedFrame | None:
        """The next frame that the master sends; None if no more is noted."""
        return next(self.list_left_frames(), None)

    def list_left_frames(self) -> Iterator[NotedFrame]:
        """The frames of this connection that the master has still to send."""
        frames = self.traffic.frames.get(self.connection, ())
        return (frames[number] for number in range(self.sent, len(frames)))

    def find_next_taken(self) -> NotedFrame | None:
        """The next frame that the slave takes; None if none is on its way."""
        if self.taken >= self.noted:
            return None
        return self.traffic.frames[self.connection][self.taken]

    def list_left_reports(self) -> Sequence[int]:
        """The reports of this connection that are still to be noted."""
        return self.traffic.reports.get(self.connection, ())[self.seen :]

    def ends_before(self, t_ms: float) -> bool:
        """This connection is seen to end before a moment."""
        return self.traffic.ends_ms.get(self.connection, math.inf) < t_ms

    def copy(self) -> LinkQueues:
        """The same, over which other things may go."""
        return evolve(self, made=list(self.made), unread=list(self.unread), held=list(self.held))
