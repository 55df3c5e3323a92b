"""A pull request, and all that a broker knows when it answers one."""

from __future__ import annotations

import enum

from attrs import frozen

from reference.decisions.reading.get_message import GetMessageResult
from reference.decisions.reading.settings import PERM_READ, BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup

SUSPEND_TIMEOUT_MS = 15_000
"""How long a push consumer lets a broker hold its pull (DefaultMQPushConsumerImpl)."""


class ResponseCode(enum.IntEnum):
    """The codes of 4.4.0 with which a pull may be answered (ResponseCode)."""

    SUCCESS = 0
    SYSTEM_ERROR = 1
    NO_PERMISSION = 16
    TOPIC_NOT_EXIST = 17
    PULL_NOT_FOUND = 19
    PULL_RETRY_IMMEDIATELY = 20
    PULL_OFFSET_MOVED = 21
    SUBSCRIPTION_PARSE_FAILED = 23
    SUBSCRIPTION_NOT_EXIST = 24
    SUBSCRIPTION_NOT_LATEST = 25
    SUBSCRIPTION_GROUP_NOT_EXIST = 26


@frozen
class Topic:
    """What a broker knows of a topic."""

    permission: int = PERM_READ | 2
    read_queues: int = 4
    """``readQueueNums``."""


@frozen
class Registration:
    """What the consumers of a group have told the broker in their heartbeats."""

    is_broadcasting: bool = False
    has_topic: bool = True
    """One of them has subscribed to the topic."""
    is_latest: bool = True
    """The broker's version of that subscription is not older than the one of the request."""


@frozen
class Pull:
    """A PULL_MESSAGE request."""

    offset: int
    queue: int = 0
    max_messages: int = 32
    group_name: str = ""
    commit_offset: int | None = None
    """Progress that comes with it; None without the commit flag."""
    has_suspend_flag: bool = False
    """The client lets the broker hold the request."""
    suspend_timeout_ms: int = SUSPEND_TIMEOUT_MS
    is_first_pass: bool = True
    """``brokerAllowSuspend``: false when a held request is run again."""
    has_subscription: bool = True
    """The request carries its subscription (the subscription flag)."""
    is_subscription_valid: bool = True
    """The subscription that it carries can be parsed."""
    is_property_filter: bool = False
    """Its filter is an SQL-92 expression, not tags."""


@frozen
class Situation:
    """A pull, and what the broker has that answers it."""

    pull: Pull
    store: StoreSettings
    broker: BrokerSettings
    group: SubscriptionGroup | None
    """None for a group that the broker does not know."""
    topic: Topic | None
    """None for a topic that the broker does not know."""
    registration: Registration | None
    """None when no consumer of the group has registered."""
    result: GetMessageResult | None
    """What the store answers; None when it cannot be read."""
