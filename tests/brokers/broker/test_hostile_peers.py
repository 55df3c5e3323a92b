"""Peers that break the protocol: they get a line and a closed connection, others are served on."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from brokers.broker.network import remoting_server
from brokers.broker.requests.handler import HANDLERS
from brokers.broker.settings import SLOTS_OF_CONNECTIONS
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command, encode
from brokers.wire.replication import Frame, encode_frame, encode_report
from brokers.wire.request_fields import make_send
from tests.brokers.broker.simulated.lone import Client, Lone
from tests.brokers.broker.simulated.network import Process

ROUNDS, ROUNDS_NIGHTLY = 60, 20_000
PIECE_BYTES_MAX = 3000


@pytest.fixture
def lone(tmp_path: Path) -> Lone:
    """A master with small files."""
    return Lone(tmp_path / "store")


def is_served(lone: Lone) -> bool:
    """An honest client gets its answer."""
    client = lone.connect()
    answer = lone.send(client, "T")
    lone.wait(5.0)
    assert client.transport is not None
    client.transport.close()
    lone.wait(5.0)
    return answer.code == 0


def draw_garbage(chance: random.Random) -> bytes:
    """Bytes that no client sends, or nearly what one sends."""
    whole = encode(Command(chance.choice(list(RequestCode)), make_send("T", 0), b"body"))
    kinds: tuple[Callable[[], bytes], ...] = (
        lambda: chance.randbytes(chance.randint(1, PIECE_BYTES_MAX)),
        lambda: struct.pack(
            ">ii", chance.randint(-(2**31), 2**31 - 1), chance.randint(0, 2**31 - 1)
        ),
        lambda: whole[: chance.randint(1, len(whole))],
        lambda: corrupt(whole, chance),
        lambda: frame_header(b'{"code":' + b"[" * chance.randint(1, 2500)),
        lambda: frame_header(b'{"code":' + b"9" * chance.randint(1, 6000) + b"}"),
        lambda: frame_header(json.dumps({"code": 10, "extFields": {"topic": "\0" * 300}}).encode()),
        lambda: draw_fields(chance),
    )
    return chance.choice(kinds)()


def corrupt(data: bytes, chance: random.Random) -> bytes:
    """One byte is another."""
    at = chance.randrange(len(data))
    return data[:at] + chance.randbytes(1) + data[at + 1 :]


def frame_header(header: bytes) -> bytes:
    """A command with this header."""
    return struct.pack(">ii", 4 + len(header), len(header)) + header


def draw_fields(chance: random.Random) -> bytes:
    """A known request with strange values."""
    values = ("", "-1", str(2**63), str(-(2**63)), "x", "1e9", "\x01\x02", "%RETRY%", "é" * 99, "0")
    names = ("topic", "queueId", "queueOffset", "maxMsgNums", "sysFlag", "consumerGroup", "perm")
    names += ("commitOffset", "timestamp", "readQueueNums", "writeQueueNums", "bornTimestamp")
    names += ("flag", "properties", "defaultTopicQueueNums", "batch", "subVersion", "subscription")
    fields = {name: chance.choice(values) for name in names if chance.random() < 0.8}
    body = chance.choice((b"", b"{}", b"[]", b'{"groupName":5}', chance.randbytes(40)))
    return encode(Command(chance.choice(list(HANDLERS)), fields, body))


def attack(lone: Lone, rounds: int, seed: int, *, is_ha: bool) -> int:
    """Send garbage over many connections; how many bytes."""
    chance, sent = random.Random(seed), 0
    for _ in range(rounds):
        client = lone.connect(is_ha=is_ha)
        for _ in range(chance.randint(1, 4)):
            data = draw_garbage(chance)
            sent += len(data)
            if client.transport is not None:
                client.transport.send(data)
            lone.wait(chance.choice((0.5, 3.0)))
        if client.transport is not None:
            client.transport.close()
        lone.wait(4.0)
    return sent


@pytest.mark.parametrize("is_ha", [False, True])
def test_garbage_harms_nobody(lone: Lone, *, is_ha: bool) -> None:
    """Bytes at random, cut and corrupted commands, deep and huge headers, strange fields."""
    assert attack(lone, ROUNDS, 1, is_ha=is_ha) > ROUNDS
    assert is_served(lone)
    assert not lone.broker.server.count_pending()
    assert lone.broker.ha.rules.get("master.connection_count") == 0


@pytest.mark.nightly
@pytest.mark.parametrize("is_ha", [False, True])
def test_much_garbage_harms_nobody(lone: Lone, *, is_ha: bool) -> None:
    """The same for long."""
    for seed in range(ROUNDS_NIGHTLY // ROUNDS):
        attack(lone, ROUNDS, seed, is_ha=is_ha)
        assert is_served(lone)


def test_an_unfinished_command_ends_in_time(lone: Lone) -> None:
    """A client that sends a byte now and then is left after half a minute."""
    client = lone.connect()
    whole = encode(Command(RequestCode.SEND_MESSAGE, make_send("T", 0)))
    for byte in whole[:25]:
        assert client.transport is not None
        client.transport.send(bytes([byte]))
        lone.wait(1000.0)
    assert not client.is_lost
    lone.wait(remoting_server.UNFINISHED_MS)
    assert client.is_lost
    assert "has not ended in time" in lone.host.lines[-1]


def test_an_endless_command_is_not_begun(lone: Lone) -> None:
    """A length above the largest message is refused before its bytes come."""
    client = lone.connect()
    assert client.transport is not None
    client.transport.send(struct.pack(">i", 2**31 - 1))
    lone.wait(5.0)
    assert client.is_lost
    assert "a command of 2147483647 bytes" in lone.host.lines[-1]


def test_unfinished_commands_share_a_bound(lone: Lone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many clients that never end theirs do not fill the memory."""
    monkeypatch.setattr(remoting_server, "PENDING_BYTES_MAX", 10_000)
    clients = [lone.connect() for _ in range(8)]
    for client in clients:
        assert client.transport is not None
        client.transport.send(struct.pack(">i", 8000) + bytes(3000))
        lone.wait(5.0)
    assert lone.broker.server.count_pending() <= 10_000
    assert 0 < sum(client.is_lost for client in clients) < len(clients)


def test_too_many_clients_are_refused(lone: Lone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are there stay."""
    monkeypatch.setattr(remoting_server, "CONNECTIONS_MAX", 3)
    clients = [lone.connect() for _ in range(5)]
    lone.wait(5.0)
    assert [client.is_lost for client in clients] == [False] * 3 + [True] * 2


def test_too_many_slaves_are_refused(lone: Lone) -> None:
    """The rules follow a number of connections; others are closed with a line."""
    clients = [lone.connect(is_ha=True) for _ in range(SLOTS_OF_CONNECTIONS + 2)]
    lone.wait(5.0)
    assert sum(client.is_lost for client in clients) == 2
    assert lone.broker.ha.rules.get("master.connection_count") == SLOTS_OF_CONNECTIONS


def test_a_client_that_does_not_read_is_left(lone: Lone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answers do not fill the memory."""
    monkeypatch.setattr(remoting_server, "UNSENT_BYTES_MAX", 20_000)
    monkeypatch.setattr("tests.brokers.broker.simulated.network.SOCKET_BUFFERS_BYTES", 1000)
    client = lone.connect()
    for _ in range(40):
        if client.transport is not None:
            lone.tell(client, RequestCode.GET_ALL_TOPIC_CONFIG)
    lone.wait(50.0)
    assert client.is_lost
    assert any("does not read its answers" in line for line in lone.host.lines)


@pytest.mark.parametrize("offset", [-1, -(2**63), 2**63 - 1, 12345])
def test_strange_reports_are_taken_as_they_are(lone: Lone, offset: int) -> None:
    """4.4.0 checks nothing of a report; nobody is harmed by it."""
    client = lone.connect(is_ha=True)
    assert client.transport is not None
    client.transport.send(encode_report(offset) + encode_report(3)[:5])
    lone.wait(700.0)
    assert lone.broker.ha.rules.get("master.push2_slave_max_offset") == max(0, offset)
    assert is_served(lone)


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">qi", 0, -1),
        struct.pack(">qi", 0, 2**31 - 1),
        encode_frame(Frame(-5, b"x" * 50)),
        encode_frame(Frame(2**63 - 1, b"x" * 50)),
        encode_frame(Frame(0, b"x" * 20_000)),
        encode_frame(Frame(7187)),
        encode_frame(Frame(7187, b"x" * 50)),
        encode_frame(Frame(0, b"x" * 50)) + encode_frame(Frame(7, b"y" * 50)),
    ],
    ids=[
        "negative",
        "endless",
        "below",
        "above",
        "beyond its file",
        "heartbeat in a file",
        "in a file",
        "a gap",
    ],
)
def test_a_hostile_master_harms_no_slave(tmp_path: Path, data: bytes) -> None:
    """The slave stores what its rules take, closes otherwise, and connects again."""
    told = {"brokerRole": "SLAVE", "brokerId": "1", "haMasterAddress": "10.0.0.5:10912"}
    lone = Lone(tmp_path / "store", told)
    slave = lone.broker.slave
    assert slave is not None
    masters: list[Client] = []

    def accept() -> Client:
        masters.append(Client(is_remoting=False))
        return masters[-1]

    lone.network.listeners["10.0.0.5:10912"] = (Process("master"), accept)
    lone.wait(7000.0)
    assert masters
    assert masters[-1].transport is not None
    masters[-1].transport.send(data)
    lone.wait(8000.0)
    assert slave.is_connected or len(masters) > 1
    assert lone.connect().transport is not None
