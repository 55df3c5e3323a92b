"""The recorder on the way between a slave and its master: it notes, holds back and cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from reference.wire.replication import FrameHeaderReader, ReportReader
from tests.reference.broker.simulated.network import Wire

if TYPE_CHECKING:
    from tests.reference.broker.simulated.group import Group


@define(eq=False, repr=False)
class LinkTap:
    """The link of one slave."""

    group: Group
    name: str
    count: int = 0
    wire: Wire | None = None
    reports: ReportReader = field(factory=ReportReader)
    headers: FrameHeaderReader = field(factory=FrameHeaderReader)
    are_frames_held: bool = False
    are_reports_held: bool = False
    cuts_next_frame: bool = False

    @property
    def target(self) -> str:
        """The master's HA address."""
        return self.group.master.settings.ha_address

    def note(self, kind: str, **fields: Any) -> None:
        """A line of the recorder."""
        self.group.note(kind, link=self.name, **fields)

    def opened(self, wire: Wire) -> bool:
        """The recorder connects onward, if the master listens."""
        if not self.group.is_master_listening:
            self.note("proxy_target_down")
            return False
        self.count += 1
        wire.number = self.count
        self.wire, self.reports, self.headers = wire, ReportReader(), FrameHeaderReader()
        self.note("ha_link_open", conn=self.count)
        return True

    def passes(self, wire: Wire, data: bytes, *, is_forward: bool) -> bytes | None:
        """Stamped before they go on."""
        if self.are_reports_held if is_forward else self.are_frames_held:
            return None
        if wire is not self.wire:
            return data
        if is_forward:
            for offset in self.reports.feed(data):
                self.note("ha_report", conn=wire.number, slave_offset=offset)
            return data
        for offset, length in self.headers.feed(data):
            self.note("ha_frame", conn=wire.number, master_offset=offset, body_bytes=length)
            if self.cuts_next_frame and length > 1:
                self.cuts_next_frame = False
                self.cut("link_cut_mid_frame", conn=wire.number)
                return b""
        return data

    def ended(self, wire: Wire, *, is_forward: bool) -> None:
        """One side has closed."""
        self.note("ha_link_close", conn=wire.number, closed_by="slave" if is_forward else "master")
        if wire is self.wire:
            self.wire = None

    def cut(self, kind: str = "link_cut", **fields: Any) -> None:
        """Both sides are closed."""
        wire = self.wire
        if wire is not None:
            self.note(kind, **fields)
            wire.cut()
            self.note("ha_link_close", conn=wire.number, closed_by="proxy")
            self.wire = None

    def stall(self, *, holds_frames: bool, holds_reports: bool) -> None:
        """Hold back what is sent."""
        self.are_frames_held, self.are_reports_held = holds_frames, holds_reports
        self.note("link_stalled", slave_to_master=holds_reports, master_to_slave=holds_frames)

    def heal(self) -> None:
        """Let it go on."""
        self.are_frames_held = self.are_reports_held = False
        self.note("link_healed")
        if self.wire is not None:
            self.wire.release()
