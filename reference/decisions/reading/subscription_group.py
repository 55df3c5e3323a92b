"""Subscription groups: the broker to which a group of consumers is sent, and its permissions.

Read from ``subscriptionGroup.json`` of a broker, or from ``brokerId=1,consumeEnable=true``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import evolve, field, fields, frozen

DEFAULT_BROKER_ID = 0
DEFAULT_SLOW_BROKER_ID = 1

SYSTEM_GROUP_PREFIX = "CID_RMQ_SYS_"
"""Prefix of the names of RocketMQ's own groups (MixAll#isSysConsumerGroup)."""


class GroupError(ValueError):
    """A text that does not describe a subscription group, with the problem."""


def _option(name: str, default: Any) -> Any:
    return field(default=default, metadata={"option": name})


@frozen
class SubscriptionGroup:
    """``SubscriptionGroupConfig`` with its defaults (R-SG-01)."""

    broker_id: int = _option("brokerId", DEFAULT_BROKER_ID)
    """The broker for consumers that keep up."""
    slow_broker_id: int = _option("whichBrokerWhenConsumeSlowly", DEFAULT_SLOW_BROKER_ID)
    """The broker for consumers that have fallen further back than memory."""
    is_consume_enabled: bool = _option("consumeEnable", True)
    is_consume_from_min_enabled: bool = _option("consumeFromMinEnable", True)
    is_broadcast_enabled: bool = _option("consumeBroadcastEnable", True)
    retry_queues: int = _option("retryQueueNums", 1)
    retries_max: int = _option("retryMaxTimes", 16)
    is_change_notified: bool = _option("notifyConsumerIdsChangedEnable", True)


DEFAULT_GROUP = SubscriptionGroup()
"""The group that a broker creates for an unknown name, if it may."""

OPTIONS: Mapping[str, str] = {
    each.metadata["option"]: each.name for each in fields(SubscriptionGroup)
}
"""Field by option of RocketMQ."""

OTHER_NAMES = frozenset({"groupName"})
"""Fields of a group's object in the file other than its options."""


def is_system_group(name: str) -> bool:
    """One of RocketMQ's own groups."""
    return name.startswith(SYSTEM_GROUP_PREFIX)


def parse_group(text: str) -> SubscriptionGroup:
    """A group from ``name=value`` pairs, separated by commas; missing options are defaults.

    Raises:
        GroupError: an unknown option, or a value of another type.
    """
    options: dict[str, str] = {}
    for pair in filter(None, (each.strip() for each in text.split(","))):
        name, found, value = pair.partition("=")
        if not found or name in options:
            raise GroupError(f"{pair!r} is not an option; write for example brokerId=1")
        options[name] = value
    return build_group(options)


def build_group(options: Mapping[str, Any]) -> SubscriptionGroup:
    """A group from its options by RocketMQ's names.

    Raises:
        GroupError: an unknown option, or a value of another type.
    """
    given = {name: value for name, value in options.items() if name not in OTHER_NAMES}
    unknown = sorted(given.keys() - OPTIONS.keys())
    if unknown:
        raise GroupError(f"a group has no option {unknown[0]!r}; it has {', '.join(OPTIONS)}")
    fields_given: dict[str, Any] = {OPTIONS[n]: _read_option(n, v) for n, v in given.items()}
    return SubscriptionGroup(**fields_given)


def _read_option(name: str, value: Any) -> int | bool:
    text = str(value).lower()
    if isinstance(getattr(DEFAULT_GROUP, OPTIONS[name]), bool):
        if text in ("true", "false"):
            return text == "true"
        raise GroupError(f"{name} is {value!r}, not true or false")
    if text.isdecimal() and len(text) <= 18:
        return int(text)
    raise GroupError(f"{name} is {value!r}, not a whole number from 0 on")


def read_groups(text: str) -> dict[str, SubscriptionGroup]:
    """All groups of a broker's ``subscriptionGroup.json``, by name.

    Raises:
        GroupError: not such a file.
    """
    if text.startswith("\ufeff"):
        raise GroupError("it begins with a byte order mark, which is no JSON; save it without one")
    try:
        content = json.loads(text)
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise GroupError(f"not JSON, or cut off: {problem.msg} at {where}") from problem
    except RecursionError as problem:
        raise GroupError("not a subscriptionGroup.json: nested too deeply") from problem
    try:
        table = dict(content["subscriptionGroupTable"])
    except (ValueError, TypeError, KeyError) as problem:
        raise GroupError("not a subscriptionGroup.json: no subscriptionGroupTable") from problem
    wrong = [name for name, options in table.items() if not isinstance(options, dict)]
    if wrong:
        raise GroupError(f"group {wrong[0]!r} is not an object")
    return {name: build_group(options) for name, options in table.items()}


def update_by_command(options: Mapping[str, Any]) -> SubscriptionGroup:
    """A group after the admin command ``updateSubGroup``, whatever it was before (R-SG-03).

    It sends a new object: missing options return to the default, and two flags to false.

    Raises:
        GroupError: an unknown option, or a value of another type.
    """
    return build_group({"consumeBroadcastEnable": False, "consumeFromMinEnable": False, **options})


def disable_for_slowness(
    group: SubscriptionGroup, *, behind_bytes: int, threshold_bytes: int, is_protected: bool
) -> SubscriptionGroup:
    """A broker that protects itself stops a group that is too far behind (R-SG-05).

    Source: BrokerController#protectBroker, SubscriptionGroupManager#disableConsume.
    """
    is_too_slow = is_protected and behind_bytes > threshold_bytes
    return evolve(group, is_consume_enabled=False) if is_too_slow else group
