"""Slaves that hold what their master lacks, or need what it has deleted."""

from __future__ import annotations

from collections.abc import Iterator

from brokers.recorder.line import Line
from brokers.recorder.watch.alarms import SLAVE_AHEAD, SLAVE_OUTRUN, AlarmFacts
from brokers.recorder.watch.known import LOOKS, LinkFacts, LogEnds, NodeFacts, WatchedRecording
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.groups import LINK_PREFIX
from reference.roles import Role

STILL_MS = 1000.0
"""A master looks for new bytes each 100 ms (R-HA-13): a position that stays so long is stuck."""


def find_slave_ahead(known: WatchedRecording, line: Line) -> Iterator[AlarmFacts]:
    """A look at the master shows less than was seen of a slave before.

    A log that runs never becomes shorter, so the slave still has at least what it had shown.
    """
    look, master = read_master_look(known, line), known.find_master()
    if look is None or master is None:
        return
    for name, slave in known.nodes.items():
        if slave.role != Role.SLAVE.name or slave.end is None or slave.end_ms >= look.from_ms:
            continue
        if slave.end > look.end:
            text = f"{name} holds {slave.end}, its master ends at {look.end}"
            yield AlarmFacts(SLAVE_AHEAD, name, text, max(slave.end_ms, master[1].begun_ms))
        else:
            yield AlarmFacts(SLAVE_AHEAD, name)


def read_master_look(known: WatchedRecording, line: Line) -> LogEnds | None:
    """What a line shows of the ends of the master's log."""
    master = known.find_master()
    if master is None or line.fields.get("node") != master[0]:
        return None
    if line.kind in LOOKS:
        return master[1].look
    if line.kind == "put" and "max_offset_after" in line.fields:
        end = line.fields["max_offset_after"]
        return LogEnds(line.wall_ms - JITTER_MS, line.wall_ms, end, -1, end, None)
    return None


def find_slave_outrun(known: WatchedRecording) -> Iterator[AlarmFacts]:
    """What a connection needs next lies below the master's first file, and nothing comes."""
    master = known.find_master()
    if master is None or known.is_several:
        return
    for name, link in known.links.items():
        found = find_outrun_position(link, master[1])
        subject = name.removeprefix(LINK_PREFIX)
        if found is None:
            yield AlarmFacts(SLAVE_OUTRUN, subject)
        elif known.now_ms - found[1] >= STILL_MS:
            text = f"{subject} needs {found[0]}, the master's log begins at {found[2]}"
            yield AlarmFacts(SLAVE_OUTRUN, subject, text, found[1])


def find_outrun_position(link: LinkFacts, master: NodeFacts) -> tuple[int, float, int] | None:
    """Such a position, since when it is seen to be one, and where the log begins."""
    look = master.look
    if look is None or link.is_held or not link.transfers:
        return None
    transfer = link.transfers[max(link.transfers)]
    position = transfer.position
    if position is None or not 0 < position < look.begin:
        transfer.outrun_ms = None
        return None
    if transfer.outrun_ms is None:
        transfer.outrun_ms = look.at_ms
    return position, max(transfer.outrun_ms, transfer.position_ms), look.begin
