"""What the two ends of a connection in controller mode send each other, as bytes and as values.

Source: AutoSwitchHAConnection, AutoSwitchHAClient of 5.3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attrs import define, field, frozen

from brokers.wire.controlled_replication import (
    EPOCH,
    HANDSHAKE,
    MASTER_HANDSHAKE,
    MASTER_REST,
    SLAVE_HANDSHAKE,
    SLAVE_REPORT,
    STATES,
    read_state,
)
from brokers.wire.replication import READ_BUFFER_BYTES
from brokers.wire.wire_error import WireError

TRANSFER = STATES.index("TRANSFER")
HEADER_BYTES = MASTER_HANDSHAKE.size + MASTER_REST.size
BODY_BYTES_MAX = READ_BUFFER_BYTES - HEADER_BYTES
EPOCHS_MAX = 1000
"""How many a master's buffer holds (``AbstractWriteSocketService.handShakeBuffer``)."""


class NamedEpoch(NamedTuple):
    """An epoch as it is told: its number, and the offset at which it begins."""

    number: int
    begin: int


@frozen
class MasterHandshake:
    """What a master answers a slave's handshake: where its log ends, and its epochs."""

    max_offset: int
    epochs: Sequence[NamedEpoch]

    @property
    def last_epoch(self) -> int:
        """Its last one; -1 without any (``EpochFileCache#lastEpoch``)."""
        return self.epochs[-1].number if self.epochs else -1


@frozen
class ControlledFrame:
    """A part of the master's log, or a heartbeat, with the epoch that it names."""

    offset: int
    """Of the first byte; -1 in a heartbeat of a master without a file."""
    epoch: NamedEpoch
    confirm_offset: int
    body: bytes = b""


def encode_slave_handshake(broker_id: int) -> bytes:
    """A slave that is sent the whole log and may enter the SyncStateSet: both flags are 0."""
    return SLAVE_HANDSHAKE.pack(HANDSHAKE, 0, 0, broker_id)


def encode_transfer_report(offset: int) -> bytes:
    """A report (a signed number of 64 bits)."""
    return SLAVE_REPORT.pack(TRANSFER, offset)


def encode_master_handshake(told: MasterHandshake) -> bytes:
    """A header without its last two fields, and a body of epochs."""
    body = b"".join(EPOCH.pack(*epoch) for epoch in told.epochs)
    return MASTER_HANDSHAKE.pack(HANDSHAKE, len(body), told.max_offset, told.last_epoch) + body


def encode_controlled_frame(frame: ControlledFrame) -> bytes:
    """A header of 36 bytes, and the body."""
    head = (TRANSFER, len(frame.body), frame.offset, frame.epoch.number)
    rest = (frame.epoch.begin, frame.confirm_offset)
    return MASTER_HANDSHAKE.pack(*head) + MASTER_REST.pack(*rest) + frame.body


@define
class MasterMessageReader:
    """The slave's end of a connection: handshakes and frames as they arrive."""

    body_bytes_max: int = BODY_BYTES_MAX
    _pending: bytearray = field(factory=bytearray)

    def feed(self, data: bytes) -> list[MasterHandshake | ControlledFrame]:
        """The messages that are whole now.

        Raises WireError for a state in which no master sends, and for a length below 0, above what
        a slave's or a master's buffer holds, or of no whole number of epochs.
        """
        self._pending += data
        found: list[MasterHandshake | ControlledFrame] = []
        while len(self._pending) >= MASTER_HANDSHAKE.size:
            state, length, offset, number = MASTER_HANDSHAKE.unpack_from(self._pending)
            is_handshake = state == HANDSHAKE
            check_header(state, length, EPOCHS_MAX * EPOCH.size, self.body_bytes_max)
            begin = MASTER_HANDSHAKE.size if is_handshake else HEADER_BYTES
            if len(self._pending) < begin + length:
                break
            body = bytes(self._pending[begin : begin + length])
            if is_handshake:
                epochs = tuple(NamedEpoch(*each) for each in EPOCH.iter_unpack(body))
                found.append(MasterHandshake(offset, epochs))
            else:
                first, confirmed = MASTER_REST.unpack_from(self._pending, MASTER_HANDSHAKE.size)
                found.append(ControlledFrame(offset, NamedEpoch(number, first), confirmed, body))
            del self._pending[: begin + length]
        return found


def check_header(state: int, length: int, epochs_bytes_max: int, body_bytes_max: int) -> None:
    """A header can be one of a master. Raises WireError."""
    name = read_state(state)
    if state not in (HANDSHAKE, TRANSFER):
        raise WireError(f"a master sends in state {name}")
    most = epochs_bytes_max if state == HANDSHAKE else body_bytes_max
    if not 0 <= length <= most or (state == HANDSHAKE and length % EPOCH.size):
        raise WireError(f"a header in state {name} has a body of {length} bytes")
