"""Which clients have registered at a broker, and what groups of consumers have subscribed to.

Source: ConsumerManager, ConsumerGroupInfo, ProducerManager, ClientManageProcessor#heartBeat of
4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from reference.decisions.reading.pull import ConsumerRegistration

Channel: TypeAlias = Any
"""The connection of a client: anything that a table can have as its key."""


@frozen
class ClientChannelInfo:
    """One client at the end of a connection (``ClientChannelInfo``)."""

    client_id: str
    language: str = "JAVA"
    version: int = 0


@frozen
class Subscribed:
    """A group's subscription to a topic (``SubscriptionData``)."""

    topic: str
    text: str = "*"
    kind: str = ""
    """``expressionType``: TAG or SQL92; empty means tags."""
    version: int = 0
    """``subVersion``: when its consumer has made it."""
    told: Mapping[str, Any] = field(factory=dict)
    """All that its consumer says of it."""


@frozen
class ConsumerData:
    """What a heartbeat tells of one group (``ConsumerData``)."""

    group: str
    is_broadcasting: bool = False
    consume_type: str = ""
    consume_from_where: str = ""
    subscriptions: tuple[Subscribed, ...] = ()


@frozen
class ConsumerGroup:
    """The consumers of a group on one broker (``ConsumerGroupInfo``)."""

    is_broadcasting: bool = False
    consume_type: str = ""
    consume_from_where: str = ""
    members: Mapping[Channel, ClientChannelInfo] = field(factory=dict)
    """By connection."""
    subscriptions: Mapping[str, Subscribed] = field(factory=dict)
    """By topic."""


ConsumerGroups: TypeAlias = Mapping[str, ConsumerGroup]
"""By name (``ConsumerManager.consumerTable``)."""


def is_subscription_newer(known: Subscribed | None, told: Subscribed) -> bool:
    """An older or equal version changes nothing (``ConsumerGroupInfo#updateSubscription``)."""
    return known is None or known.version < told.version


ProducerGroups: TypeAlias = Mapping[str, Mapping[Channel, ClientChannelInfo]]
"""By group and connection (``ProducerManager.groupChannelTable``)."""


def register(
    groups: ConsumerGroups, channel: Channel, client: ClientChannelInfo, told: ConsumerData
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
        consume_type=told.consume_type,
        consume_from_where=told.consume_from_where,
        members={**group.members, channel: client},
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


def register_producer(
    groups: ProducerGroups, channel: Channel, client: ClientChannelInfo, name: str
) -> ProducerGroups:
    """The groups of producers after a heartbeat (``ProducerManager#registerProducer``)."""
    return {**groups, name: {**groups.get(name, {}), channel: client}}


def unregister_producer(groups: ProducerGroups, channel: Channel, name: str) -> ProducerGroups:
    """The groups without a producer; its group goes with its last one."""
    left = {each: client for each, client in groups.get(name, {}).items() if each != channel}
    others = {each: members for each, members in groups.items() if each != name}
    return {**others, name: left} if left else others


def list_changed(before: ConsumerGroups, after: ConsumerGroups) -> list[str]:
    """The groups whose members have changed: those that are left are told."""
    return [
        name for name, group in after.items() if list_ids(before, name) != list_ids(after, name)
    ]


def find_group(groups: ConsumerGroups, name: str) -> ConsumerGroup | None:
    """A group that has consumers here; None: it has none."""
    return groups.get(name)


def find_producers(groups: ProducerGroups, name: str) -> Mapping[Channel, ClientChannelInfo] | None:
    """The producers of a group; None: it has none."""
    return groups.get(name)


def list_ids(groups: ConsumerGroups, name: str) -> list[str]:
    """The client ids of a group's consumers (``ConsumerGroupInfo#getAllClientId``)."""
    group = groups.get(name)
    return [] if group is None else [each.client_id for each in group.members.values()]


def find_subscription(groups: ConsumerGroups, name: str, topic: str) -> Subscribed | None:
    """What the consumers of a group want of a topic."""
    group = groups.get(name)
    return None if group is None else group.subscriptions.get(topic)


def describe(
    groups: ConsumerGroups, name: str, topic: str, version: int
) -> ConsumerRegistration | None:
    """What a pull finds of its group; None: no consumer of it has registered."""
    group = groups.get(name)
    if group is None:
        return None
    known = group.subscriptions.get(topic)
    return ConsumerRegistration(
        is_broadcasting=group.is_broadcasting,
        has_topic=known is not None,
        is_latest=known is not None and known.version >= version,
    )
