"""The tester as a name server: it tells a slave under test where its master is, while that runs.

Source: DefaultRequestProcessor of 4.4.0, as far as a broker asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import define, field

from brokers.broker.host import Transport
from brokers.broker.requests.request import NOT_SUPPORTED, SUCCESS
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import RESPONSE_FLAG, Command, CommandReader, encode
from brokers.wire.wire_error import WireError

Answer = tuple[int, Mapping[str, str]]
"""A code and fields."""
Register = Callable[[Mapping[str, str]], Mapping[str, str]]
"""By the fields of a registration: those of its answer."""


@define(eq=False, repr=False)
class NameServerConnection:
    """A broker's connection to its name server; a peer of the host."""

    register: Register
    transport: Transport | None = None
    reader: CommandReader = field(factory=CommandReader)

    def opened(self, transport: Transport) -> None:
        """A broker has connected."""
        self.transport = transport

    def received(self, data: bytes) -> None:
        """Requests, each with its answer."""
        try:
            commands = self.reader.feed(data)
        except WireError:
            commands = []
            if self.transport is not None:
                self.transport.abort()
        for command in commands:
            if self.transport is not None and not (command.is_response or command.is_one_way):
                code, fields = self.answer(command)
                told = Command(code, dict(fields), opaque=command.opaque, flag=RESPONSE_FLAG)
                self.transport.send(encode(told))

    def answer(self, command: Command) -> Answer:
        """What a name server says to a broker.

        It always calls the broker's topics changed, so that none leaves its registration out
        (``BrokerOuterAPI#needRegister``).
        """
        if command.code == RequestCode.REGISTER_BROKER:
            return SUCCESS, self.register(command.fields)
        if command.code == RequestCode.QUERY_DATA_VERSION:
            return SUCCESS, {"changed": "true"}
        if command.code == RequestCode.UNREGISTER_BROKER:
            return SUCCESS, {}
        return NOT_SUPPORTED, {}

    def leave(self) -> None:
        """The name server ends."""
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.abort()

    def drained(self) -> None:
        """Answers are short."""

    def lost(self, reason: str) -> None:
        """The broker has left."""
        self.transport = None
