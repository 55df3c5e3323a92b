"""What administrators ask of topics and groups: ends, progress, and who consumes.

Source: AdminBrokerProcessor#getTopicStatsInfo, #getConsumeStats, #queryTopicConsumeByWho and
#getEarliestMsgStoretime of 4.4.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.pulling import find_queue
from brokers.broker.requests.request import Request
from brokers.wire.codes import RequestCode
from reference.decisions.progress.offset_table import (
    name_key,
    split_keys,
)
from reference.decisions.sending.send_processor import SendCode
from reference.store import consume_queue as consume_queues
from reference.store.consume_queue import ConsumeQueue
from reference.store.store import find_consume_queue
from reference.store.time_search import pickup_store_timestamp


def get_store_time(ports: BrokerPorts, queue: ConsumeQueue, offset: int) -> int:
    """When a queue's message was stored (ms); -1: it is not there."""
    entries = consume_queues.get_index_buffer(queue, offset)
    return pickup_store_timestamp(ports.store.store, entries[0]) if entries else -1


def write_queues(
    ports: BrokerPorts, figures: Iterable[tuple[str, int, Mapping[str, int]]], **others: float
) -> bytes:
    """Figures by queue, in fastjson's text: the keys are objects."""
    entries = []
    for topic, queue, figure in figures:
        name = ports.settings.configuration.broker_name
        key = {"brokerName": name, "queueId": queue, "topic": topic}
        entries.append(f"{json.dumps(key)}:{json.dumps(figure)}")
    texts = [f"{json.dumps(name)}:{value}" for name, value in others.items()]
    return ("{" + ",".join([*texts, '"offsetTable":{' + ",".join(entries) + "}"]) + "}").encode()


@handles(RequestCode.GET_EARLIEST_MSG_STORETIME, by=(pickup_store_timestamp,))
def get_earliest_time(ports: BrokerPorts, request: Request) -> None:
    """``DefaultMessageStore#getEarliestMessageTime``."""
    queue = find_queue(ports, request)
    first_ms = get_store_time(ports, queue, queue.min_offset_in_queue)
    request.answer(fields={"timestamp": first_ms})


@handles(RequestCode.GET_TOPIC_STATS_INFO, by=(pickup_store_timestamp,))
def get_topic_figures(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#getTopicStatsInfo``."""
    name = request.text("topic")
    topic = ports.tables.topics.get(name)
    if topic is None:
        request.answer(SendCode.TOPIC_NOT_EXIST, f"topic[{name}] not exist")
        return
    figures = []
    for number in range(topic.write_queues):
        queue = find_consume_queue(ports.store.store, name, number)
        end = queue.max_offset_in_queue
        last_ms = get_store_time(ports, queue, end - 1) if end > 0 else 0
        ends = {"maxOffset": end, "minOffset": max(0, queue.min_offset_in_queue)}
        figures.append((name, number, {"lastUpdateTimestamp": last_ms, **ends}))
    request.answer(body=write_queues(ports, figures))


def list_consumed_topics(ports: BrokerPorts, group: str, told: str) -> list[str]:
    """The topics of a group: the one that was asked for, or all in which it has progress.

    One that its consumers do not subscribe to any more is left out.
    """
    table = ports.tables.tables.offsets
    topics = [told] if told.strip() else sorted({t for t, g in split_keys(table) if g == group})
    known = ports.clients.groups.get(group)
    subscribed = known.subscriptions if known is not None and known.subscriptions else None
    return [
        topic
        for topic in topics
        if topic in ports.tables.topics and (subscribed is None or topic in subscribed)
    ]


@handles(RequestCode.GET_CONSUME_STATS, by=(name_key, pickup_store_timestamp))
def get_progress(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#getConsumeStats``; nothing is told of speed."""
    group = request.text("consumerGroup")
    figures = []
    for topic in list_consumed_topics(ports, group, request.command.fields.get("topic", "")):
        offsets = ports.tables.tables.offsets.get(name_key(topic, group), {})
        for number in range(ports.tables.topics[topic].read_queues):
            queue = find_consume_queue(ports.store.store, topic, number)
            reached = max(0, offsets.get(number, 0))
            last_ms = get_store_time(ports, queue, reached - 1) if reached > 0 else 0
            figure = {"brokerOffset": queue.max_offset_in_queue, "consumerOffset": reached}
            figures.append((topic, number, {**figure, "lastTimestamp": max(0, last_ms)}))
    request.answer(body=write_queues(ports, figures, consumeTps=0.0))


@handles(RequestCode.QUERY_TOPIC_CONSUME_BY_WHO, by=(split_keys,))
def list_groups(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#queryTopicConsumeByWho``: who subscribes to it, or has progress."""
    topic = request.text("topic")
    present = {n for n, group in ports.clients.groups.items() if topic in group.subscriptions}
    kept = {group for each, group in split_keys(ports.tables.tables.offsets) if each == topic}
    request.answer(body=json.dumps({"groupList": sorted(present | kept)}).encode())
