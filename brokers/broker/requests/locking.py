"""Locks of queues, for consumers that consume in order (``AdminBrokerProcessor`` of 4.4.0)."""

from __future__ import annotations

import json

from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import FieldError, Request
from brokers.wire.codes import RequestCode
from reference.decisions.clients import queue_locks
from reference.decisions.clients.queue_locks import LockedQueue


def read_queues(request: Request) -> tuple[str, list[LockedQueue]]:
    """The client and its queues (``LockBatchRequestBody``). Raises FieldError."""
    try:
        told = json.loads(request.command.body)
        group = str(told["consumerGroup"])
        queues = [
            LockedQueue(group, str(each["topic"]), str(each["brokerName"]), int(each["queueId"]))
            for each in told["mqSet"]
        ]
        return str(told["clientId"]), queues
    except (ValueError, TypeError, KeyError, RecursionError) as problem:
        raise FieldError(f"the body names no queues: {type(problem).__name__}") from problem


@handles(RequestCode.LOCK_BATCH_MQ, by=(queue_locks.lock,))
def lock_queues(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#lockBatchMQ``. Raises FieldError."""
    client, queues = read_queues(request)
    clients, now_ms = ports.clients, ports.host.now_ms()
    clients.locks, granted = queue_locks.lock(clients.locks, queues, client, now_ms)
    listed = [
        {"brokerName": each.broker_name, "queueId": each.queue, "topic": each.topic}
        for each in granted
    ]
    request.answer(body=json.dumps({"lockOKMQSet": listed}, separators=(",", ":")).encode())


@handles(RequestCode.UNLOCK_BATCH_MQ, by=(queue_locks.unlock,))
def unlock_queues(ports: BrokerPorts, request: Request) -> None:
    """``AdminBrokerProcessor#unlockBatchMQ``. Raises FieldError."""
    client, queues = read_queues(request)
    ports.clients.locks = queue_locks.unlock(ports.clients.locks, queues, client)
    request.answer()
