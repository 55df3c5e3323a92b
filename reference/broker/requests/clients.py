"""Heartbeats: which consumers there are, and who is told when that changes.

Source: ClientManageProcessor, DefaultConsumerIdsChangeListener of 4.4.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from reference.broker.requests.handler import SYSTEM_ERROR, Asker, FieldError, Request, handles
from reference.decisions import consumer_groups
from reference.decisions.clients.services import name_retry_topic
from reference.decisions.consumer_groups import ConsumerGroups, Subscribed, Told
from reference.decisions.sending.send_processor import make_retry_topic
from reference.wire.codes import RequestCode
from reference.wire.remoting import ONE_WAY_FLAG, Command, encode

if TYPE_CHECKING:
    from reference.broker.broker import Broker

NOTIFY_CONSUMER_IDS_CHANGED = 40
GROUPS_MAX = 10_000
"""Beyond it heartbeats are refused, so that nobody fills the memory with them."""


@define(eq=False, repr=False)
class Consumers:
    """The consumers that have registered here."""

    groups: ConsumerGroups = field(factory=dict)

    def change(self, groups: ConsumerGroups) -> None:
        """Take over other groups, and tell the members of those that have changed."""
        before, self.groups = self.groups, groups
        for name in consumer_groups.list_changed(before, groups):
            fields = {"consumerGroup": name}
            request = Command(NOTIFY_CONSUMER_IDS_CHANGED, fields, flag=ONE_WAY_FLAG)
            for asker in list(groups[name].members):
                asker.send(encode(request))

    def forget(self, asker: Asker, name: str | None = None) -> None:
        """A connection, or one of its groups, is gone."""
        groups = self.groups
        for each in [name] if name is not None else list(groups):
            groups = consumer_groups.unregister(groups, asker, each)
        self.change(groups)


def read_group(told: Mapping[str, Any]) -> Told:
    """One group of a heartbeat. Raises KeyError, ValueError, TypeError, AttributeError."""
    subscriptions = (
        Subscribed(
            str(each["topic"]),
            str(each.get("subString") or ""),
            str(each.get("expressionType") or ""),
            int(each.get("subVersion", 0)),
        )
        for each in told.get("subscriptionDataSet") or ()
    )
    is_broadcasting = told.get("messageModel") == "BROADCASTING"
    return Told(str(told["groupName"]), is_broadcasting, tuple(subscriptions))


@handles(RequestCode.HEART_BEAT, by=(consumer_groups.register, make_retry_topic))
def heart_beat(broker: Broker, request: Request) -> None:
    """``ClientManageProcessor#heartBeat``: a group also gets its topic of failed messages.

    Raises FieldError.
    """
    try:
        told = json.loads(request.command.body)
        client_id = str(told["clientID"])
        groups = [read_group(each) for each in told.get("consumerDataSet") or ()]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise FieldError(f"the body is no heartbeat: {type(problem).__name__}") from problem
    registered = broker.consumers.groups
    for group in groups:
        registered = consumer_groups.register(registered, request.asker, client_id, group)
    if len(registered) > GROUPS_MAX:
        raise FieldError(f"there are {GROUPS_MAX} groups already")
    for group in groups:
        topic = make_retry_topic(name_retry_topic(group.group))
        if topic is not None and topic.name not in broker.tables.topics:
            broker.tables.put_topic(topic)
            broker.registration.register()
    broker.consumers.change(registered)
    request.answer()


@handles(RequestCode.UNREGISTER_CLIENT, by=(consumer_groups.unregister,))
def unregister(broker: Broker, request: Request) -> None:
    """``ClientManageProcessor#unregisterClient``."""
    group = request.command.fields.get("consumerGroup")
    if group is not None:
        broker.consumers.forget(request.asker, group)
    request.answer()


@handles(RequestCode.GET_CONSUMER_LIST_BY_GROUP, by=(consumer_groups.list_ids,))
def list_consumers(broker: Broker, request: Request) -> None:
    """``ConsumerManageProcessor#getConsumerListByGroup``."""
    ids = consumer_groups.list_ids(broker.consumers.groups, request.text("consumerGroup"))
    if not ids:
        request.answer(SYSTEM_ERROR, "no consumer for this group")
        return
    request.answer(body=json.dumps({"consumerIdList": ids}).encode())
