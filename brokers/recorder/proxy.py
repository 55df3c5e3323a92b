"""A proxy between a slave and its master: it stamps and notes what passes, then forwards it.

One read is one write. A side that does not read makes the other one wait: no more than the kernel's
buffers, one read, and what a transport holds above its limit lies in between.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from attrs import define, field

from brokers.recorder.line import Line
from brokers.recorder.link_bytes import MASTER, SLAVE, LinkBytes
from brokers.wire.controlled_replication import MessageEvent

CONNECT_SECONDS = 5.0
"""As a slave waits for its connect (R-HC-02)."""
UNSENT_BYTES_MAX = 64 * 1024
"""Of each direction, beyond what the kernel takes."""
DOWN_SECONDS = 1.0
"""So long nobody listens after a master was down: a slave connects again at once (R-HC-12), is
refused as by the master itself, and waits for five seconds (R-HC-01)."""
LINGER_SECONDS = 5.0
"""So long the last bytes may wait for a side that does not read, once the other has gone."""
CONNECTIONS_MAX = 64
"""Of one link at a time; a slave has one, and perhaps one more that has not ended yet."""
RESET = struct.pack("ii", 1, 0)
"""``SO_LINGER`` for no time: closing is a reset."""

Write = Callable[[list[Line]], None]


@define(eq=False)
class ProxiedLink:
    """Where a slave connects, and its master."""

    name: str
    """As in the recording: ``link_`` and the slave."""
    listen: tuple[str, int]
    target: tuple[str, int]
    write: Write
    """Writes lines down; when it returns they cannot be lost."""
    connections: int = 0
    """How many there have been."""
    connected: set[ProxiedConnection] = field(factory=set)
    """Those that are open."""
    forwarded_bytes: int = 0
    server: asyncio.Server | None = None
    resuming: asyncio.Task[None] | None = None
    """It will listen again."""

    async def start(self) -> None:
        """Listen. Raises OSError."""
        loop = asyncio.get_running_loop()
        make: Callable[[], ConnectionSide] = lambda: ProxiedConnection(self).sides[SLAVE]  # noqa: E731
        self.server = await loop.create_server(make, *self.listen, reuse_address=True)

    def pause(self) -> None:
        """Refuse connections for a while."""
        if self.server is not None:
            self.server.close()
            self.server = None
            self.resuming = asyncio.get_running_loop().create_task(self._resume())

    async def _resume(self) -> None:
        while self.server is None:
            await asyncio.sleep(DOWN_SECONDS)
            with suppress(OSError):  # Somebody else may have the port for a moment.
                await self.start()

    def close(self) -> None:
        """End all connections, and accept no more. Raises what the writing raises, after that."""
        if self.resuming is not None:
            self.resuming.cancel()
        if self.server is not None:
            self.server.close()
        try:
            if any(each.number for each in self.connected):
                self.note([MessageEvent("link_cut", {})], None)
        finally:
            for connection in list(self.connected):
                connection.cut()

    def note(self, lines: Iterable[MessageEvent], conn: int | None) -> None:
        """Stamp what was seen, and write it down."""
        now_ms, head = time.time() * 1000, dict[str, Any](link=self.name)
        if conn is not None:
            head["conn"] = conn
        stamped = [Line(now_ms, kind, {**head, **fields}) for kind, fields in lines]
        if stamped:
            self.write(stamped)


@define(eq=False)
class ProxiedConnection:
    """A slave's connection and the one to the master that belongs to it."""

    link: ProxiedLink
    number: int = 0
    """From 1 on this link; 0 while the master has not accepted."""
    bytes_seen: LinkBytes = field(factory=LinkBytes)
    sides: dict[str, ConnectionSide] = field(init=False)
    is_told_lost: bool = False
    task: asyncio.Task[None] | None = None

    def __attrs_post_init__(self) -> None:
        self.sides = {name: ConnectionSide(self, name) for name in (SLAVE, MASTER)}

    def begin(self) -> None:
        """The slave is there: connect to the master."""
        self.link.connected.add(self)
        if len(self.link.connected) > CONNECTIONS_MAX:
            self.sides[SLAVE].abort()
            return
        self.task = asyncio.get_running_loop().create_task(self._connect())

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        made = loop.create_connection(lambda: self.sides[MASTER], *self.link.target)
        try:
            await asyncio.wait_for(made, CONNECT_SECONDS)
        except (OSError, UnicodeError):  # A host's name may be none.
            self.link.note([MessageEvent("proxy_target_down", {})], None)
            self.link.pause()
            self.sides[SLAVE].abort()

    def join(self) -> None:
        """Both are there."""
        self.link.connections += 1
        self.number = self.link.connections
        self.link.note([MessageEvent("ha_link_open", {})], self.number)
        for side in self.sides.values():
            side.allow_reading()

    def pass_on(self, name: str, data: bytes) -> None:
        """Bytes of one side: seen, written down, forwarded."""
        self.link.note(self.bytes_seen.feed(name, data), self.number)
        self.link.forwarded_bytes += len(data)
        self.other(name).send(data)

    def other(self, name: str) -> ConnectionSide:
        """The other side."""
        return self.sides[MASTER if name == SLAVE else SLAVE]

    def tell_end(self, closed_by: str) -> None:
        """One side has ended."""
        if self.number:
            self.link.note([MessageEvent("ha_link_close", {"closed_by": closed_by})], self.number)

    def cut(self) -> None:
        """The recorder itself ends it; whoever tells of that has done so."""
        self.is_told_lost = True
        for side in self.sides.values():
            side.abort()


class ConnectionSide(asyncio.Protocol):
    """One of the two sockets of a connection."""

    def __init__(self, connection: ProxiedConnection, name: str) -> None:
        self.connection, self.name = connection, name
        self.transport: asyncio.Transport | None = None
        self.has_ended = False
        """Nothing more comes from it."""

    @property
    def is_open(self) -> bool:
        """It can be written to."""
        return self.transport is not None and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is there."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.set_write_buffer_limits(high=UNSENT_BYTES_MAX)
        transport.pause_reading()
        if self.name == SLAVE:
            self.connection.begin()
        elif self.connection.sides[SLAVE].is_open:
            self.connection.join()
        else:
            transport.abort()

    def allow_reading(self) -> None:
        """The other side can take something."""
        if self.transport is not None and self.is_open and not self.has_ended:
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """One read."""
        self.connection.pass_on(self.name, data)

    def send(self, data: bytes) -> None:
        """One write."""
        if self.transport is not None and self.is_open:
            self.transport.write(data)

    def pause_writing(self) -> None:
        """It does not take more: the other side has to wait."""
        other = self.connection.other(self.name).transport
        if other is not None and not other.is_closing():
            other.pause_reading()

    def resume_writing(self) -> None:
        """It takes more again."""
        self.connection.other(self.name).allow_reading()

    def eof_received(self) -> bool:
        """Nothing more comes; what the other one still sends goes on."""
        self.has_ended = True
        connection, other = self.connection, self.connection.other(self.name)
        connection.tell_end(self.name)
        if other.has_ended:
            self.close_soon()
            other.close_soon()
        elif other.is_open and other.transport is not None and other.transport.can_write_eof():
            other.transport.write_eof()
        return True

    def close_soon(self) -> None:
        """Close once everything is sent, or after a time."""
        transport = self.transport
        if transport is not None and not transport.is_closing():
            transport.close()
            asyncio.get_running_loop().call_later(LINGER_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone: by a reset, or because it was closed."""
        connection, other = self.connection, self.connection.other(self.name)
        if self.name == SLAVE:
            connection.link.connected.discard(connection)
        if exc is None:
            other.close_soon()
            return
        try:
            if not self.has_ended and not connection.is_told_lost:
                connection.is_told_lost = True
                connection.tell_end("reset")
        finally:
            other.abort()

    def abort(self) -> None:
        """End it with a reset."""
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        transport.abort()
