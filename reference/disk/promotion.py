"""Which records and what progress each choice keeps: the master's store, or the slave's.

What was *acknowledged* no store knows: a record that one store alone has may have been answered
with PUT_OK or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from attrs import evolve, field, frozen

from reference.decisions.metadata.table_text import DELAY
from reference.disk.held_records import HeldRecord, list_held_records, read_record
from reference.disk.log_comparison import Kind, LogComparison
from reference.disk.stored_brokers import StoredBroker
from reference.disk.table_comparison import list_progress
from reference.disk.units import find_landmark
from reference.store.records import SCHEDULE_TOPIC

QueueKey = tuple[str, int]


@frozen
class Lost:
    """Records that a choice loses: those that the other store alone has."""

    records: tuple[HeldRecord, ...] = ()

    def count_by_queue(self) -> Mapping[QueueKey, int]:
        """How many, by topic and queue."""
        counts: dict[QueueKey, int] = {}
        for record in self.records:
            counts[record.queue] = counts.get(record.queue, 0) + 1
        return counts


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

    if_master_stays: Lost = Lost()
    if_slave_is_promoted: Lost = Lost()
    expired_on_slave: int = 0
    """Records that only the master still has since the slave's log begins later."""
    groups: tuple[GroupEffect, ...] = field(default=())
    """Consumer groups for which the slave's promotion changes something."""
    delays: tuple[DelayEffect, ...] = ()


def compute_choices(master: StoredBroker, slave: StoredBroker, compared: LogComparison) -> Choices:
    """Both choices, from the parts in which the logs differ. Raises OSError."""
    if compared.kind is Kind.CANNOT_SAY:
        return Choices()
    ours = list(_list_differing(master, slave, compared))
    theirs = list(_list_differing(slave, master, compared))
    only_master = list_missing(ours, theirs, slave)
    only_slave = list_missing(theirs, ours, master)
    begin = slave.start.begin_offset
    gone = [record for record in only_master if record.offset < begin]
    return Choices(
        if_master_stays=Lost(tuple(only_slave)),
        if_slave_is_promoted=Lost(tuple(only_master)),
        expired_on_slave=len(gone),
        groups=tuple(_list_group_effects(master, slave, only_slave)),
        delays=tuple(_list_delay_effects(master, slave, only_master)),
    )


def list_missing(
    records: list[HeldRecord], others: list[HeldRecord], broker: StoredBroker
) -> list[HeldRecord]:
    """The records that another broker has neither there nor elsewhere, nor sent again.

    ``others`` are its records where the logs may differ. Raises OSError.
    """
    digests = {record.digest for record in others}
    keys = {record.unique_key for record in others} - {""}
    return [
        record
        for record in records
        if record.digest not in digests
        and record.unique_key not in keys
        and not is_held_at_its_place(broker, record)
    ]


def is_held_at_its_place(broker: StoredBroker, record: HeldRecord) -> bool:
    """A record at a foreign place lies where it belongs in another store. Raises OSError."""
    if record.own_offset == record.offset:
        return False
    if not broker.start.begin_offset <= record.own_offset < broker.start.end_offset:
        return False
    found = read_record(broker.log, record.own_offset, broker.rules.record_format)
    return found is not None and found.digest == record.digest


def _list_delay_effects(
    master: StoredBroker, slave: StoredBroker, only_master: list[HeldRecord]
) -> Iterator[DelayEffect]:
    delivered = Counter(
        r.delay_level for r in only_master if r.delay_level and r.topic != SCHEDULE_TOPIC
    )
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
    if broker.name == "master" and below > start.begin_offset:
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
    master: StoredBroker, slave: StoredBroker, only_slave: list[HeldRecord]
) -> Iterator[GroupEffect]:
    ours, theirs = list_progress(master), list_progress(slave)
    for key, queue_id in sorted(ours.keys() | theirs.keys()):
        topic = key.partition("@")[0]
        consumed, known = ours.get((key, queue_id), 0), theirs.get((key, queue_id), 0)
        queue = slave.start.queues.get((topic, queue_id))
        end = queue.max_index if queue else 0
        new = [r for r in only_slave if r.queue == (topic, queue_id) and r.is_in_queue]
        effect = GroupEffect(
            key,
            queue_id,
            repeats=max(0, min(consumed, end) - known),
            skips=sum(record.queue_offset < min(known, end) for record in new),
            is_reset=known > end,
        )
        if effect.repeats or effect.skips or effect.is_reset:
            yield effect
