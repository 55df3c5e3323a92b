"""Heartbeats: which consumers there are, and who is told when that changes.

Source: ClientManageProcessor, DefaultConsumerIdsChangeListener of 4.4.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from brokers.broker.requests.handler import SYSTEM_ERROR, Asker, FieldError, Request, handles
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import ONE_WAY_FLAG, Command, encode
from reference.decisions import consumer_groups
from reference.decisions.clients.services import name_retry_topic
from reference.decisions.consumer_groups import (
    Client,
    ConsumerGroups,
    ProducerGroups,
    Subscribed,
    Told,
)
from reference.decisions.sending.send_processor import make_retry_topic

if TYPE_CHECKING:
    from brokers.broker.broker import Broker

NOTIFY_CONSUMER_IDS_CHANGED = 40
GROUPS_MAX = 10_000
"""Beyond it heartbeats are refused, so that nobody fills the memory with them."""


@define(eq=False, repr=False)
class Consumers:
    """The clients that have registered here."""

    groups: ConsumerGroups = field(factory=dict)
    producers: ProducerGroups = field(factory=dict)

    def change(self, groups: ConsumerGroups) -> None:
        """Take over other groups, and tell the members of those that have changed."""
        before, self.groups = self.groups, groups
        for name in consumer_groups.list_changed(before, groups):
            fields = {"consumerGroup": name}
            request = Command(NOTIFY_CONSUMER_IDS_CHANGED, fields, flag=ONE_WAY_FLAG)
            for asker in list(groups[name].members):
                asker.send(encode(request))

    def forget(self, asker: Asker) -> None:
        """A connection is gone."""
        groups = self.groups
        for name in list(groups):
            groups = consumer_groups.unregister(groups, asker, name)
        for name in list(self.producers):
            self.producers = consumer_groups.unregister_producer(self.producers, asker, name)
        self.change(groups)


def read_group(told: Mapping[str, Any]) -> Told:
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
    return Told(
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
def heart_beat(broker: Broker, request: Request) -> None:
    """``ClientManageProcessor#heartBeat``: a group also gets its topic of failed messages.

    Raises FieldError.
    """
    command, consumers = request.command, broker.consumers
    try:
        told = json.loads(command.body)
        client = Client(str(told["clientID"]), command.language, command.version)
        groups = [read_group(each) for each in told.get("consumerDataSet") or ()]
        names = [str(each["groupName"]) for each in told.get("producerDataSet") or ()]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise FieldError(f"the body is no heartbeat: {type(problem).__name__}") from problem
    registered, producers = consumers.groups, consumers.producers
    for group in groups:
        registered = consumer_groups.register(registered, request.asker, client, group)
    for name in names:
        producers = consumer_groups.register_producer(producers, request.asker, client, name)
    if max(len(registered), len(producers)) > GROUPS_MAX:
        raise FieldError(f"there are {GROUPS_MAX} groups already")
    for group in groups:
        topic = make_retry_topic(name_retry_topic(group.group))
        if topic is not None:
            broker.know_topic(topic)
    consumers.producers = producers
    consumers.change(registered)
    request.answer()


@handles(
    RequestCode.UNREGISTER_CLIENT,
    by=(consumer_groups.unregister, consumer_groups.unregister_producer),
)
def unregister(broker: Broker, request: Request) -> None:
    """``ClientManageProcessor#unregisterClient``."""
    fields, consumers = request.command.fields, broker.consumers
    group, producers = fields.get("consumerGroup", ""), fields.get("producerGroup", "")
    consumers.producers = consumer_groups.unregister_producer(
        consumers.producers, request.asker, producers
    )
    consumers.change(consumer_groups.unregister(consumers.groups, request.asker, group))
    request.answer()


@handles(RequestCode.GET_CONSUMER_LIST_BY_GROUP, by=(consumer_groups.list_ids,))
def list_consumers(broker: Broker, request: Request) -> None:
    """``ConsumerManageProcessor#getConsumerListByGroup``."""
    ids = consumer_groups.list_ids(broker.consumers.groups, request.text("consumerGroup"))
    if not ids:
        request.answer(SYSTEM_ERROR, "no consumer for this group")
        return
    request.answer(body=json.dumps({"consumerIdList": ids}).encode())
