"""Brokers that answer, answer nonsense, answer without end, or do not answer."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Callable

import pytest

from brokers.recorder import observing
from brokers.recorder.line import Line
from brokers.recorder.nodes import Nodes
from brokers.recorder.observing import ObservedBroker
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import RESPONSE_FLAG, Command, CommandReader, encode
from tests.brokers.recorder.peers import LOOPBACK, find_port, run

TABLE = {
    "brokerVersionDesc": "V4_9_8",
    "commitLogMaxOffset": "900",
    "commitLogMinOffset": "100",
    "dispatchBehindBytes": "50",
}
CONFIG = "brokerRole=SYNC_MASTER\nhaSendHeartbeatInterval=500\nbrokerIP1=10.0.0.1\n"

Answer = Callable[[Command], bytes]


def answer_rightly(request: Command) -> bytes:
    """As a broker answers."""
    is_info = request.code == RequestCode.GET_BROKER_RUNTIME_INFO
    body = json.dumps({"table": TABLE}) if is_info else CONFIG
    return encode(Command(0, body=body.encode(), opaque=request.opaque, flag=RESPONSE_FLAG))


def answer_table(table: object) -> Answer:
    """Another table."""
    body = json.dumps(table).encode()
    return lambda request: encode(Command(0, body=body, opaque=request.opaque, flag=RESPONSE_FLAG))


class Broker:
    """Answers each request with these bytes."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.port = answer, find_port()
        self.lines: list[Line] = []
        self.notes: list[str] = []
        self.nodes = Nodes()
        self.told = asyncio.Event()

    async def start(self) -> asyncio.Server:
        """Listen."""
        return await asyncio.start_server(self._serve, LOOPBACK, self.port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        commands = CommandReader()
        try:
            while data := await reader.read(1 << 16):
                for request in commands.feed(data):
                    writer.write(self.answer(request))
                    await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    def write(self, lines: list[Line]) -> None:
        """What is recorded."""
        self.lines += lines
        self.told.set()

    def note(self, text: str) -> None:
        """What is noted."""
        self.notes.append(text)
        self.told.set()

    def ask(self) -> ObservedBroker:
        """Whoever asks it, as fast as it can."""
        return ObservedBroker(
            "master", LOOPBACK, self.port, 0.01, self.nodes, self.write, self.note
        )

    async def wait(self, is_enough: Callable[[], bool]) -> None:
        """Until something is told."""
        while not is_enough():
            self.told.clear()
            await self.told.wait()


def test_a_broker_tells_its_log_and_its_settings() -> None:
    """Each look is a line; the settings are asked for once."""

    async def test() -> None:
        broker = Broker(answer_rightly)
        server = await broker.start()
        task = asyncio.create_task(broker.ask().run())
        await broker.wait(lambda: len(broker.lines) > 2)
        task.cancel()
        server.close()
        figures = {"max_offset": 900, "min_offset": 100, "dispatch_behind_bytes": 50}
        for line in broker.lines:
            assert figures.items() <= line.fields.items()
            assert line.fields["begin_wall_ms"] <= line.wall_ms
        told = broker.nodes.told["master"]
        assert ("SYNC_MASTER", {"haSendHeartbeatInterval": 500}) == (
            told["role"],
            told["store_config"],
        )
        assert ("4.9.8", []) == (broker.nodes.release, broker.notes)

    run(test)


BAD_ANSWERS: dict[str, tuple[Answer, str]] = {
    "garbage": (lambda _: b"HTTP/1.1 400 Bad Request\r\n\r\n", "a command of"),
    "a length without end": (lambda _: struct.pack(">i", 2**31 - 1), "a command of"),
    "a list": (answer_table([1]), "no table"),
    "no table": (answer_table({"table": 5}), "no table"),
    "no figures": (answer_table({"table": {}}), "commitLogMaxOffset is ''"),
    "a long number": (
        answer_table({"table": {**TABLE, "commitLogMaxOffset": "9" * 5000}}),
        "commitLogMaxOffset is",
    ),
    "an error": (
        lambda request: encode(Command(1, opaque=request.opaque, flag=RESPONSE_FLAG)),
        "with code 1",
    ),
    "a body without end": (
        lambda request: encode(
            Command(0, body=b"x" * (2 << 20), opaque=request.opaque, flag=RESPONSE_FLAG)
        ),
        "a command of",
    ),
    "answers to nobody": (lambda _: encode(Command(0, opaque=-7, flag=1)), "in time"),
    "nothing": (lambda _: b"", "in time"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_a_bad_answer_costs_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker is asked on, and tells when it answers again."""
    answer, reason = BAD_ANSWERS[name]
    monkeypatch.setattr(observing, "ANSWER_SECONDS", 0.05 if reason == "in time" else 20.0)

    async def test() -> None:
        broker, asked = Broker(answer), list[int]()
        server = await broker.start()
        broker.answer = lambda request: asked.append(request.opaque) or answer(request)
        task = asyncio.create_task(broker.ask().run())
        await broker.wait(lambda: bool(broker.notes))
        while len(asked) < 2:
            await asyncio.sleep(0.01)
        assert [] == broker.lines
        (note,) = broker.notes
        assert reason in note
        assert len(note) < 200
        monkeypatch.setattr(observing, "ANSWER_SECONDS", 20.0)
        broker.answer = answer_rightly
        await broker.wait(lambda: bool(broker.lines))
        assert ["master answers again"] == broker.notes[1:] or len(broker.notes) == 1
        task.cancel()
        server.close()

    run(test)


def test_a_broker_that_is_down_costs_one_line() -> None:
    """When it is up, it is recorded."""

    async def test() -> None:
        broker = Broker(answer_rightly)
        task = asyncio.create_task(broker.ask().run())
        await broker.wait(lambda: bool(broker.notes))
        server = await broker.start()
        await broker.wait(lambda: bool(broker.lines))
        task.cancel()
        server.close()
        assert 1 == sum("does not answer" in note for note in broker.notes)

    run(test)
