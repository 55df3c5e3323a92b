"""One broker and one client on a simulated network, for tests of requests."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.host import Peer, Transport
from brokers.broker.parts import USUAL_PARTS, Parts
from brokers.broker.settings import Settings
from brokers.configuration_files import read_one_broker
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command, CommandReader, encode
from brokers.wire.request_fields import make_pull, make_send
from reference.configuration.later_keys import name_in
from reference.releases.versions import parse_version
from tests.brokers.broker.simulated.network import Network, Process, SimulatedHost

USUAL = {
    "brokerName": "a",
    "brokerClusterName": "c",
    "mapedFileSizeCommitLog": "16384",
    "mapedFileSizeConsumeQueue": "2000",
    "maxMessageSize": "8192",
    "haSendHeartbeatInterval": "500",
    "diskMaxUsedSpaceRatio": "99",
}
PATIENCE_MS = 30_000.0


@define(eq=False, repr=False)
class Client:
    """A connection of bytes; a peer of the host."""

    received_commands: list[Command] = field(factory=list)
    transport: Transport | None = None
    reader: CommandReader = field(factory=CommandReader)
    is_lost: bool = False
    data: bytes = b""
    """What has come over a connection that is no remoting."""
    is_remoting: bool = True
    """It reads answers; else only bytes."""

    def opened(self, transport: Transport) -> None:
        """It is open."""
        self.transport = transport

    def received(self, data: bytes) -> None:
        """Bytes have come."""
        if self.is_remoting:
            self.received_commands += self.reader.feed(data)
        else:
            self.data += data

    def drained(self) -> None:
        """Nothing waits here."""

    def lost(self, reason: str) -> None:
        """The broker has closed it, or is not there."""
        self.is_lost, self.transport = True, None


@define(eq=False, repr=False)
class Lone:
    """The broker, and whoever connects."""

    folder: Path
    told: Mapping[str, str] = field(factory=dict)
    release: str = "4.4.0"
    epoch: int | None = None
    """The epoch that it is told, in controller mode."""
    usual: Mapping[str, str] = field(factory=lambda: USUAL)
    """Settings that ``told`` may replace."""
    client_address: str = "10.0.0.9:7000"
    parts: Parts = USUAL_PARTS
    """What the broker is made of."""
    network: Network = field(factory=lambda: Network(random.Random(1)))
    broker: Broker = field(init=False)
    process: Process = field(init=False)
    host: SimulatedHost = field(init=False)
    client_host: SimulatedHost = field(init=False)

    def __attrs_post_init__(self) -> None:
        version = parse_version(self.release)
        given = {**self.usual, **self.told}
        told = name_in(given, version)
        configuration, _ = read_one_broker(None, told, version)
        own_host = str(configuration.values.get("brokerIP1", "10.0.0.1"))
        settings = Settings(configuration, self.folder, own_host, epoch=self.epoch)
        self.process = Process("broker")
        self.host = SimulatedHost(self.network, self.process, settings.address)
        self.client_host = SimulatedHost(self.network, Process("client"), self.client_address)
        self.broker = Broker(settings, self.host, parts=self.parts)
        self.broker.start()
        self.network.listeners |= {
            settings.address: (self.process, self.broker.server.make_connection),
            settings.ha_address: (self.process, self.broker.ha.make_connection),
            f"{own_host}:{settings.ports.vip}": (self.process, self.broker.server.make_connection),
        }

    def connect(self, *, is_ha: bool = False) -> Client:
        """A new connection."""
        settings, client = self.broker.settings, Client(is_remoting=not is_ha)
        self.join(client, settings.ha_address if is_ha else settings.address)
        return client

    def join(self, client: Peer, address: str) -> None:
        """Connect a peer to the broker."""
        self.client_host.connect(address, client, 1000.0)
        self.wait(2.0)

    def wait(self, delay_ms: float) -> None:
        """Let time pass."""
        until_ms = self.network.now_ms + delay_ms
        self.network.after(delay_ms, lambda: None, None)
        self.network.run(lambda: self.network.now_ms >= until_ms)

    def ask(
        self, client: Client, code: int, fields: Mapping[str, Any] | None = None, body: bytes = b""
    ) -> Command:
        """A request, and its answer."""
        count = len(client.received_commands)
        self.tell(client, code, fields, body)
        until_ms = self.network.now_ms + PATIENCE_MS
        answers = client.received_commands
        self.network.run(lambda: len(answers) > count or self.network.now_ms > until_ms)
        return answers[count]

    def tell(
        self, client: Client, code: int, fields: Mapping[str, Any] | None = None, body: bytes = b""
    ) -> None:
        """A request whose answer is not awaited."""
        assert client.transport is not None
        texts = {name: str(value) for name, value in (fields or {}).items()}
        number = len(client.received_commands) + 1
        client.transport.send(encode(Command(code, texts, body, opaque=number)))

    def send(
        self, client: Client, topic: str, body: bytes = b"x", queue: int = 0, **others: Any
    ) -> Command:
        """SEND_MESSAGE."""
        return self.ask(client, RequestCode.SEND_MESSAGE, make_send(topic, queue, **others), body)

    def pull(self, client: Client, topic: str, queue: int, offset: int, **others: Any) -> Command:
        """PULL_MESSAGE."""
        fields = make_pull(topic, queue, offset, **others)
        return self.ask(client, RequestCode.PULL_MESSAGE, fields)
