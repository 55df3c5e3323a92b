"""Heartbeats: which consumers there are, and what they have subscribed to.

Source: ClientManageProcessor, ConsumerManager, DefaultConsumerIdsChangeListener of 4.4.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from reference.broker.requests.handler import Asker, FieldError, Request, handles
from reference.decisions.clients.services import name_retry_topic
from reference.decisions.metadata.table_text import TopicConfig
from reference.decisions.reading.pull import Registration
from reference.wire.codes import RequestCode
from reference.wire.remoting import ONE_WAY_FLAG, Command, encode

if TYPE_CHECKING:
    from reference.broker.broker import Broker

NOTIFY_CONSUMER_IDS_CHANGED = 40
RETRY_QUEUES = 1
CLIENTS_MAX = 10_000


@frozen
class Client:
    """One client at the end of a connection (``ClientChannelInfo``)."""

    client_id: str
    language: str = "JAVA"
    version: int = 0


@frozen
class Subscribed:
    """A group's subscription to a topic."""

    text: str
    kind: str
    version: int
    told: Mapping[str, Any] = field(factory=dict)
    """All that a consumer says of it (``SubscriptionData``)."""


@define(eq=False)
class ConsumerGroup:
    """The consumers of a group on this broker."""

    is_broadcasting: bool = False
    consume_type: str = ""
    consume_from_where: str = ""
    members: dict[Asker, Client] = field(factory=dict)
    """By connection."""
    subscriptions: dict[str, Subscribed] = field(factory=dict)


@define(eq=False)
class Consumers:
    """``ConsumerManager`` and ``ProducerManager``."""

    groups: dict[str, ConsumerGroup] = field(factory=dict)
    producers: dict[str, dict[Asker, Client]] = field(factory=dict)
    """By group and connection."""

    def register(self, asker: Asker, client: Client, told: Mapping[str, Any]) -> None:
        """One group of a heartbeat; if its members change, all of them are told."""
        name = str(told["groupName"])
        group = self.groups.setdefault(name, ConsumerGroup())
        group.is_broadcasting = told.get("messageModel") == "BROADCASTING"
        group.consume_type = str(told.get("consumeType") or "")
        group.consume_from_where = str(told.get("consumeFromWhere") or "")
        subscribed = list(told.get("subscriptionDataSet") or ())
        for topic in group.subscriptions.keys() - {str(each["topic"]) for each in subscribed}:
            del group.subscriptions[topic]
        for each in subscribed:
            version = int(each.get("subVersion", 0))
            kind = str(each.get("expressionType") or "")
            text = str(each.get("subString") or "")
            known = group.subscriptions.get(str(each["topic"]))
            if known is None or version > known.version:
                group.subscriptions[str(each["topic"])] = Subscribed(text, kind, version, each)
        if group.members.get(asker) != client and len(group.members) < CLIENTS_MAX:
            group.members[asker] = client
            self._notify(name, group)

    def register_producer(self, asker: Asker, client: Client, told: Mapping[str, Any]) -> None:
        """One group of producers of a heartbeat."""
        group = self.producers.setdefault(str(told["groupName"]), {})
        if len(group) < CLIENTS_MAX:
            group[asker] = client

    def _notify(self, name: str, group: ConsumerGroup) -> None:
        request = Command(NOTIFY_CONSUMER_IDS_CHANGED, {"consumerGroup": name}, flag=ONE_WAY_FLAG)
        for asker in list(group.members):
            asker.send(encode(request))

    def forget(self, asker: Asker, group_name: str | None = None) -> None:
        """A connection, or one of its groups, is gone."""
        for name, group in list(self.groups.items()):
            if group_name in (None, name) and group.members.pop(asker, None) is not None:
                self._notify(name, group)
                if not group.members:
                    del self.groups[name]

    def forget_producer(self, asker: Asker, group_name: str | None = None) -> None:
        """A connection, or one of its groups of producers, is gone."""
        for name, members in list(self.producers.items()):
            if group_name in (None, name):
                members.pop(asker, None)
                if not members:
                    del self.producers[name]

    def list_ids(self, group_name: str) -> list[str]:
        """The client ids of a group."""
        group = self.groups.get(group_name)
        return [] if group is None else [each.client_id for each in group.members.values()]

    def find_subscription(self, group_name: str, topic: str) -> Subscribed | None:
        """What a group's consumers want of a topic."""
        group = self.groups.get(group_name)
        return None if group is None else group.subscriptions.get(topic)

    def describe(self, group_name: str, topic: str, version: int) -> Registration | None:
        """What is known of a group, for a pull; None: no consumer of it has registered."""
        group = self.groups.get(group_name)
        if group is None:
            return None
        known = group.subscriptions.get(topic)
        return Registration(
            is_broadcasting=group.is_broadcasting,
            has_topic=known is not None,
            is_latest=known is not None and known.version >= version,
        )


@handles(RequestCode.HEART_BEAT, by=(name_retry_topic,))
def heart_beat(broker: Broker, request: Request) -> None:
    """``ClientManageProcessor#heartBeat``: a group also gets its topic of failed messages.

    Raises FieldError.
    """
    try:
        told = json.loads(request.command.body)
        command = request.command
        client = Client(str(told["clientID"]), command.language, command.version)
        groups = list(told.get("consumerDataSet") or ())
        for each in groups:
            broker.consumers.register(request.asker, client, each)
        for each in told.get("producerDataSet") or ():
            broker.consumers.register_producer(request.asker, client, each)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise FieldError(f"the body is no heartbeat: {type(problem).__name__}") from problem
    for each in groups:
        name = name_retry_topic(str(each["groupName"]))
        if name not in broker.tables.topics:
            topic = TopicConfig(name=name, read_queues=RETRY_QUEUES, write_queues=RETRY_QUEUES)
            broker.tables.put_topic(topic)
            broker.registration.register()
    request.answer()


@handles(RequestCode.UNREGISTER_CLIENT, by=(name_retry_topic,))
def unregister(broker: Broker, request: Request) -> None:
    """``ClientManageProcessor#unregisterClient``."""
    group = request.command.fields.get("consumerGroup")
    if group is not None:
        broker.consumers.forget(request.asker, group)
    producers = request.command.fields.get("producerGroup")
    if producers is not None:
        broker.consumers.forget_producer(request.asker, producers)
    request.answer()


@handles(RequestCode.GET_CONSUMER_LIST_BY_GROUP, by=(Registration,))
def list_consumers(broker: Broker, request: Request) -> None:
    """``ConsumerManageProcessor#getConsumerListByGroup``."""
    ids = broker.consumers.list_ids(request.text("consumerGroup"))
    if not ids:
        request.answer(1, "no consumer for this group")
        return
    request.answer(body=json.dumps({"consumerIdList": ids}).encode())
