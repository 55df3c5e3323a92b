"""Subscription groups: read from a broker's file, from options, and made by the admin command."""

from __future__ import annotations

import json

import pytest
from attrs import evolve

from reference.decisions.reading.subscription_group import (
    DEFAULT_GROUP,
    GroupError,
    SubscriptionGroup,
    disable_for_slowness,
    is_system_group,
    parse_group,
    read_groups,
    update_by_command,
)


def test_options() -> None:
    """Names are RocketMQ's; what is not named is the default."""
    group = parse_group("brokerId=2, whichBrokerWhenConsumeSlowly=3,consumeEnable=false")
    expected = SubscriptionGroup(broker_id=2, slow_broker_id=3, is_consume_enabled=False)
    assert group == expected
    assert parse_group("") == DEFAULT_GROUP == SubscriptionGroup()


@pytest.mark.parametrize(
    "text",
    [
        "brokerId",
        "brokerid=1",
        "brokerId=-1",
        "brokerId=x",
        "consumeEnable=1",
        "brokerId=1,brokerId=1",
    ],
)
def test_refused_options(text: str) -> None:
    """Unknown, doubled, or of another type."""
    with pytest.raises(GroupError):
        parse_group(text)


def test_file() -> None:
    """The file of a broker, with all that 4.4.0 writes into it."""
    table = {"g": {"groupName": "g", "brokerId": 1, "retryQueueNums": 2, "consumeEnable": True}}
    text = json.dumps({"dataVersion": {"counter": 3}, "subscriptionGroupTable": table})
    assert read_groups(text) == {"g": evolve(DEFAULT_GROUP, broker_id=1, retry_queues=2)}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"subscriptionGroupTable": 1}', '{"subscriptionGroupTable": {"g": 1}}'],
)
def test_refused_files(text: str) -> None:
    """Whatever is no such file."""
    with pytest.raises(GroupError):
        read_groups(text)


def test_the_admin_command_resets_what_it_does_not_name() -> None:
    """Two flags go to false, all else to the default (R-SG-03)."""
    group = update_by_command({"brokerId": 1})
    assert group == evolve(
        DEFAULT_GROUP, broker_id=1, is_broadcast_enabled=False, is_consume_from_min_enabled=False
    )


@pytest.mark.parametrize(
    ("behind", "is_protected", "is_enabled"),
    [(16, True, True), (17, True, False), (17, False, True)],
)
def test_a_broker_may_stop_a_slow_group(behind: int, is_protected: bool, is_enabled: bool) -> None:
    """Beyond the threshold, and only where the broker protects itself (R-SG-05)."""
    group = disable_for_slowness(
        DEFAULT_GROUP, behind_bytes=behind, threshold_bytes=16, is_protected=is_protected
    )
    assert group.is_consume_enabled is is_enabled


def test_system_groups() -> None:
    """Known by their prefix."""
    assert is_system_group("CID_RMQ_SYS_TRANS")
    assert not is_system_group("my_group")
