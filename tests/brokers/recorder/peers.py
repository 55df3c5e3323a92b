"""Peers at both ends of a link, over real sockets of this machine, in one event loop."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable

from attrs import define, field

from brokers.recorder.line import Line
from brokers.recorder.proxy import ProxiedLink

LOOPBACK = "127.0.0.1"
SAFETY_SECONDS = 30.0
"""No test comes near; one that hangs is ended."""


def find_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def run(make: Callable[[], Awaitable[None]]) -> None:
    """Run a test."""

    async def guarded() -> None:
        async with asyncio.timeout(SAFETY_SECONDS):
            await make()

    asyncio.run(guarded())


@define(eq=False)
class End:
    """One end of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def read_all(self) -> bytes:
        """Everything up to the end of the stream, or to a reset."""
        got = bytearray()
        try:
            while data := await self.reader.read(1 << 16):
                got += data
        except ConnectionError:
            pass
        return bytes(got)

    def reset(self) -> None:
        """End it as a process does that leaves bytes unread."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@define(eq=False)
class Pair:
    """A link, and whoever listens as its master."""

    lines: list[Line] = field(factory=list)
    accepted: asyncio.Queue[End] = field(factory=asyncio.Queue)
    link: ProxiedLink = field(init=False)
    master: asyncio.Server | None = None
    changed: asyncio.Event = field(factory=asyncio.Event)

    def __attrs_post_init__(self) -> None:
        listen, target = (LOOPBACK, find_port()), (LOOPBACK, find_port())
        self.link = ProxiedLink("link_slave1", listen, target, self.write)

    def write(self, lines: list[Line]) -> None:
        """What the proxy writes down."""
        self.lines += lines
        self.changed.set()

    async def start(self, *, has_master: bool = True) -> None:
        """Listen at both places."""

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.accepted.put_nowait(End(reader, writer))

        if has_master:
            self.master = await asyncio.start_server(accept, *self.link.target)
        await self.link.start()

    async def connect(self) -> tuple[End, End]:
        """A slave, and the master's end of its connection."""
        slave = End(*await asyncio.open_connection(*self.link.listen))
        return slave, await self.accepted.get()

    async def wait_for(self, kind: str, count: int = 1) -> None:
        """Until so many lines of this kind are written."""
        while sum(line.kind == kind for line in self.lines) < count:
            self.changed.clear()
            await self.changed.wait()

    def list_kinds(self) -> list[str]:
        """The kinds of the lines, in order."""
        return [line.kind for line in self.lines]

    def list_closings(self) -> list[str]:
        """Where ends were seen."""
        return [line.fields["closed_by"] for line in self.lines if line.kind == "ha_link_close"]
