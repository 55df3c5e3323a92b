"""A slave copies the tables of a master, and its own tables are asked for."""

from __future__ import annotations

import json
from typing import Any

from attrs import evolve

from brokers.broker.parts import USUAL_PARTS
from brokers.wire.codes import RequestCode
from tests.brokers.broker.mutants.bench import MASTER, Bench
from tests.brokers.broker.simulated.lone import Client, Lone

COPY_MS, PERIOD_MS = 11_000.0, 60_000.0
"""When the first copy is over, and how long until the next one."""


def start_pair(bench: Bench) -> tuple[Lone, Lone]:
    """A master, and a slave that knows it as if from a name server."""
    usual = evolve(bench, parts=USUAL_PARTS)
    master = usual.start("ASYNC_MASTER", "master", brokerIP1=MASTER, messageDelayLevel="1s 3s")
    address = f"{MASTER}:10912"
    slave = bench.start("SLAVE", "slave", brokerId=1, haMasterAddress=address)
    slave.broker.tables.set_master(f"{MASTER}:10911")
    return master, slave


def commit(lone: Lone, offset: int, group: str = "G") -> None:
    """Progress of a group."""
    fields = {"topic": "T", "queueId": 0, "consumerGroup": group, "commitOffset": offset}
    assert lone.ask(lone.connect(), RequestCode.UPDATE_CONSUMER_OFFSET, fields).code == 0


def query(lone: Lone, group: str = "G") -> int:
    """Progress of a group."""
    fields = {"topic": "T", "queueId": 0, "consumerGroup": group}
    answer = lone.ask(lone.connect(), RequestCode.QUERY_CONSUMER_OFFSET, fields)
    return int(answer.fields["offset"])


def copied_tables(bench: Bench) -> Any:
    """Topic, group, progress and progress of delivery, after the first copy."""
    master, slave = start_pair(bench)
    client = master.connect()
    master.send(client, "T", b"x", properties="DELAY\x011\x02")
    group = json.dumps({"groupName": "G", "retryMaxTimes": 3}).encode()
    master.ask(client, RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, {}, group)
    commit(master, 5)
    slave.wait(COPY_MS)
    delay = slave.folder / "config/delayOffset.json"
    return (
        has(slave, RequestCode.GET_ALL_TOPIC_CONFIG, b'"T"'),
        has(slave, RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, b'"G"'),
        query(slave),
        delay.exists(),
    )


def has(lone: Lone, code: int, name: bytes) -> bool:
    """A table names it."""
    client: Client = lone.connect()
    return name in lone.ask(client, code).body


def second_copy(bench: Bench) -> Any:
    """Progress after two copies, between which it has changed."""
    master, slave = start_pair(bench)
    commit(master, 5)
    slave.wait(COPY_MS)
    commit(master, 6)
    slave.wait(PERIOD_MS)
    return query(slave)


def copy_without_a_master(bench: Bench) -> Any:
    """Progress after a second copy that nobody has answered."""
    master, slave = start_pair(bench)
    commit(master, 5)
    slave.wait(COPY_MS)
    for port in (10909, 10911):
        del bench.network.listeners[f"{MASTER}:{port}"]
    master.broker.server.close()
    slave.wait(PERIOD_MS + 10_000.0)
    return query(slave)


def progress_of_both(bench: Bench) -> Any:
    """Progress of a group that both know, and of one that only the slave knows."""
    master, slave = start_pair(bench)
    commit(master, 5)
    commit(slave, 9)
    commit(slave, 3, "H")
    slave.wait(COPY_MS)
    return query(slave), query(slave, "H")
