"""Indexes: a message's place in its queue, as far as its place in the log determines it.

An index counts the messages of the queue that lie before an offset of the log; it never decreases
as the offset grows. It is known at a few marks: where a queue ends, and where the followed message
is. Between these it is free.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from reference.language.operators import choose, maximum, minimum, negate
from reference.worlds.reading.state import Reading
from reference.worlds.replication.lineage import is_in_lineage, is_scanned
from reference.worlds.replication.state import Cluster, CommitLog
from reference.worlds.system.state import THE_SLAVE


@frozen
class KnownIndex:
    """A place at which both are known."""

    is_known: bool
    offset: int
    """In the log."""
    index: int
    """Number of messages of the queue that lie wholly before it."""
    is_floor: bool = False
    """The number may be too low: it is no upper bound on messages before the offset."""


def choose_index(offset: int, marks: Iterable[KnownIndex], wanted: int) -> int:
    """The index at an offset nearest to a wanted one, among those that the marks allow.

    If marks contradict one another, the lower one counts.
    """
    index, found = wanted, tuple(marks)
    for mark in found:
        index = choose(mark.is_known & (mark.offset <= offset), maximum(index, mark.index), index)
    for mark in (each for each in found if not each.is_floor):
        index = choose(mark.is_known & (offset <= mark.offset), minimum(index, mark.index), index)
    return index


def has_one_lineage(cluster: Cluster) -> bool:
    """The slave has only its master's bytes, each at its place, and the master lost none."""
    log = cluster.slaves[THE_SLAVE].log
    return (cluster.master.ghost_life == 0) & (log.ghost_unknown_below_offset == 0)


def has_own_indexes(reading: Reading) -> bool:
    """No queue was recreated: each counts the messages of its own log."""
    return reading.faults.topic_recreations == 0


def has_common_indexes(cluster: Cluster, reading: Reading) -> bool:
    """An index means the same message on both brokers."""
    is_complete = reading.faults.missed_dispatches == 0
    return has_one_lineage(cluster) & has_own_indexes(reading) & is_complete


def find_slave_begin(reading: Reading) -> int:
    """The current or future first index of the slave's queue, which may have no message yet."""
    slave = reading.slave
    return choose(slave.queue_max == 0, reading.copied_below, slave.first_kept)


def leave_out_blank(cluster: Cluster, offset: int) -> int:
    """The offset itself, or the start of the blank that contains it: a blank has no messages."""
    blank = cluster.master.trailing_blank_offset
    return choose(blank >= 0, minimum(offset, blank), offset)


def list_marks(
    cluster: Cluster, log: CommitLog, reading: Reading, put_offset: int
) -> tuple[KnownIndex, ...]:
    """All that is known of indexes in a log: where the followed message is, and where queues end.

    One broker's queue says something about the other's log where the two logs agree.
    """
    (put,), index = cluster.messages, reading.message.offset
    master, slave = cluster.master.log, cluster.slaves[THE_SLAVE].log
    is_kept, is_common = has_own_indexes(reading), has_common_indexes(cluster, reading)
    is_of_master, is_of_slave = (is_kept, is_common) if log is master else (is_common, is_kept)
    is_placed = is_in_lineage(log, put) | (is_common & is_in_lineage(master, put))
    is_known = is_placed & (index >= 0)

    def cut(offset: int) -> int:
        return leave_out_blank(cluster, offset)

    return (
        KnownIndex(is_kept, 0, 0),
        KnownIndex(is_known, put.end_offset - 1, index),
        KnownIndex(is_known, put.end_offset, index + 1),
        KnownIndex(is_of_master, cut(master.dispatched_offset), reading.master.queue_max),
        KnownIndex(is_of_slave, cut(slave.dispatched_offset), reading.copied_below),
        KnownIndex(is_of_master, cut(put_offset), reading.put_below),
        KnownIndex(
            is_of_master, cut(master.start_offset), reading.master.first_kept, is_floor=True
        ),
        KnownIndex(is_common, cut(slave.start_offset), find_slave_begin(reading), is_floor=True),
    )


def is_shown(reading: Reading) -> bool:
    """Some queue has shown the followed message at some time: it has an index."""
    return reading.message.offset >= 0


def is_newly_shown(cluster: Cluster, log: CommitLog, reading: Reading) -> bool:
    """A queue built from this log shows the followed message for the first time."""
    (put,) = cluster.messages
    is_reached = is_scanned(log, put) & (put.end_offset <= log.dispatched_offset)
    return is_reached & negate(is_shown(reading))
