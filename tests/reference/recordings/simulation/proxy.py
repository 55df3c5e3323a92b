"""The proxy of a link: it forwards, notes, holds back and cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group

HEARTBEAT_SHARE = 0.5
"""How many of the heartbeats are noted: a recorder may leave out some."""


@define(eq=False)
class Connection:
    """One TCP connection from a slave through the proxy to the master."""

    link: Link
    number: int
    is_alive: bool = True
    is_cut: bool = False
    """The proxy forwards no frame any more, and closes it soon."""
    is_accepted: bool = False
    last_write_ms: float = 0.0
    """``HAConnection.WriteSocketService.lastWriteTimestamp``."""
    last_read_ms: float = 0.0
    """``HAConnection.ReadSocketService.lastReadTimestamp``."""
    is_writer_waiting: bool = False
    writer_turn: int = 0
    inbox: list[int] = field(factory=list)
    """Reports that have reached the master."""
    shown: dict[str, int] = field(factory=dict)
    """What the master knew of it when it ended: there is no step for it any more."""
    held_frames: list[tuple[int, int]] = field(factory=list)
    held_reports: list[int] = field(factory=list)
    free_ms: dict[str, float] = field(factory=dict)
    """By stretch of the way: when the last thing on it arrives."""


@define(eq=False)
class Link:
    """The link of one slave."""

    group: Group
    slave: int
    name: str
    count: int = 0
    connection: Connection | None = None
    are_frames_held: bool = False
    are_reports_held: bool = False
    is_cutting_frame: bool = False
    """The next frame with a body is cut."""

    def write(self, kind: str, **data: Any) -> None:
        """The proxy notes something."""
        self.group.write("proxy", kind, link=self.name, **data)

    def open(self) -> Connection:
        """A slave connects; the master accepts soon."""
        self.count += 1
        self.connection = connection = Connection(self, self.count)
        self.write("ha_link_open", conn=self.count)
        ha = self.group.ha
        self.group.kernel.after(ha.draw_accept_ms(), lambda: ha.accept(connection), connection)
        return connection

    def _delay(self, connection: Connection, stretch: str, kind: str) -> float:
        """How long something takes that cannot pass what was sent before it."""
        now_ms = self.group.kernel.now_ms
        there_ms = now_ms + self.group.kernel.draw_ms(kind)
        there_ms = max(there_ms, connection.free_ms.get(stretch, 0.0) + 0.002)
        connection.free_ms[stretch] = there_ms
        return there_ms - now_ms

    def send_frame(self, connection: Connection, offset: int, size: int) -> None:
        """The master has sent a frame."""
        delay_ms = self._delay(connection, "frame to proxy", "wire")
        self.group.kernel.after(
            delay_ms, lambda: self._pass_frame(connection, offset, size), connection
        )

    def _pass_frame(self, connection: Connection, offset: int, size: int) -> None:
        if connection.is_cut:
            return
        if self.are_frames_held or connection.held_frames:
            connection.held_frames.append((offset, size))
            return
        if size or self.group.kernel.chance.random() < HEARTBEAT_SHARE:
            self.write("ha_frame", conn=connection.number, master_offset=offset, body_bytes=size)
        if size and self.is_cutting_frame:
            self.is_cutting_frame = False
            self.cut("link_cut_mid_frame", conn=connection.number)
            return
        client = self.group.clients[self.slave]
        delay_ms = self._delay(connection, "frame to slave", "read")
        process = client.broker.process
        self.group.kernel.after(delay_ms, lambda: client.read(connection, offset, size), process)

    def send_report(self, connection: Connection, offset: int) -> None:
        """The slave has sent a report."""
        delay_ms = self._delay(connection, "report to proxy", "wire")
        self.group.kernel.after(delay_ms, lambda: self._pass_report(connection, offset), connection)

    def _pass_report(self, connection: Connection, offset: int) -> None:
        if self.are_reports_held or connection.held_reports:
            connection.held_reports.append(offset)
            return
        self.write("ha_report", conn=connection.number, slave_offset=offset)
        connection.inbox.append(offset)
        delay_ms = self._delay(connection, "report to master", "read")
        ha = self.group.ha
        process = self.group.master.process
        self.group.kernel.after(delay_ms, lambda: ha.read(connection), process)

    def stall(self, *, holds_frames: bool, holds_reports: bool) -> None:
        """The proxy holds back what is sent."""
        self.are_frames_held, self.are_reports_held = holds_frames, holds_reports
        self.write("link_stalled", slave_to_master=holds_reports, master_to_slave=holds_frames)

    def heal(self) -> None:
        """The proxy forwards again, first what has piled up."""
        self.are_frames_held = self.are_reports_held = False
        self.write("link_healed")
        connection = self.connection
        if connection is None:
            return
        frames, reports = connection.held_frames, connection.held_reports
        connection.held_frames, connection.held_reports = [], []
        for frame in frames:
            self._pass_frame(connection, *frame)
        for report in reports:
            self._pass_report(connection, report)

    def cut(self, kind: str, **data: Any) -> None:
        """The proxy closes both sides; what it has forwarded is still read."""
        connection = self.connection
        assert connection is not None
        self.write(kind, **data)
        connection.is_cut = True
        rule = f"cut_link[{self.slave}]"
        self.group.kernel.after("death", lambda: self.close(connection, "proxy", rule), connection)

    def close(self, connection: Connection, closed_by: str, rule: str = "") -> None:
        """A connection ends, by a step of this rule or by one that was taken before."""
        if not connection.is_alive:
            return
        is_over = bool(connection.shown)
        connection.shown = self.group.ha.describe(connection)
        if rule and connection.is_accepted and not is_over:
            self.group.kernel.fire(rule)
        connection.is_alive = False
        self.connection = None
        self.note_end(connection, closed_by)
        self.group.ha.lose(connection)
        self.group.clients[self.slave].lose(connection)

    def note_end_soon(self, connection: Connection, closed_by: str) -> None:
        """The end of a process ends its connections; the proxy notices within some ms."""
        delay_ms = self.group.kernel.chance.uniform(0.5, 10.0)
        self.group.kernel.after(delay_ms, lambda: self.note_end(connection, closed_by))

    def note_end(self, connection: Connection, closed_by: str) -> None:
        """The proxy notes that one side has ended, and mostly the other one too."""
        self.write("ha_link_close", conn=connection.number, closed_by=closed_by)
        if self.group.kernel.chance.random() < 0.7:
            self.write("ha_link_close", conn=connection.number, closed_by="reset")
