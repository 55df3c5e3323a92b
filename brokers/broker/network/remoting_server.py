"""The server of remoting requests: bounded commands, one answer each, and nobody who can hang it.

Source: NettyRemotingServer, NettyRemotingAbstract#processRequestCommand of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from brokers.broker.host import Host, Timer, Transport
from brokers.broker.requests import (
    administration,
    clients,
    connections,
    figures,
    locking,
    progress,
    pulling,
    returning,
    sending,
)
from brokers.broker.requests.handler import HANDLERS, Handler
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import NOT_SUPPORTED, SYSTEM_ERROR, FieldError, Request
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import HEADER_BYTES_MAX, Command, CommandReader
from brokers.wire.wire_error import WireError

REQUESTS = (
    administration,
    clients,
    connections,
    figures,
    locking,
    progress,
    pulling,
    returning,
    sending,
)
"""The modules whose handlers answer."""
CONNECTIONS_MAX = 256
PENDING_BYTES_MAX = 64 * 1024 * 1024
"""How much of unfinished commands all connections together may keep here."""
UNSENT_BYTES_MAX = 16 * 1024 * 1024
"""A client that does not read its answers is left beyond this."""
UNFINISHED_MS = 30_000.0
"""A command that has begun has to be whole by then."""
IDLE_MS = 120_000.0
"""``serverChannelMaxIdleTimeSeconds``."""


@define(eq=False, repr=False)
class RemotingConnection:
    """A client's connection; a peer of the host."""

    server: RemotingServer
    reader: CommandReader
    transport: Transport | None = None
    last_whole_ms: float = 0.0
    _timer: Timer | None = None

    @property
    def peer(self) -> str:
        """The client's address."""
        return "?" if self.transport is None else self.transport.peer

    def opened(self, transport: Transport) -> None:
        """A client has connected."""
        self.transport = transport
        self.last_whole_ms = self.server.host.now_ms()
        if not self.server.admit(self):
            transport.abort()
            return
        self._look()

    def send(self, data: bytes) -> None:
        """Send bytes, unless the client does not read."""
        if self.transport is None:
            return
        if self.transport.unsent_bytes > UNSENT_BYTES_MAX:
            self.end("it does not read its answers")
            return
        self.transport.send(data)

    def received(self, data: bytes) -> None:
        """Commands that are whole now, one after another."""
        try:
            commands = self.reader.feed(data)
        except WireError as problem:
            self.end(str(problem))
            return
        if commands or not self.reader.pending_bytes:
            self.last_whole_ms = self.server.host.now_ms()
        for command in commands:
            if self.transport is not None:
                self.server.process(self, command)
        if self.server.count_pending() > PENDING_BYTES_MAX:
            self.end("unfinished commands of all clients take too much memory")

    def drained(self) -> None:
        """Answers are not resumed: what waits, waits in the transport."""

    def lost(self, reason: str) -> None:
        """The client is gone."""
        if self._timer is not None:
            self._timer.cancel()
        self.transport = None
        self.server.forget(self)

    def end(self, reason: str) -> None:
        """Close, with a line."""
        self.server.host.log(f"client {self.peer}: {reason}; its connection is closed")
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.abort()
        self.lost(reason)

    def _look(self) -> None:
        """Who sends nothing whole for too long is left."""
        if self.transport is None:
            return
        waited_ms = self.server.host.now_ms() - self.last_whole_ms
        if self.reader.pending_bytes and waited_ms > UNFINISHED_MS:
            self.end("a command has not ended in time")
            return
        if waited_ms > IDLE_MS:
            self.end("nothing has come for two minutes")
            return
        self._timer = self.server.host.after(1000.0, self._look)


@define(eq=False, repr=False)
class RemotingServer:
    """All connections of clients."""

    ports: BrokerPorts
    make_request: type[Request]
    handlers: Mapping[RequestCode, Handler]
    """They answer instead of the usual ones."""
    connections: list[RemotingConnection] = field(factory=list)
    is_over: bool = False

    @property
    def host(self) -> Host:
        """Time and the network."""
        return self.ports.host

    def make_connection(self) -> RemotingConnection:
        """A peer for the next connection."""
        limit = self.ports.settings.number("maxMessageSize") + HEADER_BYTES_MAX
        return RemotingConnection(self, CommandReader(limit))

    def admit(self, connection: RemotingConnection) -> bool:
        """A new client, unless there are too many."""
        if self.is_over or len(self.connections) >= CONNECTIONS_MAX:
            self.host.log(f"client {connection.peer} is refused: too many connections")
            return False
        self.connections.append(connection)
        return True

    def forget(self, connection: RemotingConnection) -> None:
        """A client is gone, with its registrations and held pulls."""
        if connection in self.connections:
            self.connections.remove(connection)
            self.ports.clients.forget(connection)

    def count_pending(self) -> int:
        """How much of unfinished commands waits here (bytes)."""
        return sum(each.reader.pending_bytes for each in self.connections)

    def process(self, connection: RemotingConnection, command: Command) -> None:
        """One command: answered by its handler, or as one that this broker does not know."""
        if command.is_response:
            return
        request = self.make_request(command, connection)
        try:
            code = RequestCode(command.code)
            handler = self.handlers.get(code) or HANDLERS[code]
        except (ValueError, KeyError):
            remark = f" request type {command.code} not supported"
            request.answer(NOT_SUPPORTED, remark)
            return
        try:
            handler.answer(self.ports, request)
        except FieldError as problem:
            request.answer(SYSTEM_ERROR, str(problem))

    def close(self) -> None:
        """Admit nobody, and leave everybody."""
        self.is_over = True
        for connection in list(self.connections):
            if connection.transport is not None:
                connection.transport.close()
