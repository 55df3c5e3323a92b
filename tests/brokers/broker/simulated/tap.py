"""The recorder on the way between a slave and its master: it notes, holds back and cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from attrs import define, field

from brokers.wire.controlled_replication import ControlledFrameReader, ControlledReportReader
from brokers.wire.replication import FrameHeaderReader, ReportReader
from tests.brokers.broker.simulated.network import Wire

if TYPE_CHECKING:
    from tests.brokers.broker.simulated.group import Group


Seen = tuple[str, dict[str, Any]]
"""Kind and fields of an event."""


def make_readers(
    *, is_controlled: bool
) -> tuple[Callable[[bytes], Iterator[Seen]], Callable[[bytes], Iterator[Seen]]]:
    """What a new connection's bytes are read by: a slave's, a master's."""
    if is_controlled:
        return ControlledReportReader().feed, ControlledFrameReader().feed
    reports, headers = ReportReader(), FrameHeaderReader()

    def read_reports(data: bytes) -> Iterator[Seen]:
        return (("ha_report", {"slave_offset": offset}) for offset in reports.feed(data))

    def read_frames(data: bytes) -> Iterator[Seen]:
        for offset, length in headers.feed(data):
            yield "ha_frame", {"master_offset": offset, "body_bytes": length}

    return read_reports, read_frames


@define(eq=False, repr=False)
class LinkTap:
    """The link of one slave."""

    group: Group
    name: str
    count: int = 0
    wire: Wire | None = None
    read_reports: Callable[[bytes], Iterator[Seen]] = field(init=False)
    read_frames: Callable[[bytes], Iterator[Seen]] = field(init=False)
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
        self.wire = wire
        self.read_reports, self.read_frames = make_readers(is_controlled=self.group.is_controlled)
        self.note("ha_link_open", conn=self.count)
        return True

    def passes(self, wire: Wire, data: bytes, *, is_forward: bool) -> bytes | None:
        """Stamped before they go on."""
        if self.are_reports_held if is_forward else self.are_frames_held:
            return None
        if wire is not self.wire:
            return data
        if is_forward:
            for kind, fields in self.read_reports(data):
                self.note(kind, conn=wire.number, **fields)
            return data
        for kind, fields in self.read_frames(data):
            self.note(kind, conn=wire.number, **fields)
            if self.cuts_next_frame and fields.get("body_bytes", 0) > 1:
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
