"""Which consumers have registered at a broker, and what their groups have subscribed to.

Source: ConsumerManager, ConsumerGroupInfo, ClientManageProcessor#heartBeat of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from reference.decisions.reading.pull import Registration

Channel: TypeAlias = Any
"""The connection of a client: anything that a table can have as its key."""


@frozen
class Subscribed:
    """A group's subscription to a topic (``SubscriptionData``)."""

    topic: str
    text: str = "*"
    kind: str = ""
    """``expressionType``: TAG or SQL92; empty means tags."""
    version: int = 0
    """``subVersion``: when its consumer has made it."""


@frozen
class Told:
    """What a heartbeat tells of one group (``ConsumerData``)."""

    group: str
    is_broadcasting: bool = False
    subscriptions: tuple[Subscribed, ...] = ()


@frozen
class ConsumerGroup:
    """The consumers of a group on one broker (``ConsumerGroupInfo``)."""

    is_broadcasting: bool = False
    members: Mapping[Channel, str] = field(factory=dict)
    """Client ids by connection."""
    subscriptions: Mapping[str, Subscribed] = field(factory=dict)
    """By topic."""


ConsumerGroups: TypeAlias = Mapping[str, ConsumerGroup]
"""By name (``ConsumerManager.consumerTable``)."""


def is_subscription_newer(known: Subscribed | None, told: Subscribed) -> bool:
    """An older or equal version changes nothing (``ConsumerGroupInfo#updateSubscription``)."""
    return known is None or known.version < told.version


def register(
    groups: ConsumerGroups, channel: Channel, client_id: str, told: Told
) -> ConsumerGroups:
    """The groups after a heartbeat (``ConsumerManager#registerConsumer``).

    A topic that is no longer named is forgotten.
    """
    group = groups.get(told.group, ConsumerGroup())
    subscriptions = {}
    for each in told.subscriptions:
        known = group.subscriptions.get(each.topic)
        subscriptions[each.topic] = each if is_subscription_newer(known, each) else known
    registered = evolve(
        group,
        is_broadcasting=told.is_broadcasting,
        members={**group.members, channel: client_id},
        subscriptions={topic: each for topic, each in subscriptions.items() if each is not None},
    )
    return {**groups, told.group: registered}


def unregister(groups: ConsumerGroups, channel: Channel, name: str) -> ConsumerGroups:
    """The groups without a consumer; its group goes with its last one."""
    group = groups.get(name)
    if group is None or channel not in group.members:
        return groups
    members = {each: client for each, client in group.members.items() if each != channel}
    others = {each: known for each, known in groups.items() if each != name}
    return {**others, name: evolve(group, members=members)} if members else others


def list_changed(before: ConsumerGroups, after: ConsumerGroups) -> list[str]:
    """The groups whose members have changed: those that are left are told."""
    return [
        name for name, group in after.items() if list_ids(before, name) != list_ids(after, name)
    ]


def list_ids(groups: ConsumerGroups, name: str) -> list[str]:
    """The client ids of a group's consumers (``ConsumerGroupInfo#getAllClientId``)."""
    group = groups.get(name)
    return [] if group is None else list(group.members.values())


def find_subscription(groups: ConsumerGroups, name: str, topic: str) -> Subscribed | None:
    """What the consumers of a group want of a topic."""
    group = groups.get(name)
    return None if group is None else group.subscriptions.get(topic)


def describe(groups: ConsumerGroups, name: str, topic: str, version: int) -> Registration | None:
    """What a pull finds of its group; None: no consumer of it has registered."""
    group = groups.get(name)
    if group is None:
        return None
    known = group.subscriptions.get(topic)
    return Registration(
        is_broadcasting=group.is_broadcasting,
        has_topic=known is not None,
        is_latest=known is not None and known.version >= version,
    )
