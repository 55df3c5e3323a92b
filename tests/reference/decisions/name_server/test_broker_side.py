"""What a broker takes from the name server's answer: topics in order, and the master of its log."""

from __future__ import annotations

import pytest

from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import list_instants
from reference.decisions.name_server.broker_side import (
    HaClient,
    TopicOrder,
    close,
    connect,
    is_connection_stale,
    take_order,
    update_address,
)

TOPICS = VersionedTable(DataVersion(5), {"a": TopicOrder(is_order=True), "b": TopicOrder()})


def test_the_answer_decides_alone() -> None:
    """Named topics get the flag, others lose it, unknown ones are not made."""
    after = take_order(TOPICS, {"b", "unknown"}, 9)
    assert after.entries == {"a": TopicOrder(), "b": TopicOrder(is_order=True)}
    assert after.version == DataVersion(9, 1)


@pytest.mark.parametrize(("answered", "is_one_way"), [(None, False), ({"b"}, True), ({"a"}, False)])
def test_nothing_changes_without_news(answered: set[str] | None, is_one_way: bool) -> None:
    """No table, no answer, or one that says what is so already: the version stays."""
    assert take_order(TOPICS, answered, 9, is_one_way=is_one_way) is TOPICS


def test_the_same_word_on_both_makes_the_slave_copy() -> None:
    """Equal content, unequal versions: the slave's table is empty for an instant."""
    groups = VersionedTable[object](DataVersion(1))
    master, slave = (
        BrokerTables(take_order(TOPICS, {"b"}, now_ms), groups, master_address="m")
        for now_ms in (9, 11)
    )
    assert master.topics.entries == slave.topics.entries
    instants = list(list_instants(slave, master))
    assert {} in [i.topics.entries for i in instants]
    assert instants[-1].topics == master.topics


def test_a_new_address_is_used_at_the_next_connect() -> None:
    """Not before, however long the connection lasts (R-HC-03)."""
    client = connect(update_address(HaClient(), "m:1"))
    moved = connect(update_address(client, "x:1"))
    assert moved.connected_to == "m:1"
    assert is_connection_stale(moved)
    again = connect(close(moved))
    assert again.connected_to == "x:1"
    assert not is_connection_stale(again)


def test_without_an_address_there_is_no_connection() -> None:
    """A slave that was never told of a master waits."""
    assert connect(HaClient()).connected_to is None
    assert not is_connection_stale(HaClient())


def test_a_closed_connection_keeps_the_address() -> None:
    """A slave tries its master's old address until it learns of another one (R-NS-08)."""
    assert connect(close(HaClient("m:1", "m:1"))) == HaClient("m:1", "m:1")
