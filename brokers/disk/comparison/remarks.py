"""What is remarkable about one store alone: at its log's end, and between log and queues."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from brokers.disk.comparison.byte_comparison import find_nonzero
from brokers.disk.findings import DiskFinding, FindingKind
from brokers.disk.records.held_records import list_held_records
from brokers.disk.records.intact import list_intact_records
from brokers.disk.records.units import find_unit, has_header
from brokers.disk.records.walking import StopReason
from brokers.disk.stored_brokers import StoredBroker


def list_remarks(broker: StoredBroker) -> Iterator[DiskFinding]:
    """All of them. Raises OSError."""
    if broker.start.is_started and broker.log.files:
        yield from _list_epochs(broker)
        yield from _list_missing_files(broker)
        yield from _list_torn(broker)
        yield from _list_tails(broker)
        yield from _list_unqueued(broker)


def _list_epochs(broker: StoredBroker) -> Iterator[DiskFinding]:
    """In controller mode: epochs that contradict the log."""
    entries, start = broker.epochs.entries, broker.start
    if not entries:
        return
    first, last = entries[0].begin_offset, entries[-1].begin_offset
    if last > start.end_offset:
        yield DiskFinding(FindingKind.EPOCH_AHEAD, start.end_offset, last, broker=broker.name)
    if first > start.begin_offset:
        yield DiskFinding(FindingKind.EPOCH_LATE, start.begin_offset, first, broker=broker.name)


def _list_missing_files(broker: StoredBroker) -> Iterator[DiskFinding]:
    """Gaps between the log's files, which a start passes in silence (T1-13698)."""
    for low, high in broker.log.list_missing():
        yield DiskFinding(FindingKind.MISSING_FILE, low, high, broker=broker.name)


def _list_torn(broker: StoredBroker) -> Iterator[DiskFinding]:
    """The last record counts as whole though its properties end in zeros, which nobody writes.

    No checksum covers properties (T1-00967).
    """
    start = broker.start
    if start.last_offset < 0:
        return
    known = (*start.landmarks, start.last_offset)
    unit = find_unit(broker.log, start.last_offset, broker.rules.record_format, known)
    end = start.last_offset + (unit.record.size_bytes if unit.record else 0)
    if unit.record and unit.record.properties_bytes and broker.log.read(end - 1, 1) == b"\0":
        yield DiskFinding(
            FindingKind.TORN_RECORD, start.last_offset, end, on_slave=unit, broker=broker.name
        )


def _list_tails(broker: StoredBroker) -> Iterator[DiskFinding]:
    """Bytes behind the end at which a start stops; the blank that it cuts is none."""
    start, name = broker.start, broker.name
    if start.stop is StopReason.LAST_BLANK:
        return
    nonzero = find_nonzero(broker.log, start.end_offset, broker.log.mapped_end_offset)
    if nonzero is None:
        return
    known = (*start.landmarks, start.end_offset)
    unit = find_unit(broker.log, start.end_offset, broker.rules.record_format, known)
    kind = FindingKind.TORN_TAIL if unit.is_begun else FindingKind.STALE_TAIL
    if unit.is_begun and has_header(broker.log, start.end_offset + read_size(broker)):
        kind = FindingKind.DAMAGED
    end, known_format = broker.log.mapped_end_offset, broker.rules.record_format
    whole = list_intact_records(broker.log, start.end_offset, end, known_format, start.landmarks)
    yield DiskFinding(kind, nonzero, end, on_slave=unit, broker=name, count=sum(1 for _ in whole))


def read_size(broker: StoredBroker) -> int:
    """The size that a record at the log's end says it has (bytes)."""
    data = broker.log.read(broker.start.end_offset, 4)
    return struct.unpack(">i", data)[0] if len(data) == 4 else 0


def _list_unqueued(broker: StoredBroker) -> Iterator[DiskFinding]:
    """Records that no queue has, and that a start after a normal exit does not enter.

    The dispatcher begins at the log's end, whatever the queues hold
    (``ReputMessageService#setReputFromOffset`` in ``DefaultMessageStore#start``). From 5.3.2 on
    recovery enters what lies *behind* the offset at which the queues end, and so not the record
    that begins there (``CommitLog#recoverNormally``).
    """
    start = broker.start
    if start.is_after_kill or broker.rules.are_queues_caught_up:
        return
    rules, furthest = broker.rules, start.queue_end_offset
    begin = max(furthest, start.begin_offset)
    if begin >= start.end_offset or (furthest < 0 and rules.is_begin_found_by_queues):
        return
    until = begin + 1 if rules.is_begin_found_by_queues else start.end_offset
    records = list_held_records(broker.log, begin, until, rules.record_format)
    # 4.4.0 remembers where the last message of a queue begins, and that one is in it.
    is_known = furthest >= 0 and not rules.are_entries_known_by_end
    found = [r for r in records if r.is_in_queue and not (is_known and r.offset == furthest)]
    if found:
        end = start.end_offset
        yield DiskFinding(
            FindingKind.UNQUEUED, found[0].offset, end, broker=broker.name, count=len(found)
        )
