"""A slave's end without any broker behind it: it reports what it likes, and stores nothing."""

from __future__ import annotations

from attrs import define, frozen

from reference.broker.host import Transport
from reference.conformance.acts import Then
from reference.conformance.stage import Stage
from reference.wire.replication import REPORT, encode_report

CONNECT_TIMEOUT_MS = 5000.0


@define(eq=False, repr=False)
class Stranger:
    """A peer that only listens; what it sends, an act sends."""

    then: Then
    transport: Transport | None = None

    def opened(self, transport: Transport) -> None:
        """The master has accepted it."""
        self.transport = transport
        self.then()

    def received(self, data: bytes) -> None:
        """Frames: the link has noted them."""

    def drained(self) -> None:
        """Reports are small."""

    def lost(self, reason: str) -> None:
        """The master has closed, or was never there."""
        if self.transport is None:
            self.then()
        self.transport = None


@frozen
class Arrive:
    """Somebody connects to the HA port, and says nothing."""

    slave: int = 1

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        name = f"slave{self.slave}"
        if name not in stage.nodes:
            tested = stage.nodes[stage.tested_node]
            stage.nodes[name] = {**tested, "role": "SLAVE", "broker_id": 1, "scripted": True}
            stage.note("process_started", node=name, role="SLAVE")
        tapped = stage.get_link(self.slave).tap(Stranger(then))
        stage.host.connect(stage.ha_address, tapped, CONNECT_TIMEOUT_MS)

    def __str__(self) -> str:
        return f"stranger {self.slave} connects"


@frozen
class Report:
    """It sends offsets, all in one piece."""

    offsets: tuple[int, ...]
    slave: int = 1
    cut_bytes: int = 0
    """So many bytes of the last one are left out."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        current = stage.get_link(self.slave).current
        if current is not None:
            data = b"".join(map(encode_report, self.offsets))
            current.send(data[: len(data) - self.cut_bytes])
        stage.host.after(0.0, then)

    def __str__(self) -> str:
        what = " and ".join(map(str, self.offsets))
        rest = f", without the last {self.cut_bytes} bytes" if self.cut_bytes else ""
        return f"stranger {self.slave} reports {what}{rest}"


HALF_REPORT_BYTES = REPORT.size // 2
