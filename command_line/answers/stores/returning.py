"""The old master after a promotion: whether it may return as a slave over its own store."""

from __future__ import annotations

from collections.abc import Iterator

from brokers.disk.comparison.returning import OldMasterReturn, compute_return
from command_line.answers.stores.pair import Pair

TOLD = {
    OldMasterReturn.FOLLOWS: "its log is the beginning of the promoted one, up to {offset}",
    OldMasterReturn.DIFFERS: "from {offset} on it has other bytes, and neither broker notices",
    OldMasterReturn.AHEAD: "from {offset} on it has bytes that the promoted log lacks, and only "
    "from 4.9.3 to 4.9.8 does a master refuse such a slave, until its own log is longer",
    OldMasterReturn.OUTRUN: "it ends at {offset}, before the promoted log begins, and is sent "
    "nothing",
    OldMasterReturn.HAS_GAP: "it lacks a file at {offset}, which no master sends",
    OldMasterReturn.EMPTY: "it has no log, and may be sent the last file alone",
}


def describe_return(pair: Pair) -> Iterator[str]:
    """One line, and what to do instead."""
    found = compute_return(pair.master, pair.slave, pair.logs)
    if found is None:
        return
    told = TOLD[found.outcome].format(offset=found.offset)
    if found.handshake is not None:
        told += f"; at its first handshake {found.handshake.answer.value}"
        told += f" to {found.handshake.offset}" if found.is_going_on else ""
    if found.is_good:
        yield f"The old master may start as its slave as it is: {told}."
        return
    yield f"The old master must not start as its slave as it is: {told}."
    yield "Copy the promoted store to it instead, once that broker is stopped again."
