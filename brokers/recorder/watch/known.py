"""What the lines so far show of brokers and links, within bounds of memory."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from attrs import define, field

from brokers.recorder.line import Line
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.kinds import BROKER_KINDS, END_KINDS, START_KINDS, TOLD_KINDS
from brokers.recordings.settings import read_settings
from reference.configuration.later_keys import compute_mode
from reference.releases.releases import CONTROLLER, QUORUM, is_since
from reference.releases.versions import Version, VersionError, parse_version
from reference.roles import Role

FRAMES_MAX = 20_000
"""Frames of a link that are remembered: at a thousand a second more than any wait lasts."""
BOUNDARIES_MAX = 4096
"""Ends of records of the master's log that are remembered."""

LOOKS = {"broker_status", *BROKER_KINDS, *TOLD_KINDS, "set_sss"}
"""Kinds that show the ends of a log."""
GONE = {*END_KINDS, "store_surgery", "store_wiped", "node_stop_clean"}
"""Kinds after which nothing is known of a log's end."""


class LogEnds(NamedTuple):
    """The ends of a log, as one line shows them."""

    from_ms: float
    """The earliest moment of which it may tell."""
    at_ms: float
    end: int
    begin: int
    dispatched: int
    confirmed: int | None
    """The confirm offset, where it is shown."""


def read_look(line: Line) -> LogEnds:
    """A line of one of the kinds LOOKS."""
    fields = line.fields
    end = fields["max_offset"]
    from_ms = fields.get("begin_wall_ms", line.wall_ms)
    behind = fields.get("dispatch_behind_bytes")
    dispatched = fields["dispatched_offset"] if behind is None else end - behind
    begin, confirmed = fields["min_offset"], fields.get("confirm_offset")
    return LogEnds(from_ms - JITTER_MS, line.wall_ms, end, begin, dispatched, confirmed)


@define
class NodeFacts:
    """One broker."""

    role: str
    is_role_shown: bool = False
    """By a start, or by a controller."""
    look: LogEnds | None = None
    """The latest of this process."""
    end: int | None = None
    """The highest end of its log in this process that was seen; of a slave also by reports."""
    end_ms: float = 0.0
    """When that was seen."""
    begun_ms: float = 0.0
    """Since when its process or its log is this one."""

    def forget(self, now_ms: float) -> None:
        """Its process or its log is another one now."""
        self.look, self.end, self.begun_ms = None, None, now_ms

    def raise_end(self, end: int, at_ms: float) -> None:
        """Its log was seen to reach so far."""
        if self.end is None or end > self.end:
            self.end, self.end_ms = end, at_ms


class SentFrame(NamedTuple):
    """A frame with a body."""

    at_ms: float
    begin: int
    end: int


@define
class Transfer:
    """One connection of a link."""

    first_report: int | None = None
    start: int | None = None
    """Offset of the first frame."""
    started_ms: float = 0.0
    """When that frame passed."""
    position: int | None = None
    """What is sent next, as far as frames and the first report show."""
    position_ms: float = 0.0
    outrun_ms: float | None = None
    """Since when that is seen to lie below the master's first file."""
    is_ordered: bool = True
    """None of its lines came late."""


@define
class LinkFacts:
    """One slave's link."""

    transfers: dict[int, Transfer] = field(factory=dict)
    """By number: connections that have not ended."""
    is_held: bool = False
    """The proxy holds something back."""
    frames: deque[SentFrame] = field(factory=lambda: deque(maxlen=FRAMES_MAX))
    forgotten_ms: float = -math.inf
    """Frames before this are not remembered."""
    opened: int = 0
    """How many connections there have been."""

    def send(self, sent: SentFrame) -> None:
        """Remember a frame."""
        if len(self.frames) == FRAMES_MAX:
            self.forgotten_ms = self.frames[0].at_ms
        self.frames.append(sent)


@define
class Lateness:
    """Lines of a node or a link that came late."""

    latest_ms: float
    """When one came the last time."""
    worst_ms: float
    """How late they were at most, since they began to."""


@define
class WatchedRecording:
    """A recording up to its latest line."""

    nodes: dict[str, NodeFacts] = field(factory=dict)
    links: dict[str, LinkFacts] = field(factory=dict)
    boundaries: deque[int] = field(factory=lambda: deque(maxlen=BOUNDARIES_MAX))
    """Where records of the master's log end, as puts and looks at it show; rising."""
    mode: str = ""
    """The mode that the master's settings choose."""
    is_set_waited_for: bool = True
    """A put of the master has to wait for a slave, unless it says otherwise."""
    is_several: bool = False
    """There are several masters: nobody knows to which of them a link belongs."""
    dispatches: dict[str, tuple[int, float]] = field(factory=dict)
    """By node: where a dispatch stands below a record that it could take, and since when."""
    late: dict[str, Lateness] = field(factory=dict)
    """By node or link."""
    now_ms: float = 0.0

    def describe(self, nodes: Mapping[str, Mapping[str, Any]], release: str) -> None:
        """Which brokers there are."""
        for name, node in nodes.items():
            facts = self.nodes.setdefault(name, NodeFacts(node["role"]))
            if not facts.is_role_shown:
                facts.role = node["role"]
        masters = [node for node in nodes.values() if node["role"] != Role.SLAVE.name]
        self.is_several = len(masters) > 1
        version = find_version(release)
        if masters:
            self.mode = compute_mode(read_settings(masters[0]), version)
        is_later = is_since(version.release, "5.0.0")
        self.is_set_waited_for = not is_later or self.mode in (QUORUM, CONTROLLER)

    @property
    def is_controlled(self) -> bool:
        """A controller elects the master, and logs may be truncated."""
        return self.mode == CONTROLLER

    def find_master(self) -> tuple[str, NodeFacts] | None:
        """The one master, if there is one."""
        masters = [(n, node) for n, node in self.nodes.items() if node.role != Role.SLAVE.name]
        return masters[0] if len(masters) == 1 else None

    def get_slave(self, link: str) -> NodeFacts | None:
        """The slave of a link."""
        return self.nodes.get(link.removeprefix(LINK_PREFIX))

    def see(self, line: Line) -> None:
        """One more line."""
        self.now_ms = max(self.now_ms, line.wall_ms)
        if line.late_ms:
            self._see_late(line)
        if "link" in line.fields:
            link = self.links.setdefault(line.fields["link"], LinkFacts())
            self._see_link(line, link)
            if line.late_ms:
                self._forget_order(line, link)
        node = self.nodes.get(line.fields.get("node", ""))
        if node is not None:
            self._see_node(line, node)

    def _see_late(self, line: Line) -> None:
        subject = line.fields.get("link", line.fields.get("node", ""))
        if "link" in line.fields or subject in self.nodes:
            late = self.late.setdefault(subject, Lateness(line.wall_ms, 0.0))
            late.latest_ms, late.worst_ms = line.wall_ms, max(late.worst_ms, line.late_ms)

    def _forget_order(self, line: Line, link: LinkFacts) -> None:
        """What passed on a link is known, but not when."""
        link.forgotten_ms = max(link.forgotten_ms, line.wall_ms)
        self._forget_end(line.fields["link"])
        transfer = link.transfers.get(line.fields.get("conn", -1))
        if transfer is not None:
            transfer.is_ordered = False

    def _see_node(self, line: Line, node: NodeFacts) -> None:
        if line.kind in {*GONE, *START_KINDS, *TOLD_KINDS}:
            node.forget(line.wall_ms)
            self.dispatches.pop(line.fields["node"], None)
            if node.role != Role.SLAVE.name:
                self.boundaries.clear()
        if line.kind in {*START_KINDS, *TOLD_KINDS}:
            node.role = line.fields.get("role", node.role)
            node.is_role_shown = True
        if line.late_ms:
            return  # What it shows may have changed since.
        is_master = node.role != Role.SLAVE.name
        if line.kind in LOOKS:
            node.look = read_look(line)
            node.raise_end(node.look.end, line.wall_ms)
            if is_master:
                self.add_boundary(node.look.end)
        elif line.kind == "put" and is_master and "wrote_offset" in line.fields:
            self.add_boundary(line.fields["wrote_offset"] + line.fields["wrote_bytes"])

    def add_boundary(self, offset: int) -> None:
        """A record of the master ends here."""
        if not self.boundaries or offset > self.boundaries[-1]:
            self.boundaries.append(offset)

    def _see_link(self, line: Line, link: LinkFacts) -> None:
        kind, fields = line.kind, line.fields
        if kind == "ha_link_open":
            link.opened += 1
            link.transfers[fields["conn"]] = Transfer()
        elif kind == "ha_link_close":
            self._end(line, link, fields["conn"])
        elif kind in ("link_cut", "link_cut_mid_frame"):
            for conn in list(link.transfers):
                self._end(line, link, conn)
        elif kind in ("link_stalled", "link_healed"):
            link.is_held = kind == "link_stalled"
        elif kind == "ha_handshake_slave":
            self._forget_end(fields["link"])
        transfer = link.transfers.get(fields.get("conn", -1))
        if transfer is not None and kind == "ha_report":
            self._see_report(line, transfer)
        elif transfer is not None and kind == "ha_frame":
            see_frame(line, link, transfer)

    def _end(self, line: Line, link: LinkFacts, conn: int) -> None:
        """A connection has ended: what its slave does now is not seen, unless it shows itself."""
        link.transfers.pop(conn, None)
        self._forget_end(line.fields["link"])

    def _forget_end(self, link: str) -> None:
        slave = self.get_slave(link)
        if slave is not None:
            slave.end = None

    def _see_report(self, line: Line, transfer: Transfer) -> None:
        offset = line.fields["slave_offset"]
        slave = self.get_slave(line.fields["link"])
        if transfer.first_report is None:
            transfer.first_report = offset
            if transfer.position is None and offset:
                transfer.position, transfer.position_ms = offset, line.wall_ms
        if slave is not None:
            slave.raise_end(offset, line.wall_ms)


def see_frame(line: Line, link: LinkFacts, transfer: Transfer) -> None:
    """A frame has passed."""
    begin, size = line.fields["master_offset"], line.fields["body_bytes"]
    if transfer.start is None:
        transfer.start, transfer.started_ms = begin, line.wall_ms
    if begin >= 0 and transfer.position != begin + size:
        transfer.position, transfer.position_ms = begin + size, line.wall_ms
    if size:
        link.send(SentFrame(line.wall_ms, begin, begin + size))


def find_version(release: str) -> Version:
    """The version of a name; for one that nobody knows the rules of 4.4.0."""
    try:
        return parse_version(release)
    except VersionError:
        return Version()
