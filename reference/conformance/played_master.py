"""A master's end without any broker behind it: it sends frames from any offset, or parts of them.

Its log has messages of one size from the begin of each file on. Its slave may ask for it, and does
not decide what is sent.
"""

from __future__ import annotations

from attrs import define, frozen

from reference.broker.host import Transport
from reference.conformance.acts import MEET_MAX_MS, Then, repeat, wait_until
from reference.conformance.stage import MASTER_NODE, Stage
from reference.store.put import Message, encode_message
from reference.store.records import compute_message_length, encode_blank_header
from reference.wire.replication import Frame, encode_frame

MESSAGE_BYTES = 400
"""So much of its log is one message."""
TOPIC = "T0"


@define(eq=False, repr=False)
class Listener:
    """A peer that takes connections and listens; what it sends, an act sends."""

    def opened(self, transport: Transport) -> None:
        """The link knows of it."""

    def received(self, data: bytes) -> None:
        """Reports: the link has noted them."""

    def drained(self) -> None:
        """It sends little."""

    def lost(self, reason: str) -> None:
        """The slave has closed."""


def make_file(base: int, file_bytes: int) -> bytes:
    """A file of its log: whole messages, and a blank."""
    body = bytes(MESSAGE_BYTES - compute_message_length(0, len(TOPIC), 0))
    count = file_bytes // MESSAGE_BYTES
    messages = (
        encode_message(Message(TOPIC, 0, body), base + number, base + number * MESSAGE_BYTES, 1)
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
        stage.open_played(Listener)
        then()

    def __str__(self) -> str:
        return "somebody plays the master"


@frozen
class Asked:
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
