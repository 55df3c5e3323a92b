"""Heartbeats: which consumers there are, and who is told when that changes.

Source: ClientManageProcessor, DefaultConsumerIdsChangeListener of 4.4.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import SYSTEM_ERROR, FieldError, Request
from brokers.wire.codes import RequestCode
from reference.decisions import consumer_groups
from reference.decisions.clients.services import name_retry_topic
from reference.decisions.consumer_groups import (
    ClientChannelInfo,
    ConsumerData,
    Subscribed,
)
from reference.decisions.sending.send_processor import make_retry_topic

GROUPS_MAX = 10_000
"""Beyond it heartbeats are refused, so that nobody fills the memory with them."""


def read_group(told: Mapping[str, Any]) -> ConsumerData:
    """One group of a heartbeat. Raises KeyError, ValueError, TypeError, AttributeError."""
    subscriptions = (
        Subscribed(
            str(each["topic"]),
            str(each.get("subString") or ""),
            str(each.get("expressionType") or ""),
            int(each.get("subVersion", 0)),
            dict(each),
        )
        for each in told.get("subscriptionDataSet") or ()
    )
    return ConsumerData(
        str(told["groupName"]),
        is_broadcasting=told.get("messageModel") == "BROADCASTING",
        consume_type=str(told.get("consumeType") or ""),
        consume_from_where=str(told.get("consumeFromWhere") or ""),
        subscriptions=tuple(subscriptions),
    )


@handles(
    RequestCode.HEART_BEAT,
    by=(consumer_groups.register, consumer_groups.register_producer, make_retry_topic),
)
def heart_beat(ports: BrokerPorts, request: Request) -> None:
    """``ClientManageProcessor#heartBeat``: a group also gets its topic of failed messages.

    Raises FieldError.
    """
    command, clients = request.command, ports.clients
    try:
        told = json.loads(command.body)
        client = ClientChannelInfo(str(told["clientID"]), command.language, command.version)
        groups = [read_group(each) for each in told.get("consumerDataSet") or ()]
        names = [str(each["groupName"]) for each in told.get("producerDataSet") or ()]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise FieldError(f"the body is no heartbeat: {type(problem).__name__}") from problem
    registered, producers = clients.groups, clients.producers
    for group in groups:
        registered = consumer_groups.register(registered, request.asker, client, group)
    for name in names:
        producers = consumer_groups.register_producer(producers, request.asker, client, name)
    if max(len(registered), len(producers)) > GROUPS_MAX:
        raise FieldError(f"there are {GROUPS_MAX} groups already")
    for group in groups:
        topic = make_retry_topic(name_retry_topic(group.group))
        if topic is not None:
            ports.tables.know_topic(topic)
    clients.producers = producers
    clients.change(registered)
    request.answer()


@handles(
    RequestCode.UNREGISTER_CLIENT,
    by=(consumer_groups.unregister, consumer_groups.unregister_producer),
)
def unregister(ports: BrokerPorts, request: Request) -> None:
    """``ClientManageProcessor#unregisterClient``."""
    fields, clients = request.command.fields, ports.clients
    group, producers = fields.get("consumerGroup", ""), fields.get("producerGroup", "")
    clients.producers = consumer_groups.unregister_producer(
        clients.producers, request.asker, producers
    )
    clients.change(consumer_groups.unregister(clients.groups, request.asker, group))
    request.answer()


@handles(RequestCode.GET_CONSUMER_LIST_BY_GROUP, by=(consumer_groups.list_ids,))
def list_consumers(ports: BrokerPorts, request: Request) -> None:
    """``ConsumerManageProcessor#getConsumerListByGroup``."""
    ids = consumer_groups.list_ids(ports.clients.groups, request.text("consumerGroup"))
    if not ids:
        request.answer(SYSTEM_ERROR, "no consumer for this group")
        return
    request.answer(body=json.dumps({"consumerIdList": ids}).encode())
