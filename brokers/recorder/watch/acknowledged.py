"""Puts that were acknowledged, or will be, though no slave has them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from brokers.recorder.line import Line
from brokers.recorder.watch.alarms import FALSE_ACKNOWLEDGEMENT, POSITIONED_ABOVE_PUT, AlarmFacts
from brokers.recorder.watch.known import LinkFacts, WatchedRecording
from brokers.recordings.clock import JITTER_MS
from reference.roles import Role


def is_waited_for(known: WatchedRecording, line: Line) -> bool:
    """A put that was appended, and had to wait for a slave (R-CL-17, R-HA-18; V-30, V-33)."""
    node = known.nodes.get(line.fields.get("node", ""))
    if line.kind != "put" or node is None or node.role != Role.SYNC_MASTER.name:
        return False
    members = line.fields.get("sync_state_set_after", (0, 1))
    is_set_large = not known.is_controlled or len(members) > 1
    is_asked = bool(line.fields["wait_store_ok"]) and "wrote_offset" in line.fields
    return is_asked and known.is_set_waited_for and is_set_large and not known.is_several


def find_positioned_above_put(known: WatchedRecording, line: Line) -> Iterator[AlarmFacts]:
    """While a put waited, an empty slave was sent what lies above it."""
    if not is_waited_for(known, line):
        return
    begin_ms, end = read_begin_ms(line), line.fields["wrote_offset"] + line.fields["wrote_bytes"]
    for name, link in known.links.items():
        for transfer in link.transfers.values():
            is_empty = transfer.first_report == 0 and transfer.start is not None
            is_empty = is_empty and transfer.is_ordered
            is_while = begin_ms < transfer.started_ms < line.wall_ms
            if is_empty and is_while and end <= (transfer.start or 0):
                text = (
                    f"a put at {line.fields['wrote_offset']} waited while {name} began at "
                    f"{transfer.start}"
                )
                yield AlarmFacts(POSITIONED_ABOVE_PUT, name, text, transfer.started_ms)


def find_false_acknowledgement(known: WatchedRecording, line: Line) -> Iterator[AlarmFacts]:
    """A put is answered PUT_OK, and no slave was sent all its bytes."""
    if not is_waited_for(known, line) or line.fields["put_status"] != "PUT_OK":
        return
    opened = sum(link.opened for link in known.links.values())
    names = ("connection_count_before", "connection_count_after")
    counted = max(line.fields.get(name, math.inf) for name in names)
    if counted > opened or not known.links:
        return  # Somebody is connected whose link is not recorded.
    begin, size = line.fields["wrote_offset"], line.fields["wrote_bytes"]
    from_ms = read_begin_ms(line) - JITTER_MS
    for link in known.links.values():
        if link.forgotten_ms >= from_ms or is_sent(link, begin, begin + size, from_ms):
            return
    text = f"PUT_OK for {begin} to {begin + size}, and no slave was sent that"
    yield AlarmFacts(FALSE_ACKNOWLEDGEMENT, str(line.fields["node"]), text, line.wall_ms)


def is_sent(link: LinkFacts, begin: int, end: int, from_ms: float) -> bool:
    """A link has carried these bytes of the log since then."""
    missing = [(begin, end)]
    for sent in reversed(link.frames):
        if sent.at_ms < from_ms:
            break
        missing = [
            piece
            for low, high in missing
            for piece in ((low, min(high, sent.begin)), (max(low, sent.end), high))
            if piece[0] < piece[1]
        ]
        if not missing:
            return True
    return False


def read_begin_ms(line: Line) -> float:
    """When a put was called: in a recording that is played back, or from a broker's own file."""
    fields = line.fields
    return float(fields["t_begin_ms"] if "t_begin_ms" in fields else fields["begin_wall_ms"])
