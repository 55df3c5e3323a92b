"""Who is connected, and what a client may ask for.

Source: AdminBrokerProcessor#getConsumerConnectionList, #getProducerConnectionList and
ClientManageProcessor#checkClientConfig of 4.4.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import SYSTEM_ERROR, Asker, FieldError, Request
from brokers.wire.codes import RequestCode
from reference.decisions import consumer_groups
from reference.decisions.consumer_groups import ClientChannelInfo, ConsumerGroup
from reference.decisions.reading.subscription import is_tag_type

CONSUMER_NOT_ONLINE = 206
"""``ResponseCode``."""


def list_connections(members: Mapping[Asker, ClientChannelInfo]) -> list[dict[str, Any]]:
    """``Connection`` objects."""
    return [
        {
            "clientAddr": asker.peer,
            "clientId": client.client_id,
            "language": client.language,
            "version": client.version,
        }
        for asker, client in members.items()
    ]


def describe_group(group: ConsumerGroup) -> dict[str, Any]:
    """``ConsumerConnection``."""
    subscriptions = {topic: dict(known.told) for topic, known in group.subscriptions.items()}
    model = "BROADCASTING" if group.is_broadcasting else "CLUSTERING"
    words = {
        "consumeFromWhere": group.consume_from_where,
        "consumeType": group.consume_type,
        "messageModel": model,
    }
    told = {name: word for name, word in words.items() if word}
    connections = list_connections(group.members)
    return {"connectionSet": connections, **told, "subscriptionTable": subscriptions}


@handles(RequestCode.GET_CONSUMER_CONNECTION_LIST, by=(consumer_groups.find_group,))
def list_consumers(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#getConsumerConnectionList``."""
    name = request.text("consumerGroup")
    group = consumer_groups.find_group(ports.clients.groups, name)
    if group is None:
        request.answer(CONSUMER_NOT_ONLINE, f"the consumer group[{name}] not online")
    else:
        request.answer(body=json.dumps(describe_group(group)).encode())


@handles(RequestCode.GET_PRODUCER_CONNECTION_LIST, by=(consumer_groups.find_producers,))
def list_producers(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#getProducerConnectionList``."""
    name = request.text("producerGroup")
    members = consumer_groups.find_producers(ports.clients.producers, name)
    if members is None:
        request.answer(SYSTEM_ERROR, f"the producer group[{name}] not exist")
    else:
        request.answer(body=json.dumps({"connectionSet": list_connections(members)}).encode())


@handles(RequestCode.CHECK_CLIENT_CONFIG, by=(is_tag_type,))
def check_client(_ports: BrokerPorts, request: Request) -> None:
    """``ClientManageProcessor#checkClientConfig``: tags are all that is filtered by here."""
    try:
        told = json.loads(request.command.body or b"{}").get("subscriptionData") or {}
        kind = str(told.get("expressionType") or "")
    except (ValueError, AttributeError, RecursionError) as problem:
        raise FieldError(f"the body is no subscription: {type(problem).__name__}") from problem
    if is_tag_type(kind):
        request.answer()
    else:
        text = f"The broker does not support consumer to filter message by {kind}"
        request.answer(SYSTEM_ERROR, text)
