"""Real clients' requests get a real broker's answers, and leave the same bytes in the log."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.wire.codes import RequestCode
from brokers.wire.remoting import LENGTH, Command, decode
from reference.store import records
from reference.store.records import Record
from tests.brokers.broker.lone_broker import LoneBroker
from tests.compressed import read_compressed

DATA = json.loads(read_compressed(Path(__file__).parents[2] / "data/exchanges/clients.json.xz"))
QUEUE_KEY = re.compile(r'\{"brokerName": ?"(\w+)", ?"queueId": ?(\d+), ?"topic": ?"([^"]*)"\}:')
NOT_COMPARED = {"lastUpdateTimestamp", "lastTimestamp", "clientAddr", "timestamp"}
RECORDS = (RequestCode.PULL_MESSAGE, RequestCode.VIEW_MESSAGE_BY_ID)
SETTINGS = {
    "brokerIP1": "127.0.0.2",
    "listenPort": str(DATA["listen_port"]),
    "mapedFileSizeCommitLog": "262144",
    "maxMessageSize": "65536",
    "defaultTopicQueueNums": "4",
}


def compare_value(value: Any) -> Any:
    """A value without times and ports; the order of a set does not matter."""
    if isinstance(value, dict):
        return {k: compare_value(each) for k, each in value.items() if k not in NOT_COMPARED}
    if isinstance(value, list):
        return sorted((compare_value(each) for each in value), key=str)
    return value


def compare_record(record: Record) -> Record:
    """A record without its time, its sender's port, and when an event was born."""
    is_event = record.topic == b"OFFSET_MOVED_EVENT"
    return evolve(
        record,
        store_timestamp_ms=0,
        born_host=record.born_host[:4],
        born_timestamp_ms=0 if is_event else record.born_timestamp_ms,
    )


def split_records(data: bytes) -> list[Record]:
    """The records in these bytes."""
    found, begin = [], 0
    while begin < len(data):
        (size,) = LENGTH.unpack_from(data, begin)
        record = records.decode(data[begin : begin + size])
        if size <= 0 or record is None:
            break
        found.append(compare_record(record))
        begin += size
    return found


def compare_answer(code: int, answer: Command | None) -> Any:
    """What has to be the same; a remark is for people."""
    if answer is None:
        return None
    fields = compare_value(dict(answer.fields))
    body: Any = answer.body
    if code in RECORDS:
        body = split_records(answer.body)
    elif answer.body:
        text = QUEUE_KEY.sub(r'"\1 \2 \3":', answer.body.decode())
        body = compare_value(json.loads(text))
    return answer.code, fields, body


def test_real_requests_get_real_answers(tmp_path: Path) -> None:
    """Byte by byte the same requests, at the same pace."""
    lone = LoneBroker(tmp_path, SETTINGS)
    clients, differing = {}, []
    begin_ms = lone.network.now_ms - DATA["exchange"][0]["at_ms"]
    for each in DATA["exchange"]:
        lone.wait(max(0.1, begin_ms + each["at_ms"] - lone.network.now_ms))
        client = clients.get(each["connection"])
        if client is None:
            client = clients[each["connection"]] = lone.connect_client()
        data = bytes.fromhex(each["request"])
        request = decode(data)
        client.send(LENGTH.pack(len(data)) + data)
        lone.wait(5.0)
        told = None if each["answer"] is None else decode(bytes.fromhex(each["answer"]))
        real = compare_answer(request.code, told)
        own = compare_answer(request.code, client.answers.get(request.opaque))
        if own != real:
            differing.append((request.code, own, real))
    lone.wait(2_000.0)
    log = lone.broker.store.read(0, lone.broker.store.max_offset)
    lone.close()
    assert differing == []
    assert split_records(log) == split_records(bytes.fromhex("".join(DATA["log"])))


@pytest.mark.parametrize("code", [RequestCode.CONSUMER_SEND_MSG_BACK, RequestCode.LOCK_BATCH_MQ])
def test_the_exchange_has_what_a_consumer_needs(code: RequestCode) -> None:
    """The comparison is about something."""
    codes = [decode(bytes.fromhex(each["request"])).code for each in DATA["exchange"]]
    assert codes.count(code) >= 4
