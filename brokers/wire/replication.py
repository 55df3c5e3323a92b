"""Replication on the wire: reports of eight bytes one way, frames of twelve and a body the other.

Both readers take bytes as TCP hands them over, in pieces of any size, and keep no more than one
unfinished report or frame.
Source: HAConnection, HAService.HAClient of 4.4.0; DefaultHAConnection, DefaultHAClient of 5.3.3.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from attrs import define, field, frozen

from brokers.wire.wire_error import WireError

REPORT = struct.Struct(">q")
"""A slave's max offset, signed."""
FRAME_HEADER = struct.Struct(">qi")
"""The offset of the body's first byte in the master's log, and the number of its bytes."""
READ_BUFFER_BYTES = 4 * 1024 * 1024
"""Of a slave: header and body have to fit (``HAClient.READ_MAX_BUFFER_SIZE``)."""
BODY_BYTES_MAX = READ_BUFFER_BYTES - FRAME_HEADER.size


@frozen
class Frame:
    """A part of the master's log; without a body it is a heartbeat."""

    offset: int
    body: bytes = b""


def encode_report(offset: int) -> bytes:
    """The bytes of a report (a signed number of 64 bits)."""
    return REPORT.pack(offset)


def encode_frame(frame: Frame) -> bytes:
    """The bytes of a frame."""
    return FRAME_HEADER.pack(frame.offset, len(frame.body)) + frame.body


@define
class ReportReader:
    """The master's end of a connection: reports as they arrive."""

    _rest: bytes = b""

    def feed(self, data: bytes) -> list[int]:
        """The reports that are whole now, oldest first; a broker counts the last one only."""
        data = self._rest + data
        whole = len(data) - len(data) % REPORT.size
        self._rest = data[whole:]
        return [offset for (offset,) in REPORT.iter_unpack(data[:whole])]


@define
class FrameReader:
    """The slave's end of a connection: frames as they arrive."""

    body_bytes_max: int = BODY_BYTES_MAX
    _pending: bytearray = field(factory=bytearray)

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole now.

        Raises WireError for a length below 0 or above what a slave's buffer holds.
        """
        self._pending += data
        frames: list[Frame] = []
        begin = 0
        while len(self._pending) - begin >= FRAME_HEADER.size:
            offset, length = FRAME_HEADER.unpack_from(self._pending, begin)
            if not 0 <= length <= self.body_bytes_max:
                raise WireError(f"a frame at {offset} has a body of {length} bytes")
            end = begin + FRAME_HEADER.size + length
            if len(self._pending) < end:
                break
            frames.append(Frame(offset, bytes(self._pending[begin + FRAME_HEADER.size : end])))
            begin = end
        del self._pending[:begin]
        return frames

    @property
    def announced(self) -> tuple[int, int] | None:
        """Offset and length of a frame whose header has come, and whose body is not whole."""
        if len(self._pending) < FRAME_HEADER.size:
            return None
        offset, length = FRAME_HEADER.unpack_from(self._pending)
        return offset, length

    @property
    def pending_bytes(self) -> int:
        """How much of an unfinished frame has arrived."""
        return len(self._pending)


@define
class FrameHeaderReader:
    """What a proxy needs of frames: their headers, when they have arrived; bodies pass through."""

    _header: bytes = b""
    _body_left: int = 0

    def feed(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Offset and length of each header that is whole now.

        Raises WireError for a length below 0, after the headers before it.
        """
        position = 0
        while position < len(data):
            if self._body_left:
                passed = min(self._body_left, len(data) - position)
                self._body_left -= passed
                position += passed
                continue
            missing = FRAME_HEADER.size - len(self._header)
            self._header += data[position : position + missing]
            position += missing
            if len(self._header) == FRAME_HEADER.size:
                offset, length = FRAME_HEADER.unpack(self._header)
                if length < 0:
                    raise WireError(f"a frame at {offset} has a body of {length} bytes")
                self._header, self._body_left = b"", length
                yield offset, length
