"""What passes on one connection of a link, as events: both directions, with or without handshake.

The bytes themselves are never held back for this: what breaks the protocol is noted once, and that
direction is not read any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import define, field

from brokers.wire.controlled_replication import (
    SLAVE_HANDSHAKE,
    ControlledFrameReader,
    ControlledReportReader,
    MessageEvent,
    is_handshake,
)
from brokers.wire.replication import REPORT, FrameHeaderReader, ReportReader
from brokers.wire.wire_error import WireError

SLAVE: Final = "slave"
MASTER: Final = "master"
SIDES = (SLAVE, MASTER)
"""Who has sent something."""


@define
class PlainReports:
    """Reports of eight bytes, as events."""

    reader: ReportReader = field(factory=ReportReader)

    def feed(self, data: bytes) -> Iterator[MessageEvent]:
        """The reports that are whole now."""
        for offset in self.reader.feed(data):
            yield MessageEvent("ha_report", {"slave_offset": offset})


@define
class PlainFrames:
    """Headers of twelve bytes, as events."""

    reader: FrameHeaderReader = field(factory=FrameHeaderReader)

    def feed(self, data: bytes) -> Iterator[MessageEvent]:
        """The headers that are whole now. Raises WireError."""
        for offset, length in self.reader.feed(data):
            yield MessageEvent("ha_frame", {"master_offset": offset, "body_bytes": length})


@define
class LinkBytes:
    """One connection. The slave's first bytes decide which of the two protocols it has."""

    readers: dict[str, Any] = field(factory=dict)
    """By side; none before the protocol is known, or after it was broken."""
    is_known: bool = False
    _waiting: dict[str, bytes] = field(factory=lambda: dict.fromkeys(SIDES, b""))

    def feed(self, side: str, data: bytes) -> Iterator[MessageEvent]:
        """What these bytes of one side show, each as soon as it is whole."""
        if not self.is_known:
            self._waiting[side] += data
            if not self._is_decided():
                return
            self._decide()
            for each in SIDES:
                yield from self._read(each, self._waiting[each])
            self._waiting.clear()
            return
        yield from self._read(side, data)

    def _is_decided(self) -> bool:
        """Enough has come: a master that speaks has understood the slave; so have 16 bytes."""
        first = self._waiting[SLAVE]
        if self._waiting[MASTER] or len(first) >= SLAVE_HANDSHAKE.size:
            return True
        return len(first) >= REPORT.size and not is_handshake(first[: REPORT.size].ljust(16, b"\0"))

    def _decide(self) -> None:
        self.is_known = True
        if is_handshake(self._waiting[SLAVE]):
            self.readers = {SLAVE: ControlledReportReader(), MASTER: ControlledFrameReader()}
        else:
            self.readers = {SLAVE: PlainReports(), MASTER: PlainFrames()}

    def _read(self, side: str, data: bytes) -> Iterator[MessageEvent]:
        reader = self.readers.get(side)
        if reader is None or not data:
            return
        try:
            yield from reader.feed(data)
        except WireError as problem:
            del self.readers[side]
            text = f"the {side} breaks the protocol: {problem}; what follows is forwarded unread"
            yield MessageEvent("note", {"text": text})
