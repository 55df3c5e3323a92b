"""An end without a broker behind it: a slave that reports, or a master that sends, what it likes.

A slave stores nothing. A master sends frames from any offset, or parts of them, whatever its slave
asks for; its log has messages of one size from the begin of each file on.
"""

from __future__ import annotations

from attrs import define, frozen

from brokers.broker.host import Transport
from brokers.conformance.acts import MEET_MAX_MS, Then, repeat, wait_until
from brokers.conformance.stage import MASTER_NODE, Stage
from brokers.wire.replication import REPORT, Frame, encode_frame, encode_report
from reference.store.put import MessageToPut, encode_message
from reference.store.records import compute_message_length, encode_blank_header

CONNECT_TIMEOUT_MS = 5000.0


@define(eq=False, repr=False)
class Stranger:
    """A peer that only listens; what it sends, an act sends."""

    then: Then = lambda: None
    transport: Transport | None = None

    def opened(self, transport: Transport) -> None:
        """The other end is there."""
        self.transport = transport
        self._go_on()

    def received(self, data: bytes) -> None:
        """The link has noted it."""

    def drained(self) -> None:
        """It sends little."""

    def lost(self, reason: str) -> None:
        """The other end has closed, or was never there."""
        self.transport = None
        self._go_on()

    def _go_on(self) -> None:
        """The next act follows once, however often an end is told."""
        then, self.then = self.then, lambda: None
        then()


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

MESSAGE_BYTES = 400
"""So much of its log is one message."""
TOPIC = "T0"


def make_file(base: int, file_bytes: int) -> bytes:
    """A file of its log: whole messages, and a blank."""
    body = bytes(MESSAGE_BYTES - compute_message_length(0, len(TOPIC), 0))
    count = file_bytes // MESSAGE_BYTES
    messages = (
        encode_message(
            MessageToPut(TOPIC, 0, body), base + number, base + number * MESSAGE_BYTES, 1
        )
        for number in range(count)
    )
    rest = file_bytes - count * MESSAGE_BYTES
    return b"".join(messages) + encode_blank_header(rest)[:rest].ljust(rest, b"\0")


@frozen
class Listen:
    """Somebody listens where the slave finds its master."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        tested = stage.nodes[stage.tested_node]
        told = {"role": "SYNC_MASTER", "broker_id": 0, "scripted": True}
        stage.nodes[MASTER_NODE] = {**tested, **told}
        stage.note("process_started", node=MASTER_NODE, role="SYNC_MASTER")
        stage.open_played(Stranger)
        then()

    def __str__(self) -> str:
        return "somebody plays the master"


@frozen
class AwaitReport:
    """Until the slave has reported on its present connection, or twelve seconds are over."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        link = stage.get_link()

        def has_reported() -> bool:
            return link.current is not None and link.current.reported is not None

        beat_ms = stage.settings.number("haSendHeartbeatInterval")
        wait_until(stage, has_reported, MEET_MAX_MS + beat_ms, then)

    def __str__(self) -> str:
        return "until the slave has reported"


@frozen
class Frames:
    """It sends frames, all in one piece."""

    frames: tuple[tuple[int, int], ...]
    """Of each the offset and the length; 0 bytes are a heartbeat."""
    files: int = 0
    """So many whole files lie before these offsets."""
    first_bytes: int = 0
    """Only so many bytes are sent; 0: all."""
    piece_bytes: int = 0
    """So many bytes at once, a moment apart; 0: all."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        data = b"".join(encode_frame(self._make(stage, *told)) for told in self.frames)
        data = data[: self.first_bytes or len(data)]
        size = self.piece_bytes or len(data)
        pieces = [data[at : at + size] for at in range(0, len(data), size)]

        def send(sent: Then) -> None:
            current = stage.get_link().current
            if current is not None:
                current.send(pieces.pop(0))
            stage.host.after(PIECE_MS if pieces else 0.0, sent)

        repeat(len(pieces), send, then)

    def _make(self, stage: Stage, offset: int, size: int) -> Frame:
        file_bytes = stage.settings.number("mapedFileSizeCommitLog")
        base, within = divmod(self.files * file_bytes + offset, file_bytes)
        base *= file_bytes
        return Frame(base + within, make_file(base, file_bytes)[within : within + size])

    def __str__(self) -> str:
        place = f" behind {self.files} files" if self.files else ""
        frames = " and ".join(
            f"{size} bytes at {at}" if size else f"a heartbeat at {at}" for at, size in self.frames
        )
        part = f", of which {self.first_bytes} bytes pass" if self.first_bytes else ""
        pieces = f", {self.piece_bytes} bytes at once" if self.piece_bytes else ""
        return f"the master sends {frames}{place}{part}{pieces}"


PIECE_MS = 5.0
