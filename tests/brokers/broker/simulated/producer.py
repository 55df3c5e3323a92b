"""A producer that sends one message after another through the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from brokers.broker.host import Transport
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command, CommandReader, encode

if TYPE_CHECKING:
    from tests.brokers.broker.simulated.group import Group

TOPIC, QUEUES = "T0", 3


@define(eq=False, repr=False)
class Producer:
    """One connection at a time; a peer of the host."""

    group: Group
    number: int
    transport: Transport | None = None
    reader: CommandReader = field(factory=CommandReader)
    codes: list[int] = field(factory=list)
    """Of the answers that it got."""
    opaque: int = 0

    def connect(self) -> None:
        """To the master, where it listens."""
        self.group.client_host.connect(self.group.master_address, self, 1000.0)

    def opened(self, transport: Transport) -> None:
        """It begins."""
        self.transport, self.reader = transport, CommandReader()
        self._think()

    def drained(self) -> None:
        """Requests are small."""

    def lost(self, reason: str) -> None:
        """It tries again later."""
        self.transport = None
        if not self.group.is_ending:
            self.group.client_host.after(400.0, self.connect)

    def received(self, data: bytes) -> None:
        """An answer: after a while the next message."""
        for command in self.reader.feed(data):
            if command.is_response:
                self.codes.append(command.code)
                self._think()

    def _think(self) -> None:
        wait_ms = self.group.chance.expovariate(1 / self.group.scenario.think_ms)
        self.group.client_host.after(wait_ms + 0.1, self._send)

    def _send(self) -> None:
        if self.transport is None or self.group.is_ending:
            return
        chance, self.opaque = self.group.chance, self.opaque + 1
        most = self.group.scenario.body_max_bytes
        body = bytes(chance.choice([chance.randint(1, 300), chance.randint(1, most)]))
        waits = chance.random() < self.group.scenario.wait_share
        fields = {
            "producerGroup": "P",
            "topic": TOPIC,
            "defaultTopic": "TBW102",
            "defaultTopicQueueNums": str(QUEUES),
            "queueId": str(chance.randrange(QUEUES)),
            "sysFlag": "0",
            "bornTimestamp": str(self.group.client_host.wall_ms()),
            "flag": "0",
            "properties": "" if waits else "WAIT\x01false\x02",
        }
        command = Command(RequestCode.SEND_MESSAGE, fields, body, opaque=self.opaque)
        self.transport.send(encode(command))
