"""A broker on a simulated network, without any other, and clients that send it bytes."""

from __future__ import annotations

import random
from pathlib import Path

from attrs import define, field

from reference.broker.broker import Broker
from reference.broker.host import Transport
from reference.broker.settings import Settings
from reference.configuration.files import read_one_broker
from reference.releases.versions import parse_version
from reference.wire.remoting import Command, CommandReader, encode
from tests.reference.broker.simulated.network import Network, Process, SimulatedHost

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
        self.lone.run(wait_ms)
        return self.answers[opaque]


@define(eq=False)
class LoneBroker:
    """A master that nobody copies from."""

    folder: Path
    told: dict[str, str] = field(factory=dict)
    network: Network = field(init=False)
    broker: Broker = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.network = Network(random.Random(1))
        usual = {
            "brokerRole": "ASYNC_MASTER",
            "brokerName": "b",
            "diskMaxUsedSpaceRatio": "99",
            "mapedFileSizeCommitLog": "262144",
            "mapedFileSizeConsumeQueue": "2000",
        }
        configuration, _ = read_one_broker(
            None, {**usual, "brokerClusterName": "C", **self.told}, parse_version("4.4.0")
        )
        own = str(configuration.values.get("brokerIP1", "127.0.0.1"))
        settings = Settings(configuration, self.folder, own)
        process = Process("broker")
        host = SimulatedHost(self.network, process, settings.address)
        self.broker = Broker(settings, host)
        self.broker.start()
        self.network.listeners[settings.address] = (process, self.broker.server.make_connection)

    def run(self, span_ms: float) -> None:
        """Time passes."""
        end_ms = self.network.now_ms + span_ms
        is_over = [False]
        self.network.after(span_ms, lambda: is_over.__setitem__(0, True), None)
        self.network.run(lambda: is_over[0])
        assert self.network.now_ms >= end_ms

    def connect(self) -> SimulatedClient:
        """A client."""
        client = SimulatedClient(self)
        host = SimulatedHost(self.network, Process("client"), CLIENT)
        host.connect(self.broker.settings.address, client, 1000.0)
        self.run(5.0)
        return client

    def close(self) -> None:
        """Leave the files to others."""
        self.broker.files.unlock()
