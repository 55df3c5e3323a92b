"""Where brokers send consumers, by their files."""

from __future__ import annotations

import itertools

import pytest

from properties.scenarios.analysis.reading import (
    BrokerReading,
    compute_broker_readings,
    compute_deployment,
    explain_ratio,
)
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import change_master, change_slaves, sample_group
from reference.decisions.reading.consume_queue import MessageLocation, ReadableQueue
from reference.decisions.reading.get_message import get_message
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import StoreSettings
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup

RATIO = "accessMessageInMemoryMaxRatio"


def list_readings(
    group: BrokerGroup, options: SubscriptionGroup = DEFAULT_GROUP
) -> tuple[BrokerReading, ...]:
    """What master and slave of a group with 1000 bytes of memory make of consumers."""
    return compute_broker_readings(group, compute_deployment(group, options), 1_000)


@pytest.mark.parametrize("is_master_open", [False, True])
@pytest.mark.parametrize("is_slave_open", [False, True])
def test_where_consumers_are_sent(is_master_open: bool, is_slave_open: bool) -> None:
    """Each broker by its own ``slaveReadEnable`` (R-PM-10), for every pair of ids."""
    group = change_master(sample_group(), "slaveReadEnable", str(is_master_open).lower())
    group = change_slaves(group, "slaveReadEnable", str(is_slave_open).lower())
    for near, slow in itertools.product((0, 1), repeat=2):
        master, slave = list_readings(group, SubscriptionGroup(near, slow))
        expected = [(near, slow) if each else (0, 0) for each in (is_master_open, is_slave_open)]
        assert expected == [(each.near_broker, each.slow_broker) for each in (master, slave)]


@pytest.mark.parametrize(("ratio", "memory"), [(40, 400), (0, 0), (100, 1_000), (150, 1_500)])
def test_how_far_back_memory_reaches(ratio: int, memory: int) -> None:
    """By each broker's own ratio, also above 100."""
    master, slave = list_readings(change_slaves(sample_group(), RATIO, str(ratio)))
    assert (400, memory) == (master.memory_bytes, slave.memory_bytes)


def is_slow(ratio: int, behind_bytes: int, total_bytes: int = 1_000) -> bool:
    """The store takes a reader of one message, so far behind the end, for slow."""
    queue = ReadableQueue(0, 1, 0, [MessageLocation(0, 10)])
    settings = StoreSettings(total_memory_bytes=total_bytes, memory_ratio=ratio)
    return get_message(Read(settings, queue, 0, 32, log_max_offset=behind_bytes)).is_slave_suggested


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(-5, "every consumer"), (0, "every consumer"), (100, "whole memory"), (101, "no consumer")],
)
def test_unusual_ratios_are_explained(ratio: int, words: str) -> None:
    """As the store does it: the last message of a log is 10 bytes behind its end."""
    assert words in (explain_ratio(ratio) or "")
    assert is_slow(ratio, behind_bytes=10) is (ratio <= 0)
    assert not is_slow(max(ratio, 100), behind_bytes=1_000)
    assert is_slow(ratio, behind_bytes=1_011)


def test_usual_ratios_need_no_words() -> None:
    """From 1 to 99."""
    assert {None} == {explain_ratio(ratio) for ratio in range(1, 100)}


def test_consumers_are_sent_in_circles_by_an_open_master_alone() -> None:
    """The pinned group: the master sends to the slave, the slave back."""
    group = change_master(sample_group(), "slaveReadEnable", "true")
    master, slave = list_readings(group, SubscriptionGroup(1, 1))
    assert (1, 0) == (master.near_broker, slave.near_broker)
