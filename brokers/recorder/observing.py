"""Brokers that are asked about themselves by remoting requests, as administrators ask them.

A broker that is down, silent, or answers nonsense costs one line, and one more when it answers
again; it is asked on. Each question has a connection's time and its bytes bounded.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define

from brokers.recorder.line import Line
from brokers.recorder.nodes import Nodes, describe_node
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command, CommandReader, encode
from brokers.wire.wire_error import WireError
from reference.releases.versions import Version, VersionError, parse_version

ANSWER_SECONDS = 3.0
"""As ``mqadmin`` waits for its answers at most (``timeoutMillis`` of MQClientAPIImpl callers)."""
ANSWER_BYTES_MAX = 1 << 20
"""A broker's tables have some kilobytes."""
READ_BYTES = 1 << 16
RELEASE = re.compile(r"V(\d+)_(\d+)_(\d+)")
"""``brokerVersionDesc``, as ``MQVersion`` writes it."""
FIGURES = {
    "max_offset": "commitLogMaxOffset",
    "min_offset": "commitLogMinOffset",
    "dispatch_behind_bytes": "dispatchBehindBytes",
}
"""Fields of a ``broker_status``, and their names in the answer."""
NUMBER = re.compile(r"-?\d{1,19}")


class AnswerError(Exception):
    """A broker's answer that cannot be used: the reason."""


@define(eq=False)
class ObservedBroker:
    """A broker that is asked again and again over one connection."""

    node: str
    host: str
    port: int
    every_seconds: float
    nodes: Nodes
    write: Callable[[list[Line]], None]
    note: Callable[[str], None]
    has_settings: bool = False
    """Its settings were asked for, or are known from elsewhere."""
    problem: str = ""
    """Why the latest question had no answer; empty if it had one."""
    answers: int = 0
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    _reader: CommandReader | None = None
    _opaque: int = 0

    async def run(self) -> None:
        """Ask until it is cancelled."""
        try:
            while True:
                begun = time.monotonic()
                await self._ask_once()
                rest = self.every_seconds - (time.monotonic() - begun)
                await asyncio.sleep(max(rest, self.every_seconds / 10))
        finally:
            self._disconnect()

    async def _ask_once(self) -> None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._look()
        except (OSError, TimeoutError, WireError, AnswerError) as problem:
            self._disconnect()
            reason = str(problem) or "no answer in time"
            if not self.problem:
                self.note(f"{self.node} at {self.host}:{self.port} does not answer: {reason}")
            self.problem = reason
            return
        if self.problem:
            self.problem = ""
            self.note(f"{self.node} answers again")

    async def _look(self) -> None:
        begin_ms = time.time() * 1000
        table = read_table(await self._request(RequestCode.GET_BROKER_RUNTIME_INFO))
        figures = read_figures(table)
        if not self.has_settings:
            settings = read_settings(await self._request(RequestCode.GET_BROKER_CONFIG))
            self.nodes.tell(self.node, describe_node(settings, find_release(table)), name(table))
            self.has_settings = True
        self.answers += 1
        fields = {"node": self.node, "begin_wall_ms": begin_ms, **figures}
        self.write([Line(time.time() * 1000, "broker_status", fields)])

    async def _request(self, code: RequestCode) -> Command:
        reader, writer = await self._connect()
        self._opaque = (self._opaque + 1) % (1 << 31)
        writer.write(encode(Command(code, opaque=self._opaque)))
        await writer.drain()
        while True:
            data = await reader.read(READ_BYTES)
            if not data:
                raise AnswerError("it has closed the connection")
            assert self._reader is not None
            for command in self._reader.feed(data):
                if command.is_response and command.opaque == self._opaque:
                    if command.code:
                        raise AnswerError(f"it answers {code.name} with code {command.code}")
                    return command

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port, limit=READ_BYTES)
            self._reader = CommandReader(ANSWER_BYTES_MAX)
        return self._streams

    def _disconnect(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
        self._streams, self._reader = None, None


def read_table(command: Command) -> Mapping[str, Any]:
    """The figures of a broker by their names (``KVTable``). Raises AnswerError."""
    try:
        table = json.loads(command.body)["table"]
    except (ValueError, TypeError, KeyError, RecursionError) as problem:
        raise AnswerError("its answer is no table") from problem
    if not isinstance(table, dict):
        raise AnswerError("its answer is no table")
    return table


def read_figures(table: Mapping[str, Any]) -> dict[str, int]:
    """The fields of a ``broker_status``. Raises AnswerError."""
    figures = {}
    for name_, key in FIGURES.items():
        text = str(table.get(key, ""))
        if not NUMBER.fullmatch(text) or not -(2**63) < int(text) < 2**63:
            raise AnswerError(f"its {key} is {text[:40]!r}")
        figures[name_] = int(text)
    return figures


def name(table: Mapping[str, Any]) -> str:
    """The release that a broker names; empty if it names none."""
    found = RELEASE.match(str(table.get("brokerVersionDesc", "")))
    return ".".join(found.groups()) if found else ""


def find_release(table: Mapping[str, Any]) -> Version:
    """Its rules; for a release that nobody knows those of 4.4.0."""
    try:
        return parse_version(name(table))
    except VersionError:
        return Version()


def read_settings(command: Command) -> dict[str, str]:
    """The lines of GET_BROKER_CONFIG (MixAll#properties2String)."""
    text = command.body.decode("utf-8", "replace")
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip(): value.strip() for key, equals, value in pairs if equals}
