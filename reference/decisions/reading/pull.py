"""A pull request, a broker's knowledge when it answers one, and its checks before it reads.

The checks are in the order of the code (R-PM-01). The role is not checked: a slave answers pulls
like a master, from its own tables. Source: PullMessageProcessor#processRequest of 4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from attrs import frozen

from reference.decisions.reading.decision import Decided
from reference.decisions.reading.get_message import GetMessageOutcome, GetMessageResult
from reference.decisions.reading.settings import PERM_READ, BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import (
    DEFAULT_GROUP,
    SubscriptionGroup,
    is_system_group,
)

SUSPEND_TIMEOUT_MS = 15_000
"""How long a push consumer lets a broker hold its pull (DefaultMQPushConsumerImpl)."""


class ResponseCode(enum.IntEnum):
    """The codes with which a pull may be answered (ResponseCode), as decided in 4.4.0.

    SYSTEM_BUSY is the answer of a slave that rejects pulls, from 5.0.0 on (V-41).
    """

    SUCCESS = 0
    SYSTEM_ERROR = 1
    SYSTEM_BUSY = 2
    NO_PERMISSION = 16
    TOPIC_NOT_EXIST = 17
    PULL_NOT_FOUND = 19
    PULL_RETRY_IMMEDIATELY = 20
    PULL_OFFSET_MOVED = 21
    SUBSCRIPTION_PARSE_FAILED = 23
    SUBSCRIPTION_NOT_EXIST = 24
    SUBSCRIPTION_NOT_LATEST = 25
    SUBSCRIPTION_GROUP_NOT_EXIST = 26
    FILTER_DATA_NOT_EXIST = 27
    FILTER_DATA_NOT_LATEST = 28


@frozen
class Topic:
    """A broker's knowledge of a topic."""

    permission: int = PERM_READ | 2
    read_queues: int = 4
    """``readQueueNums``."""


@frozen
class ConsumerRegistration:
    """What the consumers of a group have reported to the broker in their heartbeats."""

    is_broadcasting: bool = False
    has_topic: bool = True
    """One of them has subscribed to the topic."""
    is_latest: bool = True
    """The broker's version of that subscription is not older than the one of the request."""
    has_filter_data: bool = True
    """The broker has compiled the subscription's SQL-92 expression; tags need none."""
    is_filter_data_latest: bool = True
    """The compiled expression is not older than the request's subscription."""


@frozen
class PullMessageRequest:
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
class PullSituation:
    """A pull, and the broker's data for its answer."""

    pull: PullMessageRequest
    store: StoreSettings
    broker: BrokerSettings
    group: SubscriptionGroup | None
    """None for a group that the broker does not know."""
    topic: Topic | None
    """None for a topic that the broker does not know."""
    registration: ConsumerRegistration | None
    """None when no consumer of the group has registered."""
    result: GetMessageResult | GetMessageOutcome | None
    """The store's answer; None if it cannot be read."""


def find_group(situation: PullSituation) -> SubscriptionGroup | None:
    """The group, created with defaults if the broker may create it; otherwise None.

    Source: SubscriptionGroupManager#findSubscriptionGroupConfig.
    """
    is_made = situation.broker.is_group_created_on_demand
    if situation.group is None and (is_made or is_system_group(situation.pull.group_name)):
        return DEFAULT_GROUP
    return situation.group


def is_broker_unreadable(situation: PullSituation) -> bool:
    """``brokerPermission`` has no read bit."""
    return not situation.broker.permission & PERM_READ


def is_group_unknown(situation: PullSituation) -> bool:
    """The broker does not know the group and does not create it."""
    return find_group(situation) is None


def is_consumption_disabled(situation: PullSituation) -> bool:
    """The group must not consume."""
    group = find_group(situation)
    return group is not None and not group.is_consume_enabled


def is_topic_unknown(situation: PullSituation) -> bool:
    """The broker does not know the topic; a slave learns of it at its next sync."""
    return situation.topic is None


def is_topic_unreadable(situation: PullSituation) -> bool:
    """The topic has no read bit."""
    return situation.topic is not None and not situation.topic.permission & PERM_READ


def is_queue_unknown(situation: PullSituation) -> bool:
    """The queue's number is not below the topic's number of read queues."""
    topic = situation.topic
    return topic is not None and not 0 <= situation.pull.queue < topic.read_queues


def is_subscription_unparsable(situation: PullSituation) -> bool:
    """The request carries a subscription that cannot be parsed."""
    return situation.pull.has_subscription and not situation.pull.is_subscription_valid


def is_consumer_unregistered(situation: PullSituation) -> bool:
    """The request relies on a heartbeat that this broker never received."""
    return not situation.pull.has_subscription and situation.registration is None


def is_broadcast_forbidden(situation: PullSituation) -> bool:
    """The group's consumers broadcast, which the group forbids."""
    group, known = find_group(situation), situation.registration
    is_broadcast = (
        known is not None and known.is_broadcasting and not situation.pull.has_subscription
    )
    return is_broadcast and group is not None and not group.is_broadcast_enabled


def is_topic_unsubscribed(situation: PullSituation) -> bool:
    """No consumer of the group has subscribed to the topic."""
    known = situation.registration
    return not situation.pull.has_subscription and known is not None and not known.has_topic


def is_subscription_outdated(situation: PullSituation) -> bool:
    """The broker's version of the subscription is older than the request's."""
    known = situation.registration
    return not situation.pull.has_subscription and known is not None and not known.is_latest


def relies_on_filter_data(situation: PullSituation) -> bool:
    """The filter is an SQL-92 expression that the broker knows from a heartbeat."""
    is_known = not situation.pull.has_subscription and situation.registration is not None
    return situation.pull.is_property_filter and is_known


def is_filter_data_missing(situation: PullSituation) -> bool:
    """The broker has not compiled the expression: it may be wrong (B2-00629)."""
    known = situation.registration
    return relies_on_filter_data(situation) and known is not None and not known.has_filter_data


def is_filter_data_outdated(situation: PullSituation) -> bool:
    """The compiled expression is older than the request's subscription."""
    known = situation.registration
    is_old = known is not None and not known.is_filter_data_latest
    return relies_on_filter_data(situation) and is_old


def is_filter_unsupported(situation: PullSituation) -> bool:
    """An SQL-92 filter although ``enablePropertyFilter`` is off."""
    return situation.pull.is_property_filter and not situation.broker.is_property_filter_enabled


CHECKS: tuple[tuple[Callable[[PullSituation], bool], ResponseCode], ...] = (
    (is_broker_unreadable, ResponseCode.NO_PERMISSION),
    (is_group_unknown, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST),
    (is_consumption_disabled, ResponseCode.NO_PERMISSION),
    (is_topic_unknown, ResponseCode.TOPIC_NOT_EXIST),
    (is_topic_unreadable, ResponseCode.NO_PERMISSION),
    (is_queue_unknown, ResponseCode.SYSTEM_ERROR),
    (is_subscription_unparsable, ResponseCode.SUBSCRIPTION_PARSE_FAILED),
    (is_consumer_unregistered, ResponseCode.SUBSCRIPTION_NOT_EXIST),
    (is_broadcast_forbidden, ResponseCode.NO_PERMISSION),
    (is_topic_unsubscribed, ResponseCode.SUBSCRIPTION_NOT_EXIST),
    (is_subscription_outdated, ResponseCode.SUBSCRIPTION_NOT_LATEST),
    (is_filter_data_missing, ResponseCode.FILTER_DATA_NOT_EXIST),
    (is_filter_data_outdated, ResponseCode.FILTER_DATA_NOT_LATEST),
    (is_filter_unsupported, ResponseCode.SYSTEM_ERROR),
)
"""The checks in order, and the code that refuses a pull failing one."""


def find_refusal(situation: PullSituation) -> Decided[ResponseCode] | None:
    """The first check that fails; None if the pull passes."""
    for condition, code in CHECKS:
        if condition(situation):
            return Decided(code, condition.__name__)
    return None
