"""Heartbeats, and what clients can do with the brokers that are there."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from reference.decisions.clients.services import (
    SERVICES,
    Brokers,
    list_targets,
    name_retry_topic,
    receive,
)
from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import sync_all
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup

EMPTY: VersionedTable[Any] = VersionedTable(DataVersion(0))
BROKER = BrokerTables(EMPTY, EMPTY, master_address="m:1")


def test_slaves_hear_of_consumers_only() -> None:
    """A client that only produces speaks to masters (R-CC-10)."""
    assert list_targets((0, 1, 2), has_consumers=True) == (0, 1, 2)
    assert list_targets((0, 1, 2), has_consumers=False) == (0,)
    assert list_targets((1,), has_consumers=False) == ()


def test_a_heartbeat_makes_group_and_retry_topic() -> None:
    """Once; the next one changes nothing."""
    after = receive(BROKER, "G", 5)
    assert after.groups.entries == {"G": DEFAULT_GROUP}
    assert list(after.topics.entries) == ["%RETRY%G"]
    assert after.groups.version == after.topics.version == DataVersion(5, 1)
    assert receive(after, "G", 6) == after


def test_a_retry_topic_has_the_queues_of_its_group() -> None:
    """``retryQueueNums``."""
    groups = EMPTY.put("G", SubscriptionGroup(retry_queues=3), 1)
    after = receive(evolve(BROKER, groups=groups), "G", 5)
    assert after.topics.entries[name_retry_topic("G")].read_queues == 3


def test_a_broker_may_be_told_to_make_no_groups() -> None:
    """Without ``autoCreateSubscriptionGroup`` nothing is made, but for RocketMQ's own groups."""
    assert receive(BROKER, "G", 5, is_group_created_on_demand=False) == BROKER
    own = receive(BROKER, "CID_RMQ_SYS_X", 5, is_group_created_on_demand=False)
    assert list(own.groups.entries) == ["CID_RMQ_SYS_X"]


def test_what_a_slave_makes_does_not_last() -> None:
    """Its next copy throws it away, and its next heartbeat makes it again (R-MS-09)."""
    made = receive(BROKER, "G", 5)
    copied = sync_all(made, BROKER)
    assert (copied.groups.entries, copied.topics.entries) == ({}, {})
    again = receive(copied, "G", 6)
    assert again.groups.entries == made.groups.entries


def test_what_both_make_lasts() -> None:
    """Consumers send heartbeats to the master as well, whose tables are then copied."""
    master = receive(BROKER, "G", 4)
    copied = sync_all(receive(BROKER, "G", 5), master)
    assert copied.groups == master.groups
    assert receive(copied, "G", 6) == copied


KEPT = {
    "is_topic_readable",
    "is_pull_possible",
    "is_going_on_possible",
    "is_beginning_at_first_possible",
}
"""What slaves can do alone."""


@pytest.mark.parametrize("brokers", [(0,), (0, 1), (0, 1, 2)])
def test_with_a_master_everything_works(brokers: Brokers) -> None:
    """With or without slaves."""
    assert all(is_possible(brokers) for is_possible in SERVICES)


@pytest.mark.parametrize("brokers", [(1,), (2, 1), (7,)])
def test_slaves_alone_serve_readers_that_are_on_their_way(brokers: Brokers) -> None:
    """Nobody sends, begins at an end or in order, or gives anything back (K-47, K-60)."""
    assert {each.__name__ for each in SERVICES if each(brokers)} == KEPT
