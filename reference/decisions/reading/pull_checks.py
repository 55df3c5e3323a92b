"""What a pull is checked for before anything is read, in the order of the code (R-PM-01).

There is no check of the role: a slave answers pulls like a master, from its own tables.
Source: PullMessageProcessor#processRequest of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Callable

from reference.decisions.reading.decision import Decided
from reference.decisions.reading.pull import ResponseCode, Situation
from reference.decisions.reading.settings import PERM_READ
from reference.decisions.reading.subscription_group import (
    DEFAULT_GROUP,
    SubscriptionGroup,
    is_system_group,
)


def find_group(situation: Situation) -> SubscriptionGroup | None:
    """The group, made with defaults where the broker may; None where it may not.

    Source: SubscriptionGroupManager#findSubscriptionGroupConfig.
    """
    is_made = situation.broker.is_group_created_on_demand
    if situation.group is None and (is_made or is_system_group(situation.pull.group_name)):
        return DEFAULT_GROUP
    return situation.group


def is_broker_unreadable(situation: Situation) -> bool:
    """``brokerPermission`` has no read bit."""
    return not situation.broker.permission & PERM_READ


def is_group_unknown(situation: Situation) -> bool:
    """The broker does not know the group and does not make it."""
    return find_group(situation) is None


def is_consumption_disabled(situation: Situation) -> bool:
    """The group must not consume."""
    group = find_group(situation)
    return group is not None and not group.is_consume_enabled


def is_topic_unknown(situation: Situation) -> bool:
    """The broker does not know the topic; a slave learns of it at its next sync."""
    return situation.topic is None


def is_topic_unreadable(situation: Situation) -> bool:
    """The topic has no read bit."""
    return situation.topic is not None and not situation.topic.permission & PERM_READ


def is_queue_unknown(situation: Situation) -> bool:
    """The topic has fewer queues."""
    topic = situation.topic
    return topic is not None and not 0 <= situation.pull.queue < topic.read_queues


def is_subscription_unparsable(situation: Situation) -> bool:
    """The request carries a subscription that cannot be parsed."""
    return situation.pull.has_subscription and not situation.pull.is_subscription_valid


def is_consumer_unregistered(situation: Situation) -> bool:
    """The request relies on a heartbeat that never came here."""
    return not situation.pull.has_subscription and situation.registration is None


def is_broadcast_forbidden(situation: Situation) -> bool:
    """The group's consumers broadcast, and the group must not."""
    group, known = find_group(situation), situation.registration
    is_broadcast = (
        known is not None and known.is_broadcasting and not situation.pull.has_subscription
    )
    return is_broadcast and group is not None and not group.is_broadcast_enabled


def is_topic_unsubscribed(situation: Situation) -> bool:
    """No consumer of the group has subscribed to the topic."""
    known = situation.registration
    return not situation.pull.has_subscription and known is not None and not known.has_topic


def is_subscription_outdated(situation: Situation) -> bool:
    """The broker's version of the subscription is older than the request's."""
    known = situation.registration
    return not situation.pull.has_subscription and known is not None and not known.is_latest


def is_filter_unsupported(situation: Situation) -> bool:
    """An SQL-92 filter where ``enablePropertyFilter`` is off."""
    return situation.pull.is_property_filter and not situation.broker.is_property_filter_enabled


CHECKS: tuple[tuple[Callable[[Situation], bool], ResponseCode], ...] = (
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
    (is_filter_unsupported, ResponseCode.SYSTEM_ERROR),
)
"""The checks in order, and the code with which a pull is refused that fails one."""


def find_refusal(situation: Situation) -> Decided[ResponseCode] | None:
    """The first check that fails; None when the pull is let through."""
    for condition, code in CHECKS:
        if condition(situation):
            return Decided(code, condition.__name__)
    return None
