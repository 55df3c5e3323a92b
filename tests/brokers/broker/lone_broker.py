"""A broker on a simulated network, without any other, and clients that send it bytes."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from brokers.broker.host import Transport
from brokers.wire.remoting import Command, CommandReader, encode
from tests.brokers.broker.simulated.lone import Lone

USUAL = {
    "brokerName": "b",
    "brokerClusterName": "C",
    "diskMaxUsedSpaceRatio": "99",
    "mapedFileSizeCommitLog": "262144",
    "mapedFileSizeConsumeQueue": "2000",
}
CLIENT = "127.0.0.1:5000"


@define(eq=False)
class SimulatedClient:
    """One connection of a client; a peer of the host."""

    lone: LoneBroker
    transport: Transport | None = None
    reader: CommandReader = field(factory=CommandReader)
    answers: dict[int, Command] = field(factory=dict)
    """By the number of the request."""
    requests: list[Command] = field(factory=list)
    """What the broker has asked."""

    def opened(self, transport: Transport) -> None:
        """The connection is open."""
        self.transport = transport

    def received(self, data: bytes) -> None:
        """Answers, and requests of the broker."""
        for command in self.reader.feed(data):
            if command.is_response:
                self.answers[command.opaque] = command
            else:
                self.requests.append(command)

    def drained(self) -> None:
        """Requests are small."""

    def lost(self, reason: str) -> None:
        """The broker is gone."""
        self.transport = None

    def send(self, data: bytes) -> None:
        """Bytes go to the broker."""
        assert self.transport is not None
        self.transport.send(data)

    def ask(self, code: int, body: bytes = b"", wait_ms: float = 50.0, **told: object) -> Command:
        """A request, and its answer within this time."""
        opaque = len(self.answers) + 1_000_000
        fields = {name: str(value) for name, value in told.items()}
        self.send(encode(Command(code, fields, body, opaque=opaque)))
        self.lone.wait(wait_ms)
        return self.answers[opaque]


@define(eq=False, repr=False)
class LoneBroker(Lone):
    """A master that nobody copies from, and whose clients know answers by their numbers."""

    usual: Mapping[str, str] = field(factory=lambda: USUAL)
    client_address: str = CLIENT

    def connect_client(self) -> SimulatedClient:
        """A client."""
        client = SimulatedClient(self)
        self.join(client, self.broker.settings.address)
        return client

    def close(self) -> None:
        """Leave the files to others."""
        self.broker.store.files.unlock()
