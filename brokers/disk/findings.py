"""What may be found of a pair of stores, or of one: kinds, and the facts of each."""

from __future__ import annotations

import enum

from attrs import frozen

from brokers.disk.records.units import Unit


class FindingKind(enum.Enum):
    """What is found of a pair; the more serious come first."""

    CANNOT_SAY = "cannot say"
    FOREIGN = "bytes of another file"
    DIVERGED = "diverged"
    MASTER_GAP = "gap on the master"
    GAP = "gap"
    OUTRUN = "outrun by retention"
    BEGINS_LATER = "begins later"
    AHEAD = "ahead"
    BEHIND = "behind"
    MASTER_BEGINS_LATER = "master begins later"
    EPOCH_AHEAD = "epoch behind the log's end"
    EPOCH_LATE = "epoch above the log's begin"
    MISSING_FILE = "missing file"
    DAMAGED = "damaged record"
    TORN_RECORD = "torn record"
    TORN_TAIL = "torn tail"
    STALE_TAIL = "stale tail"
    QUEUES = "other queues"
    UNQUEUED = "in no queue"
    EQUAL = "equal"


REMARKS = frozenset(
    {
        FindingKind.EPOCH_AHEAD,
        FindingKind.EPOCH_LATE,
        FindingKind.MISSING_FILE,
        FindingKind.DAMAGED,
        FindingKind.TORN_RECORD,
        FindingKind.TORN_TAIL,
        FindingKind.STALE_TAIL,
        FindingKind.UNQUEUED,
    }
)
"""What is found of one broker's store; a start cuts tails."""
GAPS = frozenset({FindingKind.GAP, FindingKind.MASTER_GAP})
"""A stretch for which one of the brokers has no bytes."""
DIFFERENT = (
    frozenset(FindingKind)
    - REMARKS
    - {
        FindingKind.EQUAL,
        FindingKind.CANNOT_SAY,
        FindingKind.MASTER_BEGINS_LATER,
    }
)
"""Kinds with which the slave is not its master's equal. A master that begins later is none: each
broker's retention is its own."""


@frozen
class DiskFinding:
    """One thing that is found."""

    kind: FindingKind
    offset: int = 0
    """Where it begins; see the kind."""
    end_offset: int = 0
    """Where it ends."""
    on_master: Unit | None = None
    on_slave: Unit | None = None
    shift_bytes: int = 0
    """Of bytes of another file: how far away the master has them."""
    broker: str = ""
    """Of what concerns one broker: whose it is."""
    is_hole: bool = False
    """Of a gap: the bytes are missing inside a file, and those behind it are there."""
    reason: str = ""
    """Why nothing can be said."""
    count: int = 0
    """Of records in no queue, and of those behind the log's end: how many."""
    queues: tuple[tuple[str, int], ...] = ()
    """Of other queues: those that do not end alike."""
    is_torn: bool = False
    """Of diverged records: the slave's ends in zeros, and counts as whole nevertheless."""
