"""Which records and what progress each choice keeps: the master's store, or the slave's.

What was *acknowledged* no store knows: a record that one store alone has may have been answered
with PUT_OK or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import define, field, frozen

from brokers.disk.comparison.accounting import list_cut, list_missing
from brokers.disk.comparison.log_comparison import LogComparison
from brokers.disk.comparison.table_comparison import list_progress
from brokers.disk.files.log_files import LogFile
from brokers.disk.findings import FindingKind
from brokers.disk.records.held_records import HeldRecord
from brokers.disk.records.walking import finish, pass_records
from brokers.disk.stored_brokers import StoredBroker
from reference.decisions.metadata.table_text import DELAY
from reference.store.records import SCHEDULE_TOPIC

QueueKey: TypeAlias = tuple[str, int]
RECORDS_KEPT = 50
"""How many of the lost records are kept to be shown."""


@frozen
class Lost:
    """Records that a choice loses: those that the other store alone has."""

    by_queue: Mapping[QueueKey, int] = field(factory=dict)
    """How many, by topic and queue."""
    first: tuple[HeldRecord, ...] = ()
    """Some of them, in the order of the log."""

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(self.by_queue.values())


NOTHING_LOST = Lost()


@frozen
class GroupEffect:
    """What a group meets in a queue when the slave serves it in place of the master."""

    key: str
    """``topic@group``."""
    queue_id: int
    repeats: int = 0
    """Messages that it has consumed and receives again."""
    skips: int = 0
    """Messages of the promoted store below its progress that the master's store does not have: no
    consumer of the master can have received them."""
    is_reset: bool = False
    """Its progress is behind the queue's end: the first pull is answered with another offset."""


@frozen
class DelayEffect:
    """Delayed messages that the master has delivered, and the slave has not."""

    level: int
    delivered: int
    """How many deliveries the master's store alone has."""
    progress_on_master: int
    progress_on_slave: int

    @property
    def is_passed(self) -> bool:
        """The slave's progress is behind all of them: promoted with it, it never delivers them."""
        return self.progress_on_slave >= self.progress_on_master


@frozen
class Choices:
    """What is lost if one store stays alone."""

    if_master_stays: Lost = NOTHING_LOST
    """What the slave's log serves and the master's does not, from the master's begin on."""
    if_slave_is_promoted: Lost = NOTHING_LOST
    """What the master's log serves and the slave's does not."""
    older: Lost = NOTHING_LOST
    """What the slave's log serves below the master's begin: the master's retention has deleted it,
    or its first files are lost."""
    cut: Mapping[str, Lost] = field(factory=dict)
    """By broker: whole records behind its log's end, which its start does not reach and the other
    log does not serve."""
    filling: tuple[LogFile, ...] = ()
    """The slave's files for gaps of the master, if they hold all that only the slave serves."""
    groups: tuple[GroupEffect, ...] = field(default=())
    """Consumer groups for which the slave's promotion changes something."""
    delays: tuple[DelayEffect, ...] = ()


@define
class RecordTally:
    """Counts records as they go by, so that none has to stay in memory."""

    by_queue: Counter[QueueKey] = field(factory=Counter)
    first: list[HeldRecord] = field(factory=list)
    deliveries: Counter[int] = field(factory=Counter)
    """Delivered copies of delayed messages, by level."""
    skipped: Counter[tuple[str, int]] = field(factory=Counter)
    """By ``topic@group`` and queue: records below the group's progress."""

    def add(self, record: HeldRecord, progress: Mapping[QueueKey, list[tuple[str, int]]]) -> None:
        """One more. ``progress``: by topic and queue, each group and how far it is."""
        self.by_queue[record.queue] += 1
        if len(self.first) < RECORDS_KEPT:
            self.first.append(record)
        if record.delay_level and record.topic != SCHEDULE_TOPIC:
            self.deliveries[record.delay_level] += 1
        if record.is_in_queue:
            for key, at in progress.get(record.queue, ()):
                self.skipped[key, record.queue_id] += record.queue_offset < at

    def make_lost(self) -> Lost:
        """What was counted."""
        return Lost(dict(self.by_queue), tuple(self.first))


def compute_choices(master: StoredBroker, slave: StoredBroker, compared: LogComparison) -> Choices:
    """Both choices, from the parts in which the logs differ. Raises OSError."""
    if compared.kind is FindingKind.CANNOT_SAY:
        return Choices()
    on_master, on_slave, older = RecordTally(), RecordTally(), RecordTally()
    for record in list_missing(master, slave, compared):
        on_master.add(record, {})
    progress, gaps = list_reachable_progress(slave), list(master.log.list_missing())
    is_all_in_gaps = True
    for record in list_missing(slave, master, compared):
        if record.offset < master.start.begin_offset:
            older.add(record, {})
            continue
        on_slave.add(record, progress)
        is_all_in_gaps &= any(low <= record.offset < high for low, high in gaps)
    return Choices(
        if_master_stays=on_slave.make_lost(),
        if_slave_is_promoted=on_master.make_lost(),
        older=older.make_lost(),
        cut=_count_cut(master, slave, compared),
        filling=tuple(_list_filling(slave, gaps)) if on_slave.by_queue and is_all_in_gaps else (),
        groups=tuple(_list_group_effects(master, slave, on_slave.skipped)),
        delays=tuple(_list_delay_effects(master, slave, on_master.deliveries)),
    )


def _count_cut(
    master: StoredBroker, slave: StoredBroker, compared: LogComparison
) -> Mapping[str, Lost]:
    found = {}
    for broker, other in ((master, slave), (slave, master)):
        tally = RecordTally()
        for record in list_cut(broker, other, compared):
            tally.add(record, {})
        if tally.by_queue:
            found[broker.name] = tally.make_lost()
    return found


def _list_filling(slave: StoredBroker, gaps: Sequence[tuple[int, int]]) -> list[LogFile]:
    """Files of a slave that lie in gaps; none if one of them ends a log. Raises OSError.

    What lies behind a gap that is filled with such a file, a master's start may no longer reach.
    """
    filling = [
        file
        for file in slave.log.files
        if any(low <= file.begin_offset and file.end_offset <= high for low, high in gaps)
    ]
    return filling if all(_leads_on(slave, file) for file in filling) else []


def _leads_on(broker: StoredBroker, file: LogFile) -> bool:
    """Whole records follow each other from a file's beginning to its blank. Raises OSError."""
    end = finish(pass_records(file, file.size_bytes, broker.rules.record_format))
    return end.position >= file.size_bytes or end.request.is_success


def list_reachable_progress(slave: StoredBroker) -> Mapping[QueueKey, list[tuple[str, int]]]:
    """By topic and queue, each group with its progress, at most to the queue's end."""
    found: dict[QueueKey, list[tuple[str, int]]] = {}
    for (key, queue_id), at in list_progress(slave).items():
        queue = slave.start.queues.get((key.partition("@")[0], queue_id))
        if queue is not None:
            found.setdefault(queue.key, []).append((key, min(at, queue.max_index)))
    return found


def _list_delay_effects(
    master: StoredBroker, slave: StoredBroker, delivered: Mapping[int, int]
) -> Iterator[DelayEffect]:
    ours, theirs = (broker.tables[DELAY].entries for broker in (master, slave))
    for level, count in sorted(delivered.items()):
        key = str(level)
        yield DelayEffect(level, count, ours.get(key, 0), theirs.get(key, 0))


def _list_group_effects(
    master: StoredBroker, slave: StoredBroker, skipped: Mapping[tuple[str, int], int]
) -> Iterator[GroupEffect]:
    ours, theirs = list_progress(master), list_progress(slave)
    for key, queue_id in sorted(ours.keys() | theirs.keys()):
        topic = key.partition("@")[0]
        consumed, known = ours.get((key, queue_id), 0), theirs.get((key, queue_id), 0)
        queue = slave.start.queues.get((topic, queue_id))
        end = queue.max_index if queue else 0
        effect = GroupEffect(
            key,
            queue_id,
            repeats=max(0, min(consumed, end) - known),
            skips=skipped.get((key, queue_id), 0),
            is_reset=known > end,
        )
        if effect.repeats or effect.skips or effect.is_reset:
            yield effect
