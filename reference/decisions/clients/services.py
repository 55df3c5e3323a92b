"""What producers and consumers can do with the reachable brokers: all of them, or slaves only.

Each question is answered by the function that decides it elsewhere. Only the targets of heartbeats
and their effect on the broker are decided here (R-CC-10). The brokers are those that the client's
route lists and that answer (K-47, R-NS-06, R-NS-07).

Source of heartbeats: MQClientInstance#sendHeartbeatToAllBroker, ClientManageProcessor#heartBeat,
SubscriptionGroupManager#findSubscriptionGroupConfig and
TopicConfigManager#createTopicInSendMessageBackMethod of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from attrs import evolve

from reference.decisions.clients.consuming import Failed, send_back
from reference.decisions.clients.locking import may_take_queue
from reference.decisions.clients.sending import SendAnswer
from reference.decisions.metadata.broker_tables import BrokerTables
from reference.decisions.name_server.client_side import Route, list_read_queues, list_write_queues
from reference.decisions.name_server.registry import QueueData
from reference.decisions.progress.client_offsets import (
    NOT_STORED,
    NOT_TAKEN,
    RETRY_TOPIC_PREFIX,
    Beginning,
    ConsumeFromWhere,
    compute_pull_from_where,
)
from reference.decisions.reading.client import Client, choose_offset_store, choose_target
from reference.decisions.reading.pull import (
    ConsumerRegistration,
    PullMessageRequest,
    PullSituation,
    Topic,
    find_refusal,
)
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, is_system_group
from reference.roles import MASTER_ID, Role


def name_retry_topic(group: str) -> str:
    """The topic that takes a group's failed messages (MixAll#getRetryTopic)."""
    return f"{RETRY_TOPIC_PREFIX}{group}"


def list_targets(brokers: Iterable[int], *, has_consumers: bool) -> tuple[int, ...]:
    """Targets of a client's heartbeats: slaves too if it has consumers, else masters only."""
    return tuple(each for each in brokers if has_consumers or each == MASTER_ID)


def receive(
    tables: BrokerTables, group: str, now_ms: float, *, is_group_created_on_demand: bool = True
) -> BrokerTables:
    """A broker's tables after a heartbeat of one of a group's consumers, whatever its role.

    An unknown group is created with defaults, as is its retry topic. Both change the versions, so a
    slave's next copy takes its master's tables again (R-MS-09).
    """
    may_make = is_group_created_on_demand or is_system_group(group)
    if group not in tables.groups.entries and may_make:
        tables = evolve(tables, groups=tables.groups.put(group, DEFAULT_GROUP, now_ms))
    known, topic = tables.groups.entries.get(group), name_retry_topic(group)
    if known is None or topic in tables.topics.entries:
        return tables
    made = Topic(read_queues=known.retry_queues)
    return evolve(tables, topics=tables.topics.put(topic, made, now_ms))


Brokers: TypeAlias = tuple[int, ...]
"""Ids of the reachable brokers of one name, at least one."""

NAME = "broker-a"
END = 9
"""Any queue offset."""


def make_route(brokers: Brokers) -> Route:
    """The route of a topic whose queues are all on brokers of one name."""
    return Route({NAME: QueueData()}, {NAME: {each: f"broker {each}" for each in brokers}})


def is_send_possible(brokers: Brokers) -> bool:
    """Messages are sent."""
    return bool(list_write_queues(make_route(brokers)))


def is_topic_readable(brokers: Brokers) -> bool:
    """Consumers find the queues of a topic."""
    return bool(list_read_queues(make_route(brokers)))


def is_pull_let_through(brokers: Brokers, topic: Topic | None) -> bool:
    """The queried broker has no reason to refuse a pull of a topic as it knows it."""
    is_slave = choose_target(Client(brokers=brokers)).is_slave
    role = Role.SLAVE if is_slave else Role.ASYNC_MASTER
    is_registered = bool(list_targets(brokers, has_consumers=True))
    situation = PullSituation(
        pull=PullMessageRequest(offset=0, has_subscription=False),
        store=StoreSettings(role),
        broker=BrokerSettings(),
        group=DEFAULT_GROUP,
        topic=topic,
        registration=ConsumerRegistration() if is_registered else None,
        result=None,
    )
    return find_refusal(situation) is None


def is_pull_possible(brokers: Brokers) -> bool:
    """Messages are pulled, as far as the broker has them."""
    return is_pull_let_through(brokers, Topic())


def is_pull_of_new_topic_possible(brokers: Brokers) -> bool:
    """Messages are pulled of a topic that the master created after the slave's last copy."""
    is_known = not choose_target(Client(brokers=brokers)).is_slave
    return is_pull_let_through(brokers, Topic() if is_known else None)


def is_progress_kept_by_master(brokers: Brokers) -> bool:
    """Progress is stored where it will be queried later."""
    return choose_offset_store(Client(brokers=brokers)) == MASTER_ID


def is_beginning_possible(
    brokers: Brokers, strategy: ConsumeFromWhere, stored: int = NOT_STORED
) -> bool:
    """A queue is begun; only a master knows its end, or the first message of a time."""
    told = END if MASTER_ID in brokers else NOT_TAKEN
    beginning = Beginning(stored, strategy, master_max_offset=told, master_time_offset=told)
    return compute_pull_from_where(beginning).value is not None


def is_going_on_possible(brokers: Brokers) -> bool:
    """A consumer takes a queue for which the broker has progress."""
    return is_beginning_possible(brokers, ConsumeFromWhere.LAST_OFFSET, stored=END)


def is_beginning_at_first_possible(brokers: Brokers) -> bool:
    """A new group begins with the first message."""
    return is_beginning_possible(brokers, ConsumeFromWhere.FIRST_OFFSET)


def is_beginning_at_end_possible(brokers: Brokers) -> bool:
    """A new group begins at the end of an old queue, as it does by default."""
    return is_beginning_possible(brokers, ConsumeFromWhere.LAST_OFFSET)


def is_beginning_at_time_possible(brokers: Brokers) -> bool:
    """A new group begins at a time."""
    return is_beginning_possible(brokers, ConsumeFromWhere.TIMESTAMP)


def is_order_possible(brokers: Brokers) -> bool:
    """An orderly consumer takes a queue."""
    return may_take_queue(brokers, is_granted=True if MASTER_ID in brokers else None)


def is_giving_back_possible(brokers: Brokers) -> bool:
    """A message that could not be consumed is taken back."""
    route = make_route(brokers)
    failed = Failed(NAME, route, route, {NAME: SendAnswer(0)})
    return send_back(failed).by == "is_taken_back"


SERVICES: tuple[Callable[[Brokers], bool], ...] = (
    is_send_possible,
    is_topic_readable,
    is_pull_possible,
    is_pull_of_new_topic_possible,
    is_progress_kept_by_master,
    is_going_on_possible,
    is_beginning_at_first_possible,
    is_beginning_at_end_possible,
    is_beginning_at_time_possible,
    is_order_possible,
    is_giving_back_possible,
)
"""What clients need from a broker name."""
