"""Topics in order by the name server's word."""

from __future__ import annotations

import pytest

from reference.decisions.metadata.broker_tables import BrokerTables, VersionedTable
from reference.decisions.metadata.copying import list_instants
from reference.decisions.metadata.data_version import DataVersion
from reference.decisions.name_server.order_topics import TopicOrder, take_order

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
