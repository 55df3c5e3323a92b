"""Two logs compared as a start would find them: what the slave lacks, has instead, or has beyond.

Offsets alone cannot tell any of it: logs of equal length may hold different bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from brokers.disk.comparison.byte_comparison import (
    find_differences,
    find_nonzero,
    intersect,
)
from brokers.disk.files.file_bytes import PIECE_BYTES
from brokers.disk.files.queue_files import Queue, QueueFile
from brokers.disk.findings import DIFFERENT, DiskFinding, FindingKind
from brokers.disk.records.held_records import list_held_records
from brokers.disk.records.units import UnitKind, find_unit
from brokers.disk.starting import Progress
from brokers.disk.stored_brokers import StoredBroker, tell_start_problem
from reference.store.consume_queue import CQ_STORE_UNIT_SIZE_BYTES

COMPARED_BYTES = 64
"""So many bytes behind a hole have to be the master's."""


@frozen
class LogComparison:
    """All that is found of two logs, the most serious first; empty if they are equal."""

    findings: tuple[DiskFinding, ...]
    differs_from: int
    """Where the first record begins that differs; the end of what both hold if none does."""
    differs_until: int
    """Behind this offset all bytes that both hold are equal."""
    shared: tuple[tuple[int, int], ...] = ()
    """Stretches, as begin and end, in which both logs have the same bytes after a start."""

    @property
    def kind(self) -> FindingKind:
        """What is most serious."""
        kinds = [f.kind for f in self.findings if f.kind in DIFFERENT | {FindingKind.CANNOT_SAY}]
        return kinds[0] if kinds else FindingKind.EQUAL


def compare_logs(
    master: StoredBroker, slave: StoredBroker, progress: Progress = lambda _: None
) -> LogComparison:
    """Compare them from the later beginning to the earlier end. Raises OSError."""
    for broker in (master, slave):
        if not broker.start.is_started:
            reason = f"the {broker.name} does not start: {tell_start_problem(broker)}"
            return LogComparison((DiskFinding(FindingKind.CANNOT_SAY, reason=reason),), 0, 0)
    begin = max(master.start.begin_offset, slave.start.begin_offset)
    end = max(begin, min(master.start.end_offset, slave.start.end_offset))
    found = find_differences(master.log, slave.log, begin, end, progress)
    findings = [*_list_gaps(master, slave)]
    differs_from, differs_until = end, end
    if found is not None:
        finding = _judge_difference(master, slave, found.first)
        findings.append(finding)
        differs_from, differs_until = finding.offset, found.last + 1
    findings += [*_compare_bounds(master, slave), *_find_hole(master, slave)]
    if not any(finding.kind in DIFFERENT for finding in findings):
        findings += [*_compare_queues(master, slave, progress)]
    order = list(FindingKind)
    findings.sort(key=lambda finding: order.index(finding.kind))
    equal = [(begin, differs_from), (differs_until, end)]
    covered = intersect(master.log.list_covered(), slave.log.list_covered())
    shared = tuple(intersect(equal, covered))
    return LogComparison(tuple(findings), differs_from, differs_until, shared)


def _list_gaps(master: StoredBroker, slave: StoredBroker) -> Iterator[DiskFinding]:
    """Files that are missing between others: a start does not notice (T1-13698)."""
    for broker in (master, slave):
        kind = FindingKind.MASTER_GAP if broker.is_master else FindingKind.GAP
        for low, high in broker.log.list_missing():
            yield DiskFinding(kind, low, high, broker=broker.name)


def _judge_difference(master: StoredBroker, slave: StoredBroker, first: int) -> DiskFinding:
    """What the first byte that differs belongs to."""
    record_format = slave.rules.record_format
    ours, theirs = (
        find_unit(b.log, first, record_format, b.start.landmarks) for b in (master, slave)
    )
    begin = min(ours.begin_offset, theirs.begin_offset)
    foreign = _find_foreign(slave, begin)
    if foreign is not None:
        shift, until = foreign
        return DiskFinding(FindingKind.FOREIGN, begin, until, ours, theirs, shift_bytes=shift)
    ours_end = ours.begin_offset + (ours.record.size_bytes if ours.record else 1)
    nonzero = find_nonzero(slave.log, first, slave.start.end_offset)
    until = slave.start.end_offset if nonzero is None else nonzero
    if ours.kind is UnitKind.RECORD and until >= ours_end:
        is_torn = theirs.kind is UnitKind.RECORD
        kind = FindingKind.DIVERGED if is_torn else FindingKind.GAP
        return DiskFinding(kind, begin, until, ours, theirs, is_torn=is_torn)
    return DiskFinding(FindingKind.DIVERGED, begin, 0, ours, theirs)


def _find_foreign(slave: StoredBroker, begin: int) -> tuple[int, int] | None:
    """How far away the records at an offset should lie, and where these end; None: they are right.

    A record carries the offset that its master gave it.
    """
    shift, until = 0, begin
    end, known = slave.start.end_offset, slave.rules.record_format
    for record in list_held_records(slave.log, begin, end, known):
        own = record.own_offset - record.offset
        if own == 0 or (shift and own != shift):
            break
        shift, until = own, record.offset + record.size_bytes
    return (shift, until) if shift else None


def _compare_bounds(master: StoredBroker, slave: StoredBroker) -> Iterator[DiskFinding]:
    ours, theirs = master.start, slave.start
    if theirs.end_offset < ours.begin_offset:
        yield DiskFinding(FindingKind.OUTRUN, theirs.end_offset, ours.begin_offset)
    elif theirs.end_offset < ours.end_offset:
        yield DiskFinding(FindingKind.BEHIND, theirs.end_offset, ours.end_offset)
    elif theirs.end_offset > ours.end_offset:
        yield DiskFinding(FindingKind.AHEAD, ours.end_offset, theirs.end_offset)
    if slave.log.files and theirs.begin_offset > ours.begin_offset:
        is_empty = theirs.begin_offset == theirs.end_offset
        until = min(theirs.begin_offset, ours.end_offset)
        yield DiskFinding(
            FindingKind.GAP if is_empty else FindingKind.BEGINS_LATER, ours.begin_offset, until
        )
    elif slave.log.files and theirs.begin_offset < ours.begin_offset <= theirs.end_offset:
        yield DiskFinding(FindingKind.MASTER_BEGINS_LATER, theirs.begin_offset, ours.begin_offset)


def _find_hole(master: StoredBroker, slave: StoredBroker) -> Iterator[DiskFinding]:
    """The slave lacks bytes at its log's end, and has what follows them on the master.

    A write that failed was only logged, and the position moved on (``MappedFile#appendMessage``).
    """
    begin, end = slave.start.end_offset, min(slave.log.mapped_end_offset, master.start.end_offset)
    nonzero = find_nonzero(slave.log, begin, end) if begin < end else None
    if nonzero is None or nonzero == begin:
        return
    length = min(COMPARED_BYTES, end - nonzero)
    theirs = slave.log.read(nonzero, length)
    missing = master.log.read(begin, nonzero - begin) if nonzero - begin < PIECE_BYTES else b"1"
    if theirs == master.log.read(nonzero, len(theirs)) and missing.strip(b"\0"):
        yield DiskFinding(FindingKind.GAP, begin, nonzero, broker=slave.name, is_hole=True)


def _compare_queues(
    master: StoredBroker, slave: StoredBroker, progress: Progress
) -> Iterator[DiskFinding]:
    """The queues that a start makes of equal logs: their ends, and the entries that both have.

    After an orderly stop nothing is left to enter: what a start enters again counts as missing.
    """
    ours, theirs = master.start.queues, slave.start.queues
    is_orderly = not (master.start.is_after_kill or slave.start.is_after_kill)
    differing = []
    for key in sorted(ours.keys() | theirs.keys()):
        progress(0)
        one, other = ours.get(key, Queue(*key)), theirs.get(key, Queue(*key))
        ends = {(q.max_index, q.read_index if is_orderly else 0) for q in (one, other)}
        if len(ends) > 1 or not have_equal_entries(one, other):
            differing.append(key)
    if differing:
        yield DiskFinding(FindingKind.QUEUES, queues=tuple(differing))


def have_equal_entries(one: Queue, other: Queue) -> bool:
    """Where both have files, they hold the same entries on disk. Raises OSError."""
    end = min(one.max_index, one.read_index, other.read_index)
    by_begin = {file.begin_index: file for file in other.files}
    for file in one.files:
        twin = by_begin.get(file.begin_index)
        if twin is None or twin.places != file.places:
            continue
        places = min(file.places, end - file.begin_index)
        if places > 0 and not have_equal_places(file, twin, places):
            return False
    return True


def have_equal_places(one: QueueFile, other: QueueFile, places: int) -> bool:
    """Two files of queues have the same bytes up to a place. Raises OSError."""
    data, end = other.data, places * CQ_STORE_UNIT_SIZE_BYTES
    return all(
        one.data.read(low, high - low) == data.read(low, high - low)
        for low in range(0, end, PIECE_BYTES)
        for high in [min(end, low + PIECE_BYTES)]
    )
