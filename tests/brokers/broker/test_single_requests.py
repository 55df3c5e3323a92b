"""A broker's answers to single requests, and what it delivers later."""

from __future__ import annotations

import itertools
import json
import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

from brokers.broker.requests.administration import write_bytes
from brokers.wire.codes import RequestCode
from tests.brokers.broker.lone_broker import LoneBroker, SimulatedClient

SEND = {
    "b": "T",
    "c": "TBW102",
    "d": 4,
    "e": 0,
    "f": 0,
    "g": 1,
    "h": 0,
    "j": 0,
    "m": "false",
}
"""SEND_MESSAGE_V2 by the short names of its fields."""

FUSSY = (
    RequestCode.LOCK_BATCH_MQ,
    RequestCode.UNLOCK_BATCH_MQ,
    RequestCode.HEART_BEAT,
    RequestCode.CONSUMER_SEND_MSG_BACK,
    RequestCode.VIEW_MESSAGE_BY_ID,
    RequestCode.GET_CONSUME_STATS,
)
"""Requests that need a body, or fields."""


@pytest.fixture
def lone(tmp_path: Path) -> Iterator[LoneBroker]:
    """A master in an empty folder."""
    broker = LoneBroker(tmp_path, {"messageDelayLevel": "1s 3s"})
    yield broker
    broker.close()


def send(client: SimulatedClient, properties: str = "", topic: str = "T", **others: object) -> int:
    """Send a message; the code of the answer."""
    told = {**SEND, "i": properties, "b": topic, **others}
    return client.ask(RequestCode.SEND_MESSAGE_V2, b"body", **told).code


def count(lone: LoneBroker, topic: str, queue: int = 0) -> int:
    """How many messages a queue has."""
    answer = lone.connect_client().ask(RequestCode.GET_MAX_OFFSET, topic=topic, queueId=queue)
    return int(answer.fields["offset"])


def test_a_delayed_message_is_delivered_when_it_is_due(lone: LoneBroker) -> None:
    """Not before; the one of a lower level overtakes."""
    client = lone.connect_client()
    assert send(client, "DELAY\x012\x02") == 0
    assert send(client, "DELAY\x011\x02") == 0
    assert count(lone, "T") == 0
    lone.wait(1_300.0)
    assert count(lone, "T") == 1
    lone.wait(2_000.0)
    assert count(lone, "T") == 2


def test_delivery_goes_on_where_its_file_says(lone: LoneBroker, tmp_path: Path) -> None:
    """A stop does not write it: what was delivered since the last write comes twice."""
    client = lone.connect_client()
    send(client, "DELAY\x011\x02")
    lone.wait(10_500.0)
    file = tmp_path / "config/delayOffset.json"
    assert json.loads(file.read_text().replace("1:", '"1":')) == {"offsetTable": {"1": 1}}
    send(client, "DELAY\x011\x02")
    lone.wait(2_000.0)
    assert count(lone, "T") == 2
    lone.broker.stop(lambda: None)
    lone.wait(7_000.0)
    again = LoneBroker(tmp_path, lone.told)
    again.wait(2_000.0)
    assert count(again, "T") == 3
    again.close()


def test_a_transaction_is_refused(lone: LoneBroker) -> None:
    """Its first half would lie in the log, and nobody would ever end it."""
    assert send(lone.connect_client(), "TRAN_MSG\x01true\x02") == 16
    assert lone.broker.store.max_offset == 0


def test_a_failed_message_needs_a_number_of_tries(lone: LoneBroker) -> None:
    """As in 4.4.0, which throws; one that has had them all is a dead letter."""
    client = lone.connect_client()
    assert send(client, topic="%RETRY%G") == 1
    assert send(client, topic="%RETRY%G", j=1, l=2) == 0
    assert send(client, topic="%RETRY%G", j=2, l=2) == 0
    assert (count(lone, "%RETRY%G"), count(lone, "%DLQ%G")) == (1, 1)
    assert lone.broker.tables.topics["%DLQ%G"].permission == 2


def test_consumers_filter_by_tags_only(lone: LoneBroker) -> None:
    """Whoever wants more hears it before it consumes."""
    client = lone.connect_client()
    for kind, code in (("TAG", 0), (None, 0), ("SQL92", 1)):
        body = json.dumps({"subscriptionData": {"expressionType": kind, "topic": "T"}}).encode()
        assert client.ask(RequestCode.CHECK_CLIENT_CONFIG, body).code == code


def test_nonsense_is_answered_with_an_error(lone: LoneBroker) -> None:
    """And the broker goes on."""
    client = lone.connect_client()
    for code, body in itertools.product(FUSSY, (b"", b"[]", b'{"mqSet":5}', b"\xff")):
        assert client.ask(code, body).code == 1
    assert client.ask(RequestCode.CHECK_CLIENT_CONFIG, b"[]").code == 1
    assert send(client) == 0


def test_no_message_is_anywhere_else(lone: LoneBroker) -> None:
    """An offset that no answer has named."""
    client = lone.connect_client()
    send(client)
    codes = [
        client.ask(RequestCode.VIEW_MESSAGE_BY_ID, offset=offset).code
        for offset in (0, -1, 1, 2**40)
    ]
    assert codes == [0, 1, 1, 1]


def test_a_consumer_that_unsubscribes_is_not_counted(lone: LoneBroker) -> None:
    """Nor is one whose connection has ended."""
    client = lone.connect_client()
    for topics in (["T", "U"], ["U"]):
        told = [{"topic": each, "subString": "*", "subVersion": 1} for each in topics]
        group = {"groupName": "G", "messageModel": "CLUSTERING", "subscriptionDataSet": told}
        body = json.dumps({"clientID": "c", "consumerDataSet": [group]}).encode()
        assert client.ask(RequestCode.HEART_BEAT, body).code == 0
    for topic, groups in (("T", []), ("U", ["G"])):
        answer = client.ask(RequestCode.QUERY_TOPIC_CONSUME_BY_WHO, topic=topic)
        assert json.loads(answer.body) == {"groupList": groups}
    assert client.transport is not None
    client.transport.close()
    lone.wait(50.0)
    other = lone.connect_client()
    assert other.ask(RequestCode.GET_CONSUMER_CONNECTION_LIST, consumerGroup="G").code == 206


def test_settings_decide_about_built_in_topics(tmp_path: Path) -> None:
    """How many queues there are, and whether others are made after one of them."""
    told = {"autoCreateTopicEnable": "false", "brokerTopicEnable": "false"}
    lone = LoneBroker(tmp_path, {**told, "traceTopicEnable": "true"})
    topics = lone.broker.tables.topics
    assert "TBW102" not in topics
    assert (topics["b"].permission, topics["C"].permission) == (1, 7)
    assert topics["RMQ_SYS_TRACE_TOPIC"].write_queues == 1
    assert send(lone.connect_client()) == 17
    lone.close()


def test_all_settings_are_told(lone: LoneBroker) -> None:
    """Those in the file, and the others."""
    text = lone.connect_client().ask(RequestCode.GET_BROKER_CONFIG).body.decode()
    told = dict(line.split("=", 1) for line in text.splitlines())
    assert (told["messageDelayLevel"], told["autoCreateTopicEnable"]) == ("1s 3s", "true")
    assert told["haSendHeartbeatInterval"] == "5000"


def test_a_group_that_is_deleted_is_made_again_when_it_is_named(lone: LoneBroker) -> None:
    """With the usual settings."""
    client = lone.connect_client()
    body = json.dumps({"groupName": "G", "retryMaxTimes": 3}).encode()
    assert client.ask(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, body).code == 0
    assert lone.broker.tables.tables.groups.entries["G"].retries_max == 3
    assert client.ask(RequestCode.DELETE_SUBSCRIPTIONGROUP, groupName="G").code == 0
    assert "G" not in lone.broker.tables.tables.groups.entries
    assert lone.broker.tables.find_group("G").retries_max == 16


def test_runtime_figures(lone: LoneBroker) -> None:
    """What tools read of a broker."""
    client = lone.connect_client()
    send(client, "DELAY\x011\x02")
    lone.wait(2_500.0)
    table = json.loads(client.ask(RequestCode.GET_BROKER_RUNTIME_INFO).body)["table"]
    assert (table["brokerVersion"], table["scheduleMessageOffset_1"]) == ("293", "1,1")


def test_numbers_of_bytes_are_written_for_people() -> None:
    """As ``MixAll#humanReadableByteCount`` writes them."""
    assert [write_bytes(n) for n in (0, 1023, 1024, 3106)] == [
        "0 B",
        "1023 B",
        "1.0 KiB",
        "3.0 KiB",
    ]


def test_what_only_root_may_use_is_free(lone: LoneBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a broker would believe its disk fuller than RocketMQ does."""
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 11, 29))
    assert lone.broker.store.files.compute_disk_ratio() == 0.11
