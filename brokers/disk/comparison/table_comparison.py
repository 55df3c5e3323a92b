"""The tables of two brokers compared: topics, groups, consumers' progress, and delay progress."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from brokers.disk.files.table_files import FILE_NAMES
from brokers.disk.stored_brokers import StoredBroker
from reference.decisions.metadata.table_text import DELAY, GROUPS, OFFSETS, TOPICS
from reference.store.records import SCHEDULE_TOPIC


class TableKind(enum.Enum):
    """What is found of a table."""

    ONLY_ON_MASTER = "only on the master"
    ONLY_ON_SLAVE = "only on the slave"
    DIFFERS = "differs"
    BEHIND = "behind"
    AHEAD = "ahead"
    EQUAL_VERSIONS = "another content under the same version"
    AHEAD_OF_LOG = "ahead of the broker's own queue"


@frozen
class TableFinding:
    """An entry that is not the same on both brokers, or that contradicts its broker's queues."""

    table: str
    kind: TableKind
    key: str = ""
    """A topic, a group, ``topic@group/queue`` or a delay level; empty for a whole table."""
    on_master: Any = None
    on_slave: Any = None
    broker: str = ""
    """Whose own queue it contradicts."""

    @property
    def file_name(self) -> str:
        """Where it stands in ``config/``."""
        return FILE_NAMES[self.table]


def compare_tables(master: StoredBroker, slave: StoredBroker) -> Iterator[TableFinding]:
    """All differences, table by table, and progress that is ahead of a broker's own queues."""
    for name in (TOPICS, GROUPS):
        found = list(_compare_entries(master, slave, name))
        ours, theirs = master.tables[name].version, slave.tables[name].version
        if found and ours is not None and ours == theirs and name == TOPICS:
            yield TableFinding(name, TableKind.EQUAL_VERSIONS, "", ours, theirs)
        yield from found
    yield from _compare_progress(master, slave)
    yield from _compare_delay(master, slave)
    for broker in (master, slave):
        yield from list_progress_ahead(broker)


def _compare_entries(
    master: StoredBroker, slave: StoredBroker, name: str
) -> Iterator[TableFinding]:
    ours, theirs = master.tables[name].entries, slave.tables[name].entries
    for key in sorted(ours.keys() | theirs.keys()):
        if key not in theirs:
            yield TableFinding(name, TableKind.ONLY_ON_MASTER, key, ours[key])
        elif key not in ours:
            yield TableFinding(name, TableKind.ONLY_ON_SLAVE, key, None, theirs[key])
        elif ours[key] != theirs[key]:
            yield TableFinding(name, TableKind.DIFFERS, key, ours[key], theirs[key])


def list_progress(broker: StoredBroker) -> dict[tuple[str, int], int]:
    """Consumers' progress by ``topic@group`` and queue."""
    table = broker.tables[OFFSETS].entries
    return {(key, queue): at for key, queues in table.items() for queue, at in queues.items()}


def _compare_numbers(
    table: str, key: str, ours: int | None, theirs: int | None
) -> Iterator[TableFinding]:
    if ours is None:
        yield TableFinding(table, TableKind.ONLY_ON_SLAVE, key, None, theirs)
    elif theirs is None:
        yield TableFinding(table, TableKind.ONLY_ON_MASTER, key, ours)
    elif ours != theirs:
        kind = TableKind.BEHIND if theirs < ours else TableKind.AHEAD
        yield TableFinding(table, kind, key, ours, theirs)


def _compare_progress(master: StoredBroker, slave: StoredBroker) -> Iterator[TableFinding]:
    ours, theirs = list_progress(master), list_progress(slave)
    for key in sorted(ours.keys() | theirs.keys()):
        name = f"{key[0]}/{key[1]}"
        yield from _compare_numbers(OFFSETS, name, ours.get(key), theirs.get(key))


def _compare_delay(master: StoredBroker, slave: StoredBroker) -> Iterator[TableFinding]:
    ours, theirs = master.tables[DELAY].entries, slave.tables[DELAY].entries
    for level in sorted(ours.keys() | theirs.keys(), key=int):
        yield from _compare_numbers(DELAY, level, ours.get(level), theirs.get(level))


def list_progress_ahead(broker: StoredBroker) -> Iterator[TableFinding]:
    """Progress that is behind the end of the queue that the broker itself has after a start."""
    ends = {key: queue.max_index for key, queue in broker.start.queues.items()}
    for (key, queue_id), at in sorted(list_progress(broker).items()):
        topic = key.partition("@")[0]
        if at > ends.get((topic, queue_id), 0):
            yield _make_ahead(broker, OFFSETS, f"{key}/{queue_id}", at, topic, queue_id)
    for level, at in sorted(broker.tables[DELAY].entries.items()):
        queue_id = int(level) - 1
        if at > ends.get((SCHEDULE_TOPIC, queue_id), 0):
            yield _make_ahead(broker, DELAY, level, at, SCHEDULE_TOPIC, queue_id)


def _make_ahead(  # noqa: PLR0913, PLR0917
    broker: StoredBroker, table: str, key: str, at: int, topic: str, queue_id: int
) -> TableFinding:
    queue = broker.start.queues.get((topic, queue_id))
    end = queue.max_index if queue else 0
    return TableFinding(table, TableKind.AHEAD_OF_LOG, key, at, end, broker.name)
