"""The fields of the requests that a producer and a consumer send, with usual values."""

from __future__ import annotations

from typing import Any


def make_send(topic: str, queue: int, **others: Any) -> dict[str, Any]:
    """The fields of a send."""
    return {
        "producerGroup": "P",
        "topic": topic,
        "defaultTopic": "TBW102",
        "defaultTopicQueueNums": 4,
        "queueId": queue,
        "sysFlag": 0,
        "bornTimestamp": 1,
        "flag": 0,
        "properties": "",
        "batch": "false",
        **others,
    }


def make_pull(topic: str, queue: int, offset: int, **others: Any) -> dict[str, Any]:
    """The fields of a pull with a subscription of its own."""
    return {
        "consumerGroup": "G",
        "topic": topic,
        "queueId": queue,
        "queueOffset": offset,
        "maxMsgNums": 32,
        "sysFlag": 4,
        "commitOffset": 0,
        "suspendTimeoutMillis": 0,
        "subscription": "*",
        "subVersion": 0,
        **others,
    }
