"""asyncio as the host of a broker: it passes bytes and time on, and decides nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from attrs import define, field

from brokers.broker.host import Peer, Timer
from brokers.broker.ruled_state import StepRefusedError

SECOND_MS = 1000.0


@define(eq=False, repr=False)
class SocketTransport:
    """An open connection."""

    transport: asyncio.Transport
    peer: str

    @property
    def unsent_bytes(self) -> int:
        """What waits in this process for the other end."""
        return self.transport.get_write_buffer_size()

    def send(self, data: bytes) -> None:
        """Send, or keep until it can be sent."""
        if not self.transport.is_closing():
            self.transport.write(data)

    def close(self) -> None:
        """End it after what waits was sent."""
        self.transport.close()

    def abort(self) -> None:
        """End it at once."""
        self.transport.abort()


def name_peer(transport: asyncio.BaseTransport) -> str:
    """``host:port`` of the other end."""
    found = transport.get_extra_info("peername")
    return f"{found[0]}:{found[1]}" if found else "?"


class SocketPeer(asyncio.Protocol):
    """One connection: asyncio's calls become those of a broker's peer.

    A peer of which the rules refuse a step is left; nobody else hears of it. Anything else that is
    raised is a failure of this program, an OSError too: the socket's own errors come as ``lost``.
    """

    def __init__(self, host: SocketHost, peer: Peer) -> None:
        self.host, self.peer = host, peer
        self.transport: asyncio.Transport | None = None

    def _guard(self, act: Callable[[], None]) -> None:
        def refuse() -> None:
            try:
                act()
            except StepRefusedError as problem:
                self.host.log(f"a connection is closed: {problem}")
                if self.transport is not None:
                    self.transport.abort()

        self.host.guard(refuse)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=64 * 1024)
        wrapped = SocketTransport(transport, name_peer(transport))
        self._guard(lambda: self.peer.opened(wrapped))

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived."""
        self._guard(lambda: self.peer.received(data))

    def resume_writing(self) -> None:
        """There is room again."""
        self._guard(self.peer.drained)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended."""
        reason = "end of stream" if exc is None else str(exc) or type(exc).__name__
        self._guard(lambda: self.peer.lost(reason))


@define(eq=False, repr=False)
class SocketHost:
    """Time and the network of this machine."""

    write_line: Callable[[str], None]
    fail: Callable[[BaseException], None]
    """Takes what a callback raises."""
    loop: asyncio.AbstractEventLoop = field(factory=asyncio.get_running_loop)
    tasks: set[asyncio.Task[None]] = field(factory=set)

    def now_ms(self) -> float:
        """A clock that never goes back."""
        return self.loop.time() * SECOND_MS

    def wall_ms(self) -> int:
        """The time of day."""
        return int(self.wall_time_ms())

    def wall_time_ms(self) -> float:
        """The time of day, with its fraction of a millisecond."""
        return time.time() * SECOND_MS

    def after(self, delay_ms: float, act: Callable[[], None]) -> Timer:
        """Something happens so much later."""
        return self.loop.call_later(max(0.0, delay_ms) / SECOND_MS, self.guard, act)

    def guard(self, act: Callable[[], None]) -> None:
        """Do something; what it raises is a failure of this program."""
        try:
            act()
        except Exception as problem:
            self.fail(problem)

    def log(self, line: str) -> None:
        """A line for whoever runs the broker."""
        self.write_line(line)

    def connect(self, address: str, peer: Peer, timeout_ms: float) -> None:
        """Open a connection, in the background."""
        task = self.loop.create_task(self._connect(address, peer, timeout_ms))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _connect(self, address: str, peer: Peer, timeout_ms: float) -> None:
        host, _, port = address.rpartition(":")
        try:
            number = int(port)
            made = self.loop.create_connection(lambda: SocketPeer(self, peer), host, number)
            await asyncio.wait_for(made, timeout_ms / SECOND_MS)
        except (OSError, ValueError, OverflowError) as problem:
            reason = str(problem) or "no answer in time"
            self.guard(lambda: peer.lost(reason))

    async def listen(
        self, bind: str, port: int, make_peer: Callable[[], Peer]
    ) -> asyncio.base_events.Server:
        """Accept connections. Raises OSError."""
        return await self.loop.create_server(
            lambda: SocketPeer(self, make_peer()), bind, port, reuse_address=True
        )
