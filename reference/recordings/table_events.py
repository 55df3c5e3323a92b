"""Settings, groups and topics of brokers, as far as pulls depend on them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from reference.configuration.keys import KEYS
from reference.decisions.reading.settings import BrokerSettings, change_broker, read_value
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup
from reference.recordings.get_message_events import find_running_node
from reference.recordings.plan import MASTER
from reference.recordings.queue_tables import get_properties
from reference.recordings.read_side import NodeView, extend
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation, check

CLIENTS_PREFIX = "%"
"""How topics begin that a broker makes for its clients, for example ``%RETRY%group``."""


def remember_properties(explanation: Explanation, event: Event) -> Explanation:
    """Properties that were set hold until the broker's process ends."""
    name = event["node"]
    view = explanation.reads.get_node(name)
    properties = dict(view.properties)
    for key, value in event["props"].items():
        try:
            properties[key] = read_value(key, value) if key in KEYS else value
        except ValueError as problem:
            raise Blocked(str(problem)) from problem
    return evolve(explanation, reads=explanation.reads.change_node(name, properties=properties))


def explain_set_broker_config(explanation: Explanation, event: Event) -> Explanation:
    """Properties of BrokerConfig are set; they concern reading only."""
    find_running_node(explanation, event)
    return explanation.count_check(2)


def read_broker_settings(
    explanation: Explanation, node: int, shown: Mapping[str, Any]
) -> BrokerSettings:
    """The settings of a broker's processor; ``shown`` are properties that an event itself tells."""
    try:
        return change_broker(BrokerSettings(), {**get_properties(explanation, node), **shown})
    except ValueError as problem:
        raise Blocked(str(problem)) from problem


def remember_start(explanation: Explanation, event: Event) -> Explanation:
    """A new process begins with its configured properties and with the tables that it shows."""
    groups, topics = event.data.get("subscription_groups"), event.data.get("topics")
    view = explanation.reads.get_node(event["node"])
    names = [name for name in topics if isinstance(name, str)] if isinstance(topics, list) else None
    started = NodeView(
        groups=read_groups(groups) if isinstance(groups, Mapping) else view.groups,
        topics={name: view.topics.get(name) for name in (view.topics if names is None else names)},
        memory=view.memory,
    )
    nodes = extend(explanation.reads.nodes, event["node"], started)
    begun = evolve(explanation, reads=evolve(explanation.reads, nodes=nodes))
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


def explain_tables(explanation: Explanation, event: Event) -> Explanation:
    """A broker's groups and topics: its own, or on a slave those of its master, which it copies."""
    node = find_running_node(explanation, event)
    shown = read_groups(event["subscription_groups"])
    views = [explanation.reads.get_node(name) for name in list_sources(explanation, node, event)]
    for name, group in shown.items():
        known = [view.groups.get(name, DEFAULT_GROUP) for view in views]
        if not any(is_alike(group, each) for each in known):
            raise Blocked(
                f"group {name} is {describe(group)}, but {describe(known[0])} by its updates"
            )
    missing = views[0].groups.keys() - shown.keys()
    if node == MASTER and missing:
        raise Blocked(f"group {min(missing)} is not shown, but it was made")
    topics = {str(name): views[-1].topics.get(name) for name in event["topics"]}
    made = set().union(*(view.topics for view in views))
    unknown = {name for name in topics.keys() - made if not name.startswith(CLIENTS_PREFIX)}
    if unknown:
        raise Blocked(f"topic {min(unknown)} is shown, but it was not made")
    reads = explanation.reads.change_node(event["node"], groups=shown, topics=topics)
    return evolve(explanation, reads=reads).count_check(len(shown) + 1)


def list_sources(explanation: Explanation, node: int, event: Event) -> tuple[str, ...]:
    """The brokers that a broker may have its tables from."""
    return (event["node"],) if node == MASTER else (event["node"], explanation.plan.master)


def is_alike(group: SubscriptionGroup, other: SubscriptionGroup) -> bool:
    """The same suggestions, which is all that a recording shows of a group."""
    return describe(group) == describe(other)


def describe(group: SubscriptionGroup) -> str:
    """The suggestions of a group in words."""
    return f"brokerId={group.broker_id},whichBrokerWhenConsumeSlowly={group.slow_broker_id}"


def explain_update_group(explanation: Explanation, event: Event) -> Explanation:
    """A group is made or replaced (R-SG-02); on a master a slave takes it over at its next sync."""
    find_running_node(explanation, event)
    explanation = check(explanation, "response_code", 0, event["response_code"])
    slow = event["which_broker_when_consume_slowly"]
    group = SubscriptionGroup(broker_id=event["broker_id"], slow_broker_id=slow)
    name = event["node"]
    groups = extend(explanation.reads.get_node(name).groups, event["group"], group)
    reads = explanation.reads.change_node(name, groups=groups)
    return evolve(explanation, reads=reads).count_check()


def explain_update_topic(explanation: Explanation, event: Event) -> Explanation:
    """A topic is made or replaced."""
    find_running_node(explanation, event)
    explanation = check(explanation, "response_code", 0, event["response_code"])
    name = event["node"]
    topics = extend(explanation.reads.get_node(name).topics, event["topic"], event["queues"])
    return evolve(
        explanation, reads=explanation.reads.change_node(name, topics=topics)
    ).count_check()


def remember_send(explanation: Explanation, event: Event) -> Explanation:
    """The master has taken a message: it knows the topic, and the queue has grown."""
    if event["node"] != explanation.plan.master:
        return explanation
    digits = event.data.get("queue_offset")
    name = f"{event['topic']}-{event['queue']}"
    reads = explanation.reads
    master = explanation.plan.master
    topics = reads.get_node(master).topics
    if event["topic"] not in topics:
        reads = reads.change_node(master, topics=extend(topics, event["topic"], None))
    if isinstance(digits, str) and digits.isdecimal() and len(digits) <= 18:
        reads = evolve(reads, sent=extend(reads.sent, name, int(digits) + 1))
    return evolve(explanation, reads=reads)


def remember_queues(explanation: Explanation, event: Event) -> Explanation:
    """The ends of queues as a look at a broker shows them."""
    shown = event.data.get("queues")
    if not isinstance(shown, Mapping):
        return explanation
    name = event["node"]
    ends = {key: (value[0], value[1]) for key, value in shown.items() if is_pair(value)}
    queues = {**explanation.reads.get_node(name).queues, **ends}
    return evolve(explanation, reads=explanation.reads.change_node(name, queues=queues))


def is_pair(value: object) -> bool:
    """Two numbers."""
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)


REMEMBERED: Mapping[str, Callable[[Explanation, Event], Explanation]] = {
    "node_started": remember_start,
    "broker_started": remember_start,
    "snapshot": remember_queues,
    "send_message": remember_send,
    "set_config": remember_properties,
    "set_broker_config": remember_properties,
}
"""What reads depend on later, by the kind of event that shows it."""


def remember(explanation: Explanation, event: Event) -> Explanation:
    """Keeps what later reads depend on; raises Blocked for a property of another type."""
    keep = REMEMBERED.get(event.kind)
    return keep(explanation, event) if keep else explanation
