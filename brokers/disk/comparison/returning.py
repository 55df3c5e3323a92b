"""The slave is promoted: what becomes of the old master if it returns as its slave, as it is.

A slave of 4.4.0 says where its log ends and is sent what follows; nobody compares bytes
(HAClient#reportSlaveMaxOffset, HAConnection.WriteSocketService#run). With epochs it truncates its
log at the last point that both have (AutoSwitchHAClient#doTruncate at 5.3.3).
"""

from __future__ import annotations

import enum

from attrs import evolve, frozen

from brokers.disk.comparison.handshake import (
    HandshakeOutcome,
    HandshakeReaction,
    compute_handshake,
)
from brokers.disk.comparison.log_comparison import LogComparison
from brokers.disk.findings import FindingKind
from brokers.disk.stored_brokers import StoredBroker


class OldMasterReturn(enum.Enum):
    """What its store is to the promoted one, as far as offsets and bytes tell."""

    FOLLOWS = "its log is the beginning of the promoted one"
    DIFFERS = "its log has other bytes"
    AHEAD = "its log is longer"
    OUTRUN = "it lacks what the promoted log begins behind"
    HAS_GAP = "files are missing in its log"
    EMPTY = "it has no log"


MENDED_BY_EPOCHS = (OldMasterReturn.FOLLOWS, OldMasterReturn.DIFFERS, OldMasterReturn.AHEAD)
"""Where a truncation at a point that both have takes away all that is wrong."""


@frozen
class ReturnOutcome:
    """The outcome of a start of the old master as the slave of the promoted one."""

    outcome: OldMasterReturn
    offset: int = 0
    """From where on it has other bytes, or lacks some; for one that follows, where it ends."""
    handshake: HandshakeOutcome | None = None
    """With a controller, what its first handshake does; None without epochs."""

    @property
    def is_good(self) -> bool:
        """It comes to have what its new master has, as far as the comparison tells."""
        if self.handshake is None:
            return self.outcome is OldMasterReturn.FOLLOWS
        is_cut_in_time = self.handshake.offset <= self.offset
        return self.outcome in MENDED_BY_EPOCHS and is_cut_in_time and self.is_going_on

    @property
    def is_going_on(self) -> bool:
        """Its first handshake finds a point that both logs have."""
        found = None if self.handshake is None else self.handshake.answer
        return found in {HandshakeReaction.TRUNCATES, HandshakeReaction.GOES_ON}


def compute_return(
    master: StoredBroker, slave: StoredBroker, logs: LogComparison
) -> ReturnOutcome | None:
    """The outcome; None if nothing can be said of the two stores."""
    if logs.kind is FindingKind.CANNOT_SAY:
        return None
    found = compute_by_bytes(master, slave, logs)
    return evolve(found, handshake=compute_handshake(slave, master))


def compute_by_bytes(
    master: StoredBroker, slave: StoredBroker, logs: LogComparison
) -> ReturnOutcome:
    """The outcome for a slave that goes on where its log ends."""
    ours, promoted = master.start, slave.start
    both_end = min(ours.end_offset, promoted.end_offset)
    gaps = list(master.log.list_missing())
    if promoted.begin_offset < promoted.end_offset and not master.log.files:
        return ReturnOutcome(OldMasterReturn.EMPTY)
    if gaps:
        return ReturnOutcome(OldMasterReturn.HAS_GAP, gaps[0][0])
    if ours.end_offset < promoted.begin_offset:
        return ReturnOutcome(OldMasterReturn.OUTRUN, ours.end_offset)
    if logs.differs_from < both_end:
        return ReturnOutcome(OldMasterReturn.DIFFERS, logs.differs_from)
    if promoted.end_offset < ours.end_offset:
        return ReturnOutcome(OldMasterReturn.AHEAD, promoted.end_offset)
    return ReturnOutcome(OldMasterReturn.FOLLOWS, ours.end_offset)
