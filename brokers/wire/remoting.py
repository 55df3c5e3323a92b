"""Remoting: requests and answers of clients, brokers and name servers.

A command is a length, the length of its header with the header's format in the upper byte, a header
in JSON, and a body (all numbers big-endian, 32 bits).
Source: RemotingCommand#encode and #decode, NettyDecoder of 4.4.0.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

from attrs import define, field, frozen

from brokers.wire.wire_error import WireError

LENGTH = struct.Struct(">i")
HEADER_LENGTH_BITS = 24
JSON_FORMAT = 0
"""``SerializeType.JSON``; the other one, ROCKETMQ (1), is not read here."""
RESPONSE_FLAG, ONE_WAY_FLAG = 1, 2
FRAME_BYTES_MAX = 16 * 1024 * 1024
"""``com.rocketmq.remoting.frameMaxLength``."""
HEADER_BYTES_MAX = 1024 * 1024
"""Properties have at most 32,767 bytes; nothing else in a header is long."""
VERSION = 293
"""``MQVersion.Version.V4_4_0``, which decides which fields of a header the other end expects."""


@frozen
class Command:
    """A request or an answer (``RemotingCommand``)."""

    code: int
    fields: Mapping[str, str] = field(factory=dict)
    """``extFields``."""
    body: bytes = b""
    remark: str | None = None
    opaque: int = 0
    """A request's number, which its answer repeats."""
    flag: int = 0
    version: int = VERSION
    language: str = "JAVA"

    @property
    def is_response(self) -> bool:
        """It answers a request."""
        return bool(self.flag & RESPONSE_FLAG)

    @property
    def is_one_way(self) -> bool:
        """Nobody waits for an answer."""
        return bool(self.flag & ONE_WAY_FLAG)


def encode(command: Command) -> bytes:
    """The bytes of a command."""
    header: dict[str, Any] = {
        "code": command.code,
        "extFields": dict(command.fields),
        "flag": command.flag,
        "language": command.language,
        "opaque": command.opaque,
        "serializeTypeCurrentRPC": "JSON",
        "version": command.version,
    }
    if command.remark is not None:
        header["remark"] = command.remark
    data = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    format_and_length = JSON_FORMAT << HEADER_LENGTH_BITS | len(data)
    total = LENGTH.size + len(data) + len(command.body)
    return LENGTH.pack(total) + LENGTH.pack(format_and_length) + data + command.body


def decode(data: bytes) -> Command:
    """The command in the bytes after its length. Raises WireError."""
    if len(data) < LENGTH.size:
        raise WireError(f"a command has {len(data)} bytes")
    (format_and_length,) = LENGTH.unpack_from(data)
    header_format = format_and_length >> HEADER_LENGTH_BITS
    length = format_and_length & (1 << HEADER_LENGTH_BITS) - 1
    if header_format != JSON_FORMAT:
        raise WireError(f"a header is in the format {header_format}, not in JSON (0)")
    if length > min(HEADER_BYTES_MAX, len(data) - LENGTH.size):
        raise WireError(f"a header of {length} bytes in a command of {len(data)}")
    header = data[LENGTH.size : LENGTH.size + length]
    return _read_header(header, data[LENGTH.size + length :])


def _read_header(data: bytes, body: bytes) -> Command:
    try:
        header = json.loads(data)
        fields = header.get("extFields") or {}
        remark = header.get("remark")
        return Command(
            code=_read_number(header, "code"),
            fields={str(name): _read_text(value) for name, value in fields.items()},
            body=body,
            remark=None if remark is None else str(remark),
            opaque=_read_number(header, "opaque"),
            flag=_read_number(header, "flag"),
            version=_read_number(header, "version"),
            language=str(header.get("language", "JAVA")),
        )
    except (ValueError, AttributeError, RecursionError) as problem:
        raise WireError(f"a header cannot be read: {type(problem).__name__}") from problem


def _read_number(header: Mapping[str, Any], name: str) -> int:
    value = header.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**31:
        raise WireError(f"{name} in a header is {str(value)[:40]!r}")
    return value


def _read_text(value: Any) -> str:
    """A field as fastjson would give it to a table of texts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


@define
class CommandReader:
    """One end of a connection: commands as they arrive. It keeps one that is not whole."""

    frame_bytes_max: int = FRAME_BYTES_MAX
    _pending: bytearray = field(factory=bytearray)

    def feed(self, data: bytes) -> list[Command]:
        """The commands that are whole now. Raises WireError for one that breaks the bounds."""
        self._pending += data
        commands: list[Command] = []
        begin = 0
        while len(self._pending) - begin >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._pending, begin)
            if not LENGTH.size <= length <= self.frame_bytes_max:
                raise WireError(f"a command of {length} bytes")
            end = begin + LENGTH.size + length
            if len(self._pending) < end:
                break
            commands.append(decode(bytes(self._pending[begin + LENGTH.size : end])))
            begin = end
        del self._pending[:begin]
        return commands

    @property
    def pending_bytes(self) -> int:
        """How much of an unfinished command has arrived."""
        return len(self._pending)
