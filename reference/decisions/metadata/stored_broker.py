"""A broker with its tables and their files: changes, writes, starts and copies, on real texts.

The decisions are elsewhere: the effect of one copy in ``copying``, what a start reads in
``config_file``, the meaning of a text in ``table_text``. This module combines them, with the
answers of a master as they arrive over the network.
Source: #persist and #load of the four managers, SlaveSynchronize, AdminBrokerProcessor of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from reference.decisions.metadata import table_text
from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import STEPS, is_master_known
from reference.decisions.metadata.json_text import TextError
from reference.decisions.metadata.table_text import (
    DELAY,
    GROUPS,
    OFFSETS,
    TOPICS,
    USUAL_BUILT_IN,
    BuiltIn,
    ReadTable,
)
from reference.decisions.progress import config_file
from reference.decisions.progress.config_file import BrokenFile, Content, Files
from reference.decisions.reading.subscription_group import SubscriptionGroup, is_system_group

TABLE_NAMES = (TOPICS, OFFSETS, DELAY, GROUPS)
TABLE_OF_STEP: Mapping[str, str] = {
    "topics": TOPICS,
    "progress": OFFSETS,
    "delay": DELAY,
    "groups": GROUPS,
}


@frozen
class BrokerMetadata:
    """A broker's data in memory and in the files of ``config/``."""

    tables: BrokerTables
    built_in_topics: Mapping[str, Any]
    files: Mapping[str, Files] = field(factory=lambda: dict.fromkeys(TABLE_NAMES, Files()))
    """By table; their contents are texts."""
    is_offset_table_null: bool = False
    """A file with the content ``null`` has removed the table of progress (B5-00232)."""
    is_group_made_by_consumers: bool = True
    """``autoCreateSubscriptionGroup``."""
    is_groups_version_kept: bool = False
    """A start reads the version of groups, as it does from 5.3.1 on."""


def make_broker(
    cluster: str, name: str, now_ms: float, told: BuiltIn = USUAL_BUILT_IN
) -> BrokerMetadata:
    """A broker whose managers were just created and have read nothing."""
    built_in = table_text.list_built_in_topics(cluster, name, told)
    return BrokerMetadata(make_tables(built_in, now_ms), built_in)


def make_tables(built_in_topics: Mapping[str, Any], now_ms: float) -> BrokerTables:
    """Tables with the built-in entries, and versions that begin now."""
    version = DataVersion(now_ms)
    groups = dict(table_text.BUILT_IN_GROUPS)
    return BrokerTables(VersionedTable(version, built_in_topics), VersionedTable(version, groups))


def write_table(broker: BrokerMetadata, name: str, *, is_pretty: bool) -> str:
    """The text of a table."""
    tables = broker.tables
    if name == TOPICS:
        version, topics = tables.topics.version, tables.topics.entries
        return table_text.write_topics(version, topics, is_pretty=is_pretty)
    if name == GROUPS:
        version, groups = tables.groups.version, tables.groups.entries
        return table_text.write_groups(version, groups, is_pretty=is_pretty)
    if name == OFFSETS:
        offsets = None if broker.is_offset_table_null else tables.offsets
        return table_text.write_offsets(offsets, is_pretty=is_pretty)
    return table_text.write_delay(tables.delay_offsets, is_pretty=is_pretty)


def write_file(broker: BrokerMetadata, name: str, text: str) -> BrokerMetadata:
    """The broker after a text was written to a table's file (MixAll#string2File)."""
    written = config_file.persist(broker.files[name], text)
    main = written.main if text else BrokenFile.EMPTY
    return evolve(broker, files={**broker.files, name: evolve(written, main=main)})


def persist(broker: BrokerMetadata, name: str) -> BrokerMetadata:
    """The broker after a table was written (ConfigManager#persist)."""
    return write_file(broker, name, write_table(broker, name, is_pretty=True))


def change(broker: BrokerMetadata, name: str, table: VersionedTable[Any]) -> BrokerMetadata:
    """The broker after a change of topics or groups, not yet written."""
    tables = broker.tables
    changed = evolve(tables, topics=table) if name == TOPICS else evolve(tables, groups=table)
    return evolve(broker, tables=changed)


def get_table(broker: BrokerMetadata, name: str) -> VersionedTable[Any]:
    """Topics or groups."""
    return broker.tables.topics if name == TOPICS else broker.tables.groups


def put_entry(
    broker: BrokerMetadata, name: str, key: str, entry: Any, now_ms: float
) -> BrokerMetadata:
    """Create or change a topic or group: #updateTopicConfig, #updateSubscriptionGroupConfig.

    An update with equal values counts as a change too.
    """
    changed = change(broker, name, get_table(broker, name).put(key, entry, now_ms))
    return persist(changed, name)


def delete_entry(broker: BrokerMetadata, name: str, key: str, now_ms: float) -> BrokerMetadata:
    """Delete a topic or group: #deleteTopicConfig, #deleteSubscriptionGroupConfig.

    Deleting an unknown one changes nothing.
    """
    table = get_table(broker, name)
    if key not in table.entries:
        return broker
    left = {each: entry for each, entry in table.entries.items() if each != key}
    without = VersionedTable(table.version.compute_next(now_ms), left)
    return persist(change(broker, name, without), name)


def disable_group(broker: BrokerMetadata, key: str, now_ms: float) -> BrokerMetadata:
    """SubscriptionGroupManager#disableConsume: in memory only, under a new version."""
    table = broker.tables.groups
    if key not in table.entries:
        return broker
    disabled = evolve(table.entries[key], is_consume_enabled=False)
    return change(broker, GROUPS, table.put(key, disabled, now_ms))


def is_group_made(broker: BrokerMetadata, key: str) -> bool:
    """An unknown group named by a consumer is created, or it is one of RocketMQ's own."""
    return broker.is_group_made_by_consumers or is_system_group(key)


def find_group(
    broker: BrokerMetadata, key: str, now_ms: float
) -> tuple[BrokerMetadata, Any | None]:
    """SubscriptionGroupManager#findSubscriptionGroupConfig: a lookup may create a group."""
    found = broker.tables.groups.entries.get(key)
    if found is not None or not is_group_made(broker, key):
        return broker, found
    made = SubscriptionGroup()
    return put_entry(broker, GROUPS, key, made, now_ms), made


def read_table(
    name: str, content: Content, now_ms: float, *, is_version_kept: bool = False
) -> ReadTable | None:
    """The table in a text; None: nothing. Raises TextError where the manager throws.

    Progress is replaced by what was read, which may be no table at all; the other managers throw in
    that case.
    """
    if not isinstance(content, str):
        return None
    found = table_text.read_table(name, content, now_ms, is_version_kept=is_version_kept)
    if found is not None and found.entries is None and name != OFFSETS:
        raise TextError("null is not a table")
    return found


def classify(name: str, content: Content, now_ms: float) -> Content:
    """The content of a file, as far as a start depends on it."""
    if not config_file.has_characters(content):
        return content
    try:
        found = read_table(name, content, now_ms)
    except TextError:
        return BrokenFile.PARTIAL
    return BrokenFile.FOREIGN if found is None else content


def load(broker: BrokerMetadata, name: str, now_ms: float) -> tuple[BrokerMetadata, bool]:
    """The broker after a table was read, and whether it starts (ConfigManager#load)."""
    files = broker.files[name]
    main, backup = (classify(name, each, now_ms) for each in (files.main, files.backup))
    loaded = config_file.load(Files(main, backup))
    if loaded.text is None:
        return broker, loaded.is_broker_started
    is_kept = broker.is_groups_version_kept
    found = read_table(name, loaded.text, now_ms, is_version_kept=is_kept)
    assert found is not None  # It was classified as a text with content.
    return take_table(broker, name, found), loaded.is_broker_started


def take_table(broker: BrokerMetadata, name: str, found: ReadTable) -> BrokerMetadata:
    """The entries read are added to the built-in ones; progress is replaced."""
    if name == OFFSETS:
        tables = evolve(broker.tables, offsets=found.entries or {})
        return evolve(broker, tables=tables, is_offset_table_null=found.entries is None)
    entries = found.entries or {}
    if name == DELAY:
        return evolve(broker, tables=evolve(broker.tables, delay_offsets=entries))
    table = get_table(broker, name)
    taken = VersionedTable(found.version, {**table.entries, **entries})
    return change(broker, name, taken)


def restart(broker: BrokerMetadata, now_ms: float) -> tuple[BrokerMetadata, dict[str, bool]]:
    """New managers, which read their files; with, by table, whether the broker starts."""
    fresh = make_tables(broker.built_in_topics, now_ms)
    broker, results = evolve(broker, tables=fresh, is_offset_table_null=False), {}
    for name in TABLE_NAMES:
        broker, results[name] = load(broker, name, now_ms)
    return broker, results


Ask: TypeAlias = Callable[[str], str | None]
"""The master's answer to a step of a copy: the body of its answer; None: no answer, an error, or
one without a body."""


def answer_copy(broker: BrokerMetadata, step: str) -> str:
    """A master's answer to a step (AdminBrokerProcessor): its memory, in one line."""
    return write_table(broker, TABLE_OF_STEP[step], is_pretty=False)


def copy_all(broker: BrokerMetadata, ask: Ask, now_ms: float) -> BrokerMetadata:
    """The slave after a copy (SlaveSynchronize#syncAll); a step that fails ends only itself."""
    if not is_master_known(broker.tables):
        return broker
    for step in STEPS:
        broker = copy_one(broker, step, ask(step), now_ms)
    return broker


def copy_one(broker: BrokerMetadata, step: str, text: str | None, now_ms: float) -> BrokerMetadata:
    """The slave after a step with this text of an answer; None: there was none."""
    if text is None:
        return broker
    if step == "delay":
        return write_file(broker, DELAY, text)
    try:
        found = table_text.read_table(TABLE_OF_STEP[step], text, now_ms, is_version_kept=True)
    except TextError:
        return broker
    return broker if found is None else copy_step(broker, step, found)


def copy_step(broker: BrokerMetadata, step: str, found: ReadTable) -> BrokerMetadata:
    """The slave after one step with a readable answer.

    An answer whose table is ``null`` throws when it is taken over: memory stays as it is at that
    instant, which is empty under the new version (B5-00877), and nothing is written.
    """
    name = TABLE_OF_STEP[step]
    is_null = found.entries is None or (name == OFFSETS and broker.is_offset_table_null)
    instants = list(STEPS[step](broker.tables, make_answered(broker.tables, name, found)))
    if not instants:
        return broker
    if not is_null:
        return persist(evolve(broker, tables=instants[-1]), name)
    # Progress is merged at once: there is no instant before the exception.
    kept = broker.tables if name == OFFSETS else instants[-2]
    return evolve(broker, tables=kept)


def make_answered(tables: BrokerTables, name: str, found: ReadTable) -> BrokerTables:
    """A master of which one table is known."""
    entries = found.entries or {}
    if name == OFFSETS:
        return evolve(tables, offsets=entries)
    table = VersionedTable(found.version, entries)
    return evolve(tables, topics=table) if name == TOPICS else evolve(tables, groups=table)
