"""A broker's tables and their files, on real texts."""

from __future__ import annotations

import pytest
from attrs import evolve

from reference.decisions.metadata import stored_broker, table_text
from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.metadata.stored_broker import TABLE_NAMES, BrokerMetadata
from reference.decisions.metadata.table_text import DELAY, GROUPS, OFFSETS, TOPICS, TopicConfig
from reference.decisions.progress.config_file import BrokenFile, Content, Files
from reference.decisions.reading.subscription_group import SubscriptionGroup

FRESH = stored_broker.make_broker("c", "b", 1)


def fill(broker: BrokerMetadata) -> BrokerMetadata:
    """With an entry of its own in each table, and all files written."""
    broker = stored_broker.put_entry(broker, TOPICS, "t", TopicConfig(name="t"), 2)
    broker = stored_broker.put_entry(broker, GROUPS, "g", SubscriptionGroup(), 3)
    tables = evolve(broker.tables, offsets={"t@g": {0: 7}}, delay_offsets={"1": 5})
    broker = evolve(broker, tables=tables)
    for name in TABLE_NAMES:
        broker = stored_broker.persist(broker, name)
    return broker


FULL = fill(FRESH)


def put_file(name: str, main: Content, backup: Content = BrokenFile.MISSING) -> BrokerMetadata:
    """The full broker with other files of one table."""
    return evolve(FULL, files={**FULL.files, name: Files(main, backup)})


def test_a_start_reads_what_was_written() -> None:
    """Groups alone have a version that begins anew (R-MS-09)."""
    again, results = stored_broker.restart(FULL, 9)
    assert results == dict.fromkeys(TABLE_NAMES, True)
    assert again.tables.topics == FULL.tables.topics
    assert again.tables.groups.entries == FULL.tables.groups.entries
    assert again.tables.groups.version == DataVersion(9)
    assert again.tables.offsets == {"t@g": {0: 7}}
    assert again.tables.delay_offsets == {"1": 5}


@pytest.mark.parametrize("name", TABLE_NAMES)
@pytest.mark.parametrize("text", [" ", "null", "[]", "{}", '{"x":{"y":1}}'])
def test_a_file_without_a_table_hides_the_backup(name: str, text: str) -> None:
    """And the broker starts (B5-00221, B5-00217)."""
    backup = FULL.files[name].main
    again, results = stored_broker.restart(put_file(name, text, backup), 9)
    assert results[name]
    fresh = stored_broker.make_broker("c", "b", 9).tables
    read = {
        TOPICS: again.tables.topics == fresh.topics,
        GROUPS: again.tables.groups == fresh.groups,
        OFFSETS: again.tables.offsets == {},
        DELAY: again.tables.delay_offsets == {},
    }
    assert read[name]


@pytest.mark.parametrize("name", TABLE_NAMES)
@pytest.mark.parametrize("text", ["garbage", "\0\0\0\0", "{", '{"x":1} y'])
def test_a_damaged_file_leaves_the_backup(name: str, text: str) -> None:
    """Which may be one without a table; a damaged one ends the start."""
    backup = FULL.files[name].main
    again, results = stored_broker.restart(put_file(name, text, backup), 9)
    whole, _ = stored_broker.restart(FULL, 9)
    assert results[name]
    assert again.tables == whole.tables
    for other, is_started in (("null", True), ("garbage", False)):
        _, results = stored_broker.restart(put_file(name, text, other), 9)
        assert results[name] == is_started


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_a_table_that_is_null(name: str) -> None:
    """Takes progress away (B5-00232), and cannot be taken by the others."""
    null = f'{{"{table_text.FIELDS[name]}":null}}'
    again, results = stored_broker.restart(put_file(name, null, "garbage"), 9)
    assert results[name] == again.is_offset_table_null == (name == OFFSETS)
    written = stored_broker.persist(again, OFFSETS).files[OFFSETS].main
    assert (written == "{\n\t\n}") == (name == OFFSETS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (OFFSETS, '{"offsetTable":{1:77}}'),
        (OFFSETS, '{"offsetTable":{"t@g":null}}'),
        (OFFSETS, '{"offsetTable":[]}'),
        (OFFSETS, '{"offsetTable":{"t@g":{"x":1}}}'),
        (DELAY, '{"offsetTable":{"t@g":{0:77}}}'),
        (DELAY, '{"offsetTable":{1:true}}'),
        (TOPICS, '{"topicConfigTable":{"t":5}}'),
        (TOPICS, '{"dataVersion":5}'),
        (GROUPS, '{"subscriptionGroupTable":{"g":5}}'),
    ],
)
def test_entries_of_another_kind_throw(name: str, text: str) -> None:
    """As where a number stands in the place of a table."""
    _, results = stored_broker.restart(put_file(name, text, "garbage"), 9)
    assert not results[name]


def test_what_a_text_does_not_name_is_as_in_a_new_one() -> None:
    """A topic's fields, and its version."""
    text = '{"topicConfigTable":{"z":{"topicName":"z"}}}'
    again, _ = stored_broker.restart(put_file(TOPICS, text), 9)
    assert again.tables.topics.entries["z"] == TopicConfig(name="z")
    assert again.tables.topics.version == DataVersion(9)
    versioned, _ = stored_broker.restart(
        put_file(TOPICS, '{"dataVersion":{"counter":5,"timestamp":7}}'), 9
    )
    assert versioned.tables.topics.version == DataVersion(7, 5)


def test_changes_of_groups() -> None:
    """A disabled group is not written; an unknown one is made, or not."""
    disabled = stored_broker.disable_group(FULL, "g", 5)
    assert not disabled.tables.groups.entries["g"].is_consume_enabled
    assert disabled.tables.groups.version == DataVersion(5, 2)
    assert disabled.files == FULL.files
    assert stored_broker.disable_group(FULL, "x", 5) == FULL
    assert stored_broker.find_group(FULL, "g", 5) == (FULL, SubscriptionGroup())
    made, found = stored_broker.find_group(FULL, "x", 5)
    assert found == SubscriptionGroup() == made.tables.groups.entries["x"]
    strict = evolve(FULL, is_group_made_by_consumers=False)
    assert stored_broker.find_group(strict, "x", 5) == (strict, None)
    assert stored_broker.find_group(strict, "CID_RMQ_SYS_x", 5)[1] == SubscriptionGroup()


def test_deletions() -> None:
    """Of what is not there: nothing, not even a version."""
    without = stored_broker.delete_entry(FULL, TOPICS, "t", 5)
    assert "t" not in without.tables.topics.entries
    assert without.tables.topics.version == DataVersion(5, 2)
    assert stored_broker.delete_entry(FULL, TOPICS, "x", 5) == FULL


def make_slave(*, is_told: bool = True) -> BrokerMetadata:
    """A slave that knows its master."""
    tables = evolve(FRESH.tables, master_address="m" if is_told else None)
    return evolve(FRESH, tables=tables)


def answer(step: str) -> str:
    """What the full broker answers."""
    return stored_broker.answer_copy(FULL, step)


def test_a_copy_takes_memory_and_files() -> None:
    """Delay offsets go to the file alone (R-MS-07)."""
    copied = stored_broker.copy_all(make_slave(), answer, 9)
    assert copied.tables.topics == FULL.tables.topics
    assert copied.tables.groups == FULL.tables.groups
    assert copied.tables.offsets == FULL.tables.offsets
    assert copied.tables.delay_offsets == {}
    assert copied.files[DELAY].main == '{"offsetTable":{1:5}}'
    for name in (TOPICS, GROUPS, OFFSETS):
        assert copied.files[name].main == FULL.files[name].main
    assert stored_broker.copy_all(make_slave(is_told=False), answer, 9) == make_slave(is_told=False)


def script(step: str, text: str | None) -> BrokerMetadata:
    """The slave after a copy in which one step has this answer, and the others none."""
    return stored_broker.copy_all(make_slave(), lambda each: text if each == step else None, 9)


@pytest.mark.parametrize("text", [None, "garbage", "null", "[]"])
@pytest.mark.parametrize("step", ["topics", "progress", "groups"])
def test_an_answer_without_an_object_changes_nothing(step: str, text: str | None) -> None:
    """The step throws, or has nothing to take."""
    assert script(step, text) == make_slave()


def test_an_answer_without_a_table_empties_the_slave() -> None:
    """Built-in topics too, under the answered version."""
    emptied = script("topics", '{"dataVersion":{"counter":3,"timestamp":4}}')
    assert emptied.tables.topics.entries == {}
    assert emptied.tables.topics.version == DataVersion(4, 3)
    assert emptied.files[TOPICS].main is not BrokenFile.MISSING


@pytest.mark.parametrize(("step", "name"), [("topics", TOPICS), ("groups", GROUPS)])
def test_an_answer_with_null_empties_memory_alone(step: str, name: str) -> None:
    """Taking it throws when the table is empty already (B5-00877)."""
    null = f'{{"dataVersion":{{"counter":3,"timestamp":4}},"{table_text.FIELDS[name]}":null}}'
    emptied = script(step, null)
    assert stored_broker.get_table(emptied, name).entries == {}
    assert stored_broker.get_table(emptied, name).version == DataVersion(4, 3)
    assert emptied.files == make_slave().files


def test_no_table_of_progress_cannot_be_merged() -> None:
    """Neither the master's, nor into the slave's."""
    assert script("progress", '{"offsetTable":null}') == make_slave()
    without = evolve(make_slave(), is_offset_table_null=True)
    copied = stored_broker.copy_all(without, lambda s: answer(s) if s == "progress" else None, 9)
    assert copied == without


def test_an_empty_answer_of_delay_empties_the_file() -> None:
    """Any text is written as it is."""
    assert script("delay", "").files[DELAY].main is BrokenFile.EMPTY
    assert script("delay", "garbage").files[DELAY].main == "garbage"
