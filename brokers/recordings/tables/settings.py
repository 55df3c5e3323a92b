"""Settings, groups and topics of brokers, as far as pulls depend on them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.reading import Event
from brokers.recordings.tables.queues import get_properties
from brokers.recordings.tables.read_side import NodeView, extend
from brokers.recordings.tables.reads import find_running_node
from brokers.recordings.tables.topics import (
    BUILT_IN,
    CLIENTS_PREFIX,
    HALF_TOPIC,
    find_own_topics,
)
from brokers.recordings.view import Blocked, View, check
from reference.configuration.keys import KEYS
from reference.decisions.reading.settings import BrokerSettings, change_broker, read_value
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup


def remember_properties(view: View, event: Event) -> View:
    """Properties that were set hold until the broker's process ends."""
    name = event["node"]
    broker = view.reads.get_node(name)
    properties = dict(broker.properties)
    for key, value in event["props"].items():
        try:
            properties[key] = read_value(key, value) if key in KEYS else value
        except ValueError as problem:
            raise Blocked(str(problem)) from problem
    return evolve(view, reads=view.reads.change_node(name, properties=properties))


def read_broker_settings(view: View, node: int, shown: Mapping[str, Any]) -> BrokerSettings:
    """The settings of a broker's processor; ``shown`` are properties that an event itself tells."""
    try:
        return change_broker(BrokerSettings(), {**get_properties(view, node), **shown})
    except ValueError as problem:
        raise Blocked(str(problem)) from problem


def remember_start(view: View, event: Event) -> View:
    """A new process begins with its configured properties and with the tables that it shows."""
    groups, topics = event.data.get("subscription_groups"), event.data.get("topics")
    broker = view.reads.get_node(event["node"])
    names = [name for name in topics if isinstance(name, str)] if isinstance(topics, list) else None
    started = NodeView(
        groups=read_groups(groups) if isinstance(groups, Mapping) else broker.groups,
        topics={
            name: broker.topics.get(name) for name in (broker.topics if names is None else names)
        },
        memory=broker.memory,
    )
    nodes = extend(view.reads.nodes, event["node"], started)
    begun = evolve(view, reads=evolve(view.reads, nodes=nodes))
    return remember_queues(begun, event)


def read_groups(shown: Mapping[str, Any]) -> dict[str, SubscriptionGroup]:
    """Groups as a table of a recording has them."""
    try:
        return {
            name: SubscriptionGroup(
                broker_id=operator.index(group["broker_id"]),
                slow_broker_id=operator.index(group["which_broker_when_consume_slowly"]),
            )
            for name, group in shown.items()
        }
    except (TypeError, KeyError) as problem:
        raise Blocked("subscription_groups is no table of groups") from problem


def check_tables(view: View, event: Event) -> View:
    """A broker's groups and topics: its own, or on a slave those of its master, which it copies."""
    node = find_running_node(view, event)
    shown = read_groups(event["subscription_groups"])
    brokers = [view.reads.get_node(name) for name in list_sources(view, node, event)]
    for name, group in shown.items():
        known = [broker.groups.get(name, DEFAULT_GROUP) for broker in brokers]
        if not any(is_alike(group, each) for each in known):
            raise Blocked(
                f"group {name} is {describe(group)}, but {describe(known[0])} by its updates"
            )
    missing = brokers[0].groups.keys() - shown.keys()
    if node == MASTER and missing:
        raise Blocked(f"group {min(missing)} is not shown, but it was made")
    topics = {str(name): brokers[-1].topics.get(name) for name in event["topics"]}
    made = set().union(*(broker.topics for broker in brokers), list_made_alone(view, event))
    unknown = {name for name in topics.keys() - made if not name.startswith(CLIENTS_PREFIX)}
    if unknown:
        raise Blocked(f"topic {min(unknown)} is shown, but it was not made")
    reads = view.reads.change_node(event["node"], groups=shown, topics=topics)
    return evolve(view, reads=reads)


def list_made_alone(view: View, event: Event) -> frozenset[str]:
    """Topics that brokers make by themselves, and those of which their logs tell."""
    own = BUILT_IN | {HALF_TOPIC} | find_own_topics(view.plan)
    return own | view.plan.logs.list_topics(event.seq)


def list_sources(view: View, node: int, event: Event) -> tuple[str, ...]:
    """The brokers that a broker may have its tables from."""
    return (event["node"],) if node == MASTER else (event["node"], view.plan.master)


def is_alike(group: SubscriptionGroup, other: SubscriptionGroup) -> bool:
    """The same suggestions, which is all that a recording shows of a group."""
    return describe(group) == describe(other)


def describe(group: SubscriptionGroup) -> str:
    """The suggestions of a group in words."""
    return f"brokerId={group.broker_id},whichBrokerWhenConsumeSlowly={group.slow_broker_id}"


def check_update_group(view: View, event: Event) -> View:
    """A group is made or replaced (R-SG-02); on a master a slave takes it over at its next sync."""
    find_running_node(view, event)
    view = check(view, "response_code", 0, event["response_code"])
    slow = event["which_broker_when_consume_slowly"]
    group = SubscriptionGroup(broker_id=event["broker_id"], slow_broker_id=slow)
    name = event["node"]
    groups = extend(view.reads.get_node(name).groups, event["group"], group)
    reads = view.reads.change_node(name, groups=groups)
    return evolve(view, reads=reads)


def check_update_topic(view: View, event: Event) -> View:
    """A topic is made or replaced."""
    find_running_node(view, event)
    view = check(view, "response_code", 0, event["response_code"])
    name = event["node"]
    topics = extend(view.reads.get_node(name).topics, event["topic"], event["queues"])
    return evolve(view, reads=view.reads.change_node(name, topics=topics))


def remember_send(view: View, event: Event) -> View:
    """The master has taken a message: it knows the topic, and the queue has grown."""
    if event["node"] != view.plan.master:
        return view
    digits = event.data.get("queue_offset")
    name = f"{event['topic']}-{event['queue']}"
    reads = view.reads
    master = view.plan.master
    topics = reads.get_node(master).topics
    if event["topic"] not in topics:
        reads = reads.change_node(master, topics=extend(topics, event["topic"], None))
    if isinstance(digits, str) and digits.isdecimal() and len(digits) <= 18:
        is_delayed = event.data.get("delay_level") or reads.sent.get(name) == math.inf
        sent = math.inf if is_delayed else int(digits) + 1
        reads = evolve(reads, sent=extend(reads.sent, name, sent))
    return evolve(view, reads=reads)


def remember_queues(view: View, event: Event) -> View:
    """The ends of queues as a look at a broker shows them."""
    shown = event.data.get("queues")
    if not isinstance(shown, Mapping):
        return view
    name = event["node"]
    ends = {key: (value[0], value[1]) for key, value in shown.items() if is_pair(value)}
    queues = {**view.reads.get_node(name).queues, **ends}
    return evolve(view, reads=view.reads.change_node(name, queues=queues))


def is_pair(value: object) -> bool:
    """Two numbers."""
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)


REMEMBERED: Mapping[str, Callable[[View, Event], View]] = {
    "node_started": remember_start,
    "broker_started": remember_start,
    "process_started": remember_start,
    "snapshot": remember_queues,
    "send_message": remember_send,
    "set_config": remember_properties,
    "set_broker_config": remember_properties,
}
"""What reads depend on later, by the kind of event that shows it."""


def remember(view: View, event: Event) -> View:
    """Keeps what later reads depend on; raises Blocked for a property of another type."""
    keep = REMEMBERED.get(event.kind)
    return keep(view, event) if keep else view
