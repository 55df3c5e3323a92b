"""What the broker answers to clients, and that each answer comes from a rule of the reference."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import brokers.broker
from brokers.broker.network import remoting_server
from brokers.broker.requests.handler import HANDLERS
from brokers.wire.codes import RequestCode
from brokers.wire.request_fields import make_pull, make_send
from reference.store import records
from tests.brokers.broker.simulated.lone import Lone

ROOT = Path(brokers.broker.__file__).parent
DECIDING = (
    "reference.decisions.",
    "reference.store.",
    "reference.configuration.",
    "brokers.broker.replication.puts",
)
"""Where rules lie; puts move on by those of replication (`test_simulated_groups`)."""
OUTGOING = {
    RequestCode.REGISTER_BROKER,
    RequestCode.UNREGISTER_BROKER,
    RequestCode.GET_ROUTEINTO_BY_TOPIC,
    RequestCode.QUERY_DATA_VERSION,
}
"""Requests to a name server: this broker sends them, or nobody here does."""
TABLE_CODES = (21, 43, 45, 201)


@pytest.fixture
def lone(tmp_path: Path) -> Lone:
    """A master of 4.4.0."""
    return Lone(tmp_path / "store")


def test_every_request_names_its_rules() -> None:
    """Each known request is answered or sent, and what decides is not of the broker's own."""
    assert remoting_server.REQUESTS
    assert set(HANDLERS) | OUTGOING == set(RequestCode)
    for handler in HANDLERS.values():
        assert handler.rules, handler.code
        for rule in handler.rules:
            assert rule.__module__.startswith(DECIDING), (handler.code, rule)


Asked = tuple[RequestCode, dict[str, Any], bytes]


def make_requests() -> list[Asked]:
    """Requests of each kind, so that each rule that a kind names has something to decide."""
    code, queue = RequestCode, {"topic": "T", "queueId": 0}
    progress = {**queue, "consumerGroup": "G", "commitOffset": 1}
    heartbeat = {
        "clientID": "c",
        "consumerDataSet": [{"groupName": "G", "subscriptionDataSet": []}],
        "producerDataSet": [{"groupName": "P"}],
    }
    short = {"b": "T", "c": "TBW102", "d": 4, "e": 0, "f": 0, "g": 1, "h": 0, "i": "", "m": "false"}
    dead = make_send("%RETRY%G", 0, reconsumeTimes=99, maxReconsumeTimes=1)
    locked = {"consumerGroup": "G", "clientId": "c", "mqSet": [{**queue, "brokerName": "a"}]}
    topic = {"topic": "N", "readQueueNums": 1, "writeQueueNums": 1, "perm": 6}
    back = {"group": "G", "offset": 0, "delayLevel": 0, "maxReconsumeTimes": 3}
    subscription = {"subscriptionData": {"topic": "T", "subString": "*"}}
    return [
        (code.SEND_MESSAGE, make_send("T", 0), b"x"),
        (code.SEND_MESSAGE, dead, b"x"),
        (code.SEND_MESSAGE_V2, short, b"x"),
        (code.SEND_MESSAGE_V2, {**short, "b": "%RETRY%G", "j": 99, "l": 1}, b"x"),
        (code.SEND_BATCH_MESSAGE, {**short, "m": "true"}, b""),
        (code.SEND_BATCH_MESSAGE, {**short, "b": "%RETRY%G", "j": 99, "l": 1}, b"x"),
        (code.PULL_MESSAGE, make_pull("T", 0, 0), b""),
        (code.UPDATE_CONSUMER_OFFSET, progress, b""),
        (code.QUERY_CONSUMER_OFFSET, progress, b""),
        (code.GET_MAX_OFFSET, queue, b""),
        (code.GET_MIN_OFFSET, queue, b""),
        (code.SEARCH_OFFSET_BY_TIMESTAMP, {**queue, "timestamp": 5}, b""),
        (code.GET_EARLIEST_MSG_STORETIME, queue, b""),
        (code.VIEW_MESSAGE_BY_ID, {"offset": 0}, b""),
        (code.CONSUMER_SEND_MSG_BACK, back, b""),
        (code.LOCK_BATCH_MQ, {}, json.dumps(locked).encode()),
        (code.UNLOCK_BATCH_MQ, {}, json.dumps(locked).encode()),
        (code.CHECK_CLIENT_CONFIG, {}, json.dumps(subscription).encode()),
        (code.UPDATE_AND_CREATE_TOPIC, topic, b""),
        (code.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, {}, b'{"groupName":"H"}'),
        (code.DELETE_SUBSCRIPTIONGROUP, {"groupName": "H"}, b""),
        (code.GET_TOPIC_STATS_INFO, {"topic": "T"}, b""),
        (code.GET_CONSUME_STATS, {"consumerGroup": "G", "topic": "T"}, b""),
        (code.QUERY_TOPIC_CONSUME_BY_WHO, {"topic": "T"}, b""),
        (code.HEART_BEAT, {}, json.dumps(heartbeat).encode()),
        (code.UNREGISTER_CLIENT, {"consumerGroup": "G", "producerGroup": "P"}, b""),
        (code.GET_CONSUMER_LIST_BY_GROUP, {"consumerGroup": "G"}, b""),
        (code.GET_CONSUMER_CONNECTION_LIST, {"consumerGroup": "G"}, b""),
        (code.GET_PRODUCER_CONNECTION_LIST, {"producerGroup": "P"}, b""),
        *((each, {}, b"") for each in (*TABLE_CODES, code.GET_BROKER_CONFIG)),
        (code.GET_BROKER_RUNTIME_INFO, {}, b""),
    ]


def prepare(lone: Lone) -> Any:
    """A client whose broker has a message, progress, and clients that have registered."""
    client = lone.connect()
    lone.send(client, "T")
    lone.wait(10.0)
    for code, asked, body in make_requests():
        if code in (RequestCode.HEART_BEAT, RequestCode.UPDATE_CONSUMER_OFFSET):
            lone.ask(client, code, asked, body)
    lone.wait(5.0)
    client.received_commands.clear()
    return client


@pytest.mark.parametrize("code", sorted(HANDLERS))
def test_the_named_rules_decide(lone: Lone, code: RequestCode) -> None:
    """All of them are called while requests of this kind are answered."""
    client = prepare(lone)
    called: set[Any] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            called.add(frame.f_code)

    sys.setprofile(note)
    try:
        for each, asked, body in make_requests():
            if each == code:
                lone.ask(client, code, asked, body)
    finally:
        sys.setprofile(None)
    codes = [find_code(rule) for rule in HANDLERS[code].rules]
    assert set(codes) <= called, [c for c in codes if c not in called]


def find_code(rule: Callable[..., Any]) -> Any:
    """The code of a function, or of a property of a class that rules read."""
    return rule.__code__


@pytest.mark.parametrize("path", sorted((ROOT / "sockets").glob("*.py")), ids=lambda p: p.stem)
def test_sockets_know_no_rule(path: Path) -> None:
    """They import bytes and time only."""
    tree = ast.parse(path.read_text())
    names = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not [n for n in names if n.startswith(("reference.decisions", "reference.worlds"))]
    assert not [n for n in names if n.startswith("reference.store")]


def test_a_message_comes_back(lone: Lone) -> None:
    """Sent, dispatched, pulled: the same record, and where to go on."""
    client = lone.connect()
    sent = lone.send(client, "T", b"hello", properties="TAGS\x01a\x02")
    assert (sent.code, sent.fields["queueOffset"]) == (0, "0")
    lone.wait(10.0)
    answer = lone.pull(client, "T", 0, 0)
    record = records.decode(answer.body)
    assert record is not None
    assert (record.topic, record.body, record.queue_offset) == (b"T", b"hello", 0)
    assert (answer.code, answer.remark) == (0, "FOUND")
    told = {name: int(value) for name, value in answer.fields.items()}
    expected = {"suggestWhichBrokerId": 0, "nextBeginOffset": 1, "minOffset": 0, "maxOffset": 1}
    assert told == expected


def test_tags_choose(lone: Lone) -> None:
    """Only messages of the wanted tag come, and the reader passes the others."""
    client = lone.connect()
    for tag in "abab":
        lone.send(client, "T", tag.encode(), properties=f"TAGS\x01{tag}\x02")
    lone.wait(10.0)
    answer = lone.pull(client, "T", 0, 0, subscription="b")
    record = records.decode(answer.body)
    assert record is not None
    assert record.body == b"b"
    assert answer.fields["nextBeginOffset"] == "4"


def test_a_pull_is_held_until_a_message_comes(lone: Lone) -> None:
    """Long polling: nothing is answered before, and the message is, at once."""
    reader, writer = lone.connect(), lone.connect()
    lone.send(writer, "T")
    lone.wait(10.0)
    wanted = make_pull("T", 0, 1, sysFlag=6, suspendTimeoutMillis=15_000)
    lone.tell(reader, RequestCode.PULL_MESSAGE, wanted)
    lone.wait(3000.0)
    assert not reader.received_commands
    lone.send(writer, "T", b"second")
    lone.wait(20.0)
    (answer,) = reader.received_commands
    assert (answer.code, answer.fields["nextBeginOffset"]) == (0, "2")


def test_a_held_pull_ends_by_its_time(lone: Lone) -> None:
    """PULL_NOT_FOUND, at the first look after it."""
    client = lone.connect()
    lone.send(client, "T")
    lone.wait(10.0)
    wanted = make_pull("T", 0, 1, sysFlag=6, suspendTimeoutMillis=8_000)
    lone.tell(client, RequestCode.PULL_MESSAGE, wanted)
    lone.wait(7900.0)
    assert len(client.received_commands) == 1
    lone.wait(5200.0)
    assert client.received_commands[-1].code == 19


def test_progress_is_kept(tmp_path: Path) -> None:
    """Committed, told, written to its file, and there after a start."""
    lone = Lone(tmp_path)
    client = lone.connect()
    lone.send(client, "T")
    place = {"topic": "T", "queueId": 0, "consumerGroup": "G"}
    assert lone.ask(client, RequestCode.QUERY_CONSUMER_OFFSET, place).fields == {"offset": "0"}
    lone.ask(client, RequestCode.UPDATE_CONSUMER_OFFSET, {**place, "commitOffset": 7})
    assert lone.ask(client, RequestCode.QUERY_CONSUMER_OFFSET, place).fields == {"offset": "7"}
    lone.broker.stop(lambda: None)
    lone.wait(2000.0)
    again = Lone(tmp_path)
    client = again.connect()
    assert again.ask(client, RequestCode.QUERY_CONSUMER_OFFSET, place).fields == {"offset": "7"}
    assert again.broker.store.is_last_exit_normal
    assert b'"T"' in again.ask(client, RequestCode.GET_ALL_TOPIC_CONFIG).body


def test_refusals_have_their_codes(lone: Lone) -> None:
    """Unknown topics, queues and requests, broken fields and bodies."""
    client = lone.connect()
    assert lone.send(client, "U", defaultTopic="none").code == 17
    assert lone.send(client, "TBW102").code == 1
    lone.send(client, "T")
    assert lone.send(client, "T", queue=99).code == 1
    assert lone.send(client, "T", b"x" * 9000).code == 13
    assert lone.pull(client, "U", 0, 0).code == 17
    assert lone.ask(client, 9999).code == 3
    assert lone.ask(client, RequestCode.SEND_MESSAGE, {}).code == 1
    broken = lone.ask(client, RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, {}, b"{")
    assert broken.code == 1


def test_a_slave_takes_no_message(tmp_path: Path) -> None:
    """SERVICE_NOT_AVAILABLE, and its own tables answer pulls."""
    lone = Lone(tmp_path, {"brokerRole": "SLAVE", "brokerId": "1"})
    client = lone.connect()
    assert lone.send(client, "BenchmarkTest").code == 14


def test_tables_are_told_to_slaves(lone: Lone) -> None:
    """Each of the four is a table in JSON, as far as RocketMQ writes JSON."""
    client = lone.connect()
    for code in TABLE_CODES:
        assert lone.ask(client, code).body.startswith(b"{")
