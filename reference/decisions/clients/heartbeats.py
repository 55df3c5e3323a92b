"""Heartbeats: whom a client sends them to, and what they make on the broker (R-CC-10).

Source: MQClientInstance#sendHeartbeatToAllBroker, ClientManageProcessor#heartBeat,
SubscriptionGroupManager#findSubscriptionGroupConfig and
TopicConfigManager#createTopicInSendMessageBackMethod of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from reference.decisions.metadata.broker_tables import BrokerTables
from reference.decisions.progress.client_offsets import RETRY_TOPIC_PREFIX
from reference.decisions.reading.pull import Topic
from reference.decisions.reading.pull_processor import MASTER_ID
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, is_system_group

PERIOD_MS = 30_000
"""``heartbeatBrokerInterval``."""


def name_retry_topic(group: str) -> str:
    """The topic that takes a group's failed messages (MixAll#getRetryTopic)."""
    return f"{RETRY_TOPIC_PREFIX}{group}"


def list_targets(brokers: Iterable[int], *, has_consumers: bool) -> tuple[int, ...]:
    """Whom a client sends heartbeats: slaves too if it has consumers, else masters only."""
    return tuple(each for each in brokers if has_consumers or each == MASTER_ID)


def receive(
    tables: BrokerTables, group: str, now_ms: float, *, is_group_created_on_demand: bool = True
) -> BrokerTables:
    """A broker's tables after a heartbeat of one of a group's consumers, whatever the role.

    An unknown group is made with defaults, and so is its retry topic. Both change the versions, so
    that a slave's next copy takes its master's tables again (R-MS-09).
    """
    may_make = is_group_created_on_demand or is_system_group(group)
    if group not in tables.groups.entries and may_make:
        tables = evolve(tables, groups=tables.groups.put(group, DEFAULT_GROUP, now_ms))
    known, topic = tables.groups.entries.get(group), name_retry_topic(group)
    if known is None or topic in tables.topics.entries:
        return tables
    made = Topic(read_queues=known.retry_queues)
    return evolve(tables, topics=tables.topics.put(topic, made, now_ms))
