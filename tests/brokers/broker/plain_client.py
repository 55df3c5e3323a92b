"""A producer, consumer and administrator over one plain socket, for tests of the broker."""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command, CommandReader, encode
from brokers.wire.request_fields import make_pull, make_send

TIMEOUT_S = 20.0


@define
class PlainClient:
    """One connection to a broker."""

    port: int
    host: str = "127.0.0.1"
    socket: socket.socket = field(init=False)
    reader: CommandReader = field(factory=CommandReader)
    numbers: itertools.count[int] = field(factory=lambda: itertools.count(1))

    def __attrs_post_init__(self) -> None:
        self.socket = socket.create_connection((self.host, self.port), TIMEOUT_S)

    def ask(self, code: int, fields: Mapping[str, Any] | None = None, body: bytes = b"") -> Command:
        """Send a request and wait for its answer. Raises OSError, TimeoutError."""
        texts = {name: str(value) for name, value in (fields or {}).items()}
        opaque = next(self.numbers)
        self.socket.sendall(encode(Command(code, texts, body, opaque=opaque)))
        while True:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("the broker has closed the connection")
            for command in self.reader.feed(data):
                if command.is_response and command.opaque == opaque:
                    return command

    def send(
        self, topic: str, body: bytes, queue: int = 0, properties: str = "", **others: Any
    ) -> Command:
        """SEND_MESSAGE."""
        fields = make_send(topic, queue, properties=properties, reconsumeTimes=0, **others)
        return self.ask(RequestCode.SEND_MESSAGE, fields, body)

    def pull(self, topic: str, queue: int, offset: int, **others: Any) -> Command:
        """PULL_MESSAGE with a subscription of its own."""
        fields = make_pull(topic, queue, offset, **others)
        return self.ask(RequestCode.PULL_MESSAGE, fields)

    def read_table(self, code: int) -> dict[str, Any]:
        """A whole table, or runtime information."""
        return dict(json.loads(self.ask(code).body))

    def close(self) -> None:
        """Leave."""
        self.socket.close()
