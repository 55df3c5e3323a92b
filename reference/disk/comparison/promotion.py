"""Which records and what progress each choice keeps: the master's store, or the slave's.

What was *acknowledged* no store knows: a record that one store alone has may have been answered
with PUT_OK or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from attrs import define, evolve, field, frozen

from reference.decisions.metadata.table_text import DELAY
from reference.disk.comparison.log_comparison import LogComparison
from reference.disk.comparison.table_comparison import list_progress
from reference.disk.findings import Kind
from reference.disk.records.held_records import HeldRecord, list_held_records, read_record
from reference.disk.records.units import find_landmark
from reference.disk.stored_brokers import StoredBroker
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
    if_slave_is_promoted: Lost = NOTHING_LOST
    groups: tuple[GroupEffect, ...] = field(default=())
    """Consumer groups for which the slave's promotion changes something."""
    delays: tuple[DelayEffect, ...] = ()


@define
class Tally:
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
    if compared.kind is Kind.CANNOT_SAY:
        return Choices()
    on_master, on_slave = Tally(), Tally()
    for record in list_missing(master, slave, compared):
        on_master.add(record, {})
    progress = list_reachable_progress(slave)
    for record in list_missing(slave, master, compared):
        on_slave.add(record, progress)
    return Choices(
        if_master_stays=on_slave.make_lost(),
        if_slave_is_promoted=on_master.make_lost(),
        groups=tuple(_list_group_effects(master, slave, on_slave.skipped)),
        delays=tuple(_list_delay_effects(master, slave, on_master.deliveries)),
    )


def list_reachable_progress(slave: StoredBroker) -> Mapping[QueueKey, list[tuple[str, int]]]:
    """By topic and queue, each group with its progress, at most to the queue's end."""
    found: dict[QueueKey, list[tuple[str, int]]] = {}
    for (key, queue_id), at in list_progress(slave).items():
        queue = slave.start.queues.get((key.partition("@")[0], queue_id))
        if queue is not None:
            found.setdefault(queue.key, []).append((key, min(at, queue.max_index)))
    return found


def list_missing(
    broker: StoredBroker, other: StoredBroker, compared: LogComparison
) -> Iterator[HeldRecord]:
    """The records that another broker has neither there nor elsewhere, nor sent again.

    Raises OSError.
    """
    if next(_list_differing(broker, other, compared), None) is None:
        return
    digests: set[bytes] = set()
    keys: set[str] = set()
    for record in _list_differing(other, broker, compared):
        digests.add(record.digest)
        keys.add(record.unique_key)
    keys.discard("")
    for record in _list_differing(broker, other, compared):
        is_held = record.digest in digests or record.unique_key in keys
        if not is_held and not is_held_at_its_place(other, record):
            yield record


def is_held_at_its_place(broker: StoredBroker, record: HeldRecord) -> bool:
    """A record at a foreign place lies where it belongs in another store. Raises OSError."""
    if record.own_offset == record.offset:
        return False
    if not broker.start.begin_offset <= record.own_offset < broker.start.end_offset:
        return False
    found = read_record(broker.log, record.own_offset, broker.rules.record_format)
    return found is not None and found.digest == record.digest


def _list_delay_effects(
    master: StoredBroker, slave: StoredBroker, delivered: Mapping[int, int]
) -> Iterator[DelayEffect]:
    ours, theirs = (broker.tables[DELAY].entries for broker in (master, slave))
    for level, count in sorted(delivered.items()):
        key = str(level)
        yield DelayEffect(level, count, ours.get(key, 0), theirs.get(key, 0))


def _list_differing(
    broker: StoredBroker, other: StoredBroker, compared: LogComparison
) -> Iterator[HeldRecord]:
    """The records of a log that may be missing in the other one."""
    start, theirs = broker.start, other.start
    below = min(theirs.begin_offset, start.end_offset)
    if broker.is_master and below > start.begin_offset:
        yield from list_per_file(broker, start.begin_offset, below)
    both_end = min(start.end_offset, theirs.end_offset)
    begin = max(start.begin_offset, min(compared.differs_from, start.end_offset))
    if compared.differs_until < both_end:
        yield from list_per_file(broker, begin, compared.differs_until)
        begin = max(begin, both_end)
    yield from list_per_file(broker, begin, start.end_offset)


def list_per_file(broker: StoredBroker, begin: int, end: int) -> Iterator[HeldRecord]:
    """Records that begin between two offsets, each file on its own.

    A reader that comes to bytes that are no record goes on in the next file at best.
    """
    for file in broker.log.files:
        low, high = max(begin, file.begin_offset), min(end, file.end_offset)
        if low < high:
            one = evolve(broker.log, files=(file,))
            known = max(file.begin_offset, find_landmark(broker.start.landmarks, low))
            for record in list_held_records(one, known, high, broker.rules.record_format):
                if record.offset >= low:
                    yield record


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
