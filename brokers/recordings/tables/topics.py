"""A recorded broker's table of topics: changes that are not over, and what its files hold.

A change is made in steps that a kill may come between, or a copy: an administrator is answered, the
topic is put into the table, then version and file follow (the world of copied tables has the same
steps: ``answer_creation``, ``create_entry``, ``finish_change``). Changes for administrators follow
one another (AdminBrokerProcessor#updateAndCreateTopic and #deleteTopic are synchronized), and so do
those that a broker makes by itself (TopicConfigManager.lockTopicConfigTable).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from brokers.recordings.ahead.plan import Plan
from brokers.recordings.clock import FOREVER_MS
from reference.decisions.metadata.broker_tables import DataVersion, VersionedTable
from reference.decisions.metadata.table_text import list_built_in_topics

Topics: TypeAlias = VersionedTable[Any]

BUILT_IN = frozenset(list_built_in_topics("TBW102", "TBW102"))
"""Topics that every broker makes at its start, beside those with the names of its cluster and
itself (TopicConfigManager's constructor)."""

OWN_TOPICS = 2
"""So many topics are named after something."""

MAKING_KINDS = frozenset({"update_topic", "send_message"})
"""Events that may have made a topic."""

CLIENTS_PREFIX = "%"
"""How topics begin that a broker makes for its clients, for example ``%RETRY%group``."""

HELD_UP_MS = 1_000.0
"""So long a thread is held up at most between an answer and what follows it, where no log tells of
that. Where one does, a debugger may hold the thread for any time (equal_versions seq 154 to 256).
"""

HALF_TOPIC = "RMQ_SYS_TRANS_HALF_TOPIC"
"""A master makes it when it looks for unfinished transactions the first time, or when it stops
(TransactionalMessageBridge#selectTopicConfig)."""

HALF_TOPIC_MS = 60_000.0
"""``transactionCheckInterval``: from the start to that look."""


@frozen
class TopicChange:
    """A change that is not over."""

    name: str
    """The topic."""
    stamp_ms: float
    """That of the version which it gives."""
    is_alone: bool
    """The broker makes it by itself; else an administrator has asked for it."""
    is_deletion: bool = False
    is_made: bool = False
    """The table has changed; its version and file have not."""
    latest_ms: float = FOREVER_MS
    """When it is over at the latest."""


@frozen
class TopicSide:
    """The topics of one broker."""

    table: Topics
    """In memory."""
    changes: tuple[TopicChange, ...] = ()
    """Those that are not over: one for an administrator at most, and one of its own."""
    file: Topics | None = None
    """``topics.json``; None: there is none."""
    backup: Topics | None = None
    """``topics.json.bak``: the file before it was last written."""
    built_in: Mapping[str, Any] = field(factory=dict)
    """What a start finds without files."""

    def replace(self, table: Topics) -> TopicSide:
        """After a copy has replaced the table, and has written it."""
        return evolve(self, table=table, file=table, backup=self.file)

    def begin(self, change: TopicChange) -> TopicSide:
        """With one more change; the one before it under the same lock is over."""
        side = self.end(is_alone=change.is_alone)
        begun = evolve(side, changes=(*side.changes, evolve(change, is_made=False)))
        return begun.make(begun.changes[-1]) if change.is_made else begun

    def end(self, *, is_alone: bool) -> TopicSide:
        """With all changes under one lock over."""
        return self._end(change for change in self.changes if change.is_alone == is_alone)

    def end_late(self, now_ms: float) -> TopicSide:
        """With the changes over that should be."""
        late = [change for change in self.changes if change.latest_ms <= now_ms]
        return self._end(late) if late else self

    def _end(self, changes: Iterable[TopicChange]) -> TopicSide:
        side = self
        for change in changes:
            made = side if change.is_made else side.make(change)
            side = made.finish(evolve(change, is_made=True))
        return side

    def make(self, change: TopicChange) -> TopicSide:
        """A topic is put into the table, or taken out of it."""
        entries = {name: entry for name, entry in self.table.entries.items() if name != change.name}
        if not change.is_deletion:
            entries[change.name] = None
        made = evolve(change, is_made=True)
        changes = tuple(made if each == change else each for each in self.changes)
        table = VersionedTable(self.table.version, entries)
        return evolve(self, table=table, changes=changes)

    def finish(self, change: TopicChange, *, is_written: bool = True) -> TopicSide:
        """Version and file follow (DataVersion#nextVersion, ConfigManager#persist).

        A file that cannot be written stays as it is, which is only logged.
        """
        version = self.table.version.compute_next(change.stamp_ms)
        table = VersionedTable(version, self.table.entries)
        changes = tuple(each for each in self.changes if each != change)
        done = evolve(self, table=table, changes=changes)
        return evolve(done, file=table, backup=self.file) if is_written else done

    def list_steps(self, *, may_fail: bool) -> Iterator[TopicSide]:
        """What one hidden step makes of it; ``may_fail``: a file may not be writable."""
        for change in self.changes:
            if not change.is_made:
                yield self.make(change)
                continue
            yield self.finish(change)
            if may_fail:
                yield self.finish(change, is_written=False)

    def restart(self, stamp_ms: float, *, may_lack: bool) -> Iterator[TopicSide]:
        """What a new process may have read.

        ``may_lack``: what was written last need not be there, because the machine has lost power
        or the recorder has changed the files. Both are written anew with each change.
        """
        yield self._read(stamp_ms, self.file, self.backup)
        if may_lack:
            yield self._read(stamp_ms, None, self.backup)
            yield self._read(stamp_ms, None, None)

    def _read(self, stamp_ms: float, file: Topics | None, backup: Topics | None) -> TopicSide:
        """What is in the file, or else in the one before it, beside what is built in.

        Source: ConfigManager#load, #loadBak; TopicConfigManager#decode.
        """
        table = VersionedTable(DataVersion(stamp_ms), dict(self.built_in))
        found = file or backup
        if found is not None:
            table = VersionedTable(found.version, {**self.built_in, **found.entries})
        return TopicSide(table, file=file, backup=backup, built_in=self.built_in)

    @property
    def key(self) -> Any:
        """Equal for equal tables, changes and files."""
        return (self.changes, *map(_make_key, (self.table, self.file, self.backup)))

    def rename_stamp(self, known: float, stamp_ms: float) -> TopicSide:
        """The same with another number for one stamp, wherever it is."""

        def rename(table: Topics) -> Topics:
            version = table.version
            if version.timestamp_ms != known:
                return table
            return VersionedTable(DataVersion(stamp_ms, version.counter), table.entries)

        file, backup = (rename(t) if t is not None else None for t in (self.file, self.backup))
        return evolve(self, table=rename(self.table), file=file, backup=backup)


def _make_key(table: Topics | None) -> Any:
    return None if table is None else (table.version, frozenset(table.entries))


def find_own_topics(plan: Plan) -> frozenset[str]:
    """The topics that brokers name after their cluster and themselves, which no start shows.

    In the first look they are those that nothing has made.
    """
    events = plan.recording.events
    look = next((event for event in events if event.kind == "tables"), None)
    if look is None:
        return frozenset()
    made = {e.data.get("topic") for e in events if e.kind in MAKING_KINDS and e.seq < look.seq}
    known = {*BUILT_IN, HALF_TOPIC, *made, *plan.logs.list_topics(look.seq)}
    left = {str(name) for name in look["topics"]} - known
    names = {name for name in left if not name.startswith(CLIENTS_PREFIX)}
    return frozenset(names) if len(names) <= OWN_TOPICS else frozenset()
