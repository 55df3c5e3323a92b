"""The broker as a client of others: requests to a name server or a master, and their answers.

Source: NettyRemotingClient of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, evolve, field

from brokers.broker.host import Host, Timer, Transport
from brokers.wire.remoting import Command, CommandReader, encode
from brokers.wire.wire_error import WireError

CONNECT_TIMEOUT_MS = 3000.0
Answered = Callable[[Command | None], None]
"""Called once with the answer; None: there is none."""


@define(eq=False, repr=False)
class _Waiting:
    on_answer: Answered
    timer: Timer


@define(eq=False, repr=False)
class Channel:
    """One connection to an address; a peer of the host."""

    client: RemotingClient
    address: str
    transport: Transport | None = None
    reader: CommandReader = field(factory=CommandReader)
    unsent: list[bytes] = field(factory=list)
    waiting: dict[int, _Waiting] = field(factory=dict)

    def opened(self, transport: Transport) -> None:
        """What was asked meanwhile is sent."""
        self.transport = transport
        for data in self.unsent:
            transport.send(data)
        self.unsent.clear()

    def received(self, data: bytes) -> None:
        """Answers go to who has asked; nothing else is expected here."""
        try:
            commands = self.reader.feed(data)
        except WireError as problem:
            self.client.host.log(f"{self.address}: {problem}; the connection is closed")
            if self.transport is not None:
                self.transport.abort()
            return
        for command in commands:
            if command.is_response:
                self.end(command.opaque, command)

    def drained(self) -> None:
        """Requests are small; there is nothing to resume."""

    def lost(self, reason: str) -> None:
        """Nobody answers any more."""
        self.client.forget(self)
        for opaque in list(self.waiting):
            self.end(opaque, None)

    def end(self, opaque: int, answer: Command | None) -> None:
        """A request has its answer, or will have none."""
        waiting = self.waiting.pop(opaque, None)
        if waiting is not None:
            waiting.timer.cancel()
            waiting.on_answer(answer)


@define(eq=False, repr=False)
class RemotingClient:
    """Connections to others, one for each address."""

    host: Host
    channels: dict[str, Channel] = field(factory=dict)
    _opaque: int = 0

    def ask(self, address: str, request: Command, timeout_ms: float, on_answer: Answered) -> None:
        """Send a request (``invokeSync``)."""
        channel = self.channels.get(address)
        if channel is None:
            channel = self.channels[address] = Channel(self, address)
            self.host.connect(address, channel, CONNECT_TIMEOUT_MS)
        self._opaque += 1
        opaque = self._opaque
        timer = self.host.after(timeout_ms, lambda: channel.end(opaque, None))
        channel.waiting[opaque] = _Waiting(on_answer, timer)
        data = encode(evolve(request, opaque=opaque))
        if channel.transport is None:
            channel.unsent.append(data)
        else:
            channel.transport.send(data)

    def forget(self, channel: Channel) -> None:
        """A connection is gone; the next request opens another."""
        if self.channels.get(channel.address) is channel:
            del self.channels[channel.address]

    def close(self) -> None:
        """End all connections."""
        for channel in list(self.channels.values()):
            if channel.transport is not None:
                channel.transport.abort()
