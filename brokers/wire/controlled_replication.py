"""Replication under a controller: a handshake each way, then reports of 12 bytes, headers of 36.

Source: AutoSwitchHAConnection, AutoSwitchHAClient, HAConnectionState of 5.3.3.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from attrs import define

from brokers.wire.wire_error import WireError

STATES = ("READY", "HANDSHAKE", "TRANSFER", "SUSPEND", "SHUTDOWN")
"""``HAConnectionState``; on the wire it is its number."""
HANDSHAKE: Final = 1

SLAVE_HANDSHAKE = struct.Struct(">ihhq")
"""State, isSyncFromLastFile, isAsyncLearner, broker id (``HANDSHAKE_HEADER_SIZE`` of the client).
"""
SLAVE_REPORT = struct.Struct(">iq")
"""State and max offset (``TRANSFER_HEADER_SIZE`` of the client)."""
MASTER_HANDSHAKE = struct.Struct(">iiqi")
"""State, bytes of the body, max offset, last epoch; the body has the epochs."""
MASTER_REST = struct.Struct(">qq")
"""Where the epoch begins, and the confirm offset: they follow in every header but a handshake's."""
EPOCH = struct.Struct(">iq")
"""``EPOCH_ENTRY_SIZE``: number and first offset."""
EPOCHS_BYTES_MAX = 4 * 1024 * 1024
"""Header and body have to fit into the slave's buffer (``READ_MAX_BUFFER_SIZE``)."""


class MessageEvent(NamedTuple):
    """A message, as the fields of an event of the trace format."""

    kind: str
    fields: dict[str, Any]


def is_handshake(data: bytes) -> bool:
    """These first bytes of a slave are those of a handshake, and no report of eight bytes.

    A report could only look so if its offset is 2^32 or 2^32 + 65536, if two more are there and
    if they are as small: a slave sends one report, and waits.
    """
    if len(data) < SLAVE_HANDSHAKE.size:
        return False
    state, last_file, learner, broker_id = SLAVE_HANDSHAKE.unpack_from(data)
    return state == HANDSHAKE and {last_file, learner} <= {0, 1} and 0 <= broker_id < 1 << 32


def read_state(number: int) -> str:
    """The name of a state. Raises WireError."""
    if not 0 <= number < len(STATES):
        raise WireError(f"a connection is in state {number}, which there is not")
    return STATES[number]


@define
class ControlledReportReader:
    """What a slave sends: handshakes, and reports in any other state."""

    _rest: bytes = b""

    def feed(self, data: bytes) -> Iterator[MessageEvent]:
        """The messages that are whole now. Raises WireError for a state that there is not."""
        self._rest += data
        while len(self._rest) >= SLAVE_REPORT.size:
            state, offset = SLAVE_REPORT.unpack_from(self._rest)
            name = read_state(state)
            if state != HANDSHAKE:
                self._rest = self._rest[SLAVE_REPORT.size :]
                yield MessageEvent("ha_report", {"slave_offset": offset, "state": name})
                continue
            if len(self._rest) < SLAVE_HANDSHAKE.size:
                return
            _, last_file, learner, broker_id = SLAVE_HANDSHAKE.unpack_from(self._rest)
            self._rest = self._rest[SLAVE_HANDSHAKE.size :]
            flags = {"sync_from_last_file": last_file == 1, "async_learner": learner == 1}
            yield MessageEvent("ha_handshake_slave", {"slave_id": broker_id, **flags})


@define
class ControlledFrameReader:
    """What a master sends: handshakes with epochs, and frames, whose bodies pass through."""

    _header: bytes = b""
    _body_left: int = 0

    def feed(self, data: bytes) -> Iterator[MessageEvent]:
        """The headers, and handshakes with their bodies, that are whole now. Raises WireError."""
        while data:
            if self._body_left:
                passed = min(self._body_left, len(data))
                self._body_left, data = self._body_left - passed, data[passed:]
                continue
            missing = self._count_missing()
            self._header, data = self._header + data[:missing], data[missing:]
            if not self._count_missing():
                header, self._header = self._header, b""
                yield self._read(header)

    def _count_missing(self) -> int:
        """How many bytes of the header there are still to come, as far as is known."""
        have = len(self._header)
        if have < MASTER_HANDSHAKE.size:
            return MASTER_HANDSHAKE.size - have
        state, body, _, _ = MASTER_HANDSHAKE.unpack_from(self._header)
        name = read_state(state)
        if body < 0 or (state == HANDSHAKE and (body > EPOCHS_BYTES_MAX or body % EPOCH.size)):
            raise WireError(f"a header in state {name} has a body of {body} bytes")
        rest = body if state == HANDSHAKE else MASTER_REST.size
        return MASTER_HANDSHAKE.size + rest - have

    def _read(self, header: bytes) -> MessageEvent:
        state, body, offset, epoch = MASTER_HANDSHAKE.unpack_from(header)
        rest = header[MASTER_HANDSHAKE.size :]
        if state == HANDSHAKE:
            epochs = [[number, begin] for number, begin in EPOCH.iter_unpack(rest)]
            told = {"master_max_offset": offset, "epochs": epochs, "last_epoch": epoch}
            return MessageEvent("ha_handshake_master", told)
        self._body_left = body
        begin, confirmed = MASTER_REST.unpack(rest)
        fields = {
            "master_offset": offset,
            "body_bytes": body,
            "epoch": epoch,
            "epoch_start_offset": begin,
            "confirm_offset": confirmed,
            "state": STATES[state],
        }
        return MessageEvent("ha_frame", fields)
