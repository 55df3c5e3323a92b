"""Dispatches that stand still below the end of their logs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from brokers.recorder.line import Line
from brokers.recorder.watch.alarms import DISPATCH_STUCK, AlarmFacts
from brokers.recorder.watch.known import LOOKS, LogEnds, NodeFacts, WatchedRecording
from reference.roles import Role

STUCK_MS = 900.0
"""The dispatch runs each millisecond (ReputMessageService#run): what is whole is dispatched. Two
looks half a second apart, and one that comes a little early, are enough."""


def find_dispatch_stuck(known: WatchedRecording, line: Line) -> Iterator[AlarmFacts]:
    """Two looks show the same dispatch, and a whole record behind it."""
    name = str(line.fields.get("node", ""))
    node = known.nodes.get(name)
    if node is None:
        return
    look = node.look
    if look is None or line.kind not in LOOKS or not has_record_to_dispatch(known, node, look):
        if line.kind in LOOKS or look is None:
            known.dispatches.pop(name, None)
            yield AlarmFacts(DISPATCH_STUCK, name)
        return
    dispatched, since_ms = known.dispatches.get(name, (-1, 0.0))
    if dispatched != look.dispatched:
        known.dispatches[name] = (look.dispatched, look.at_ms)
        yield AlarmFacts(DISPATCH_STUCK, name)
    elif look.from_ms - since_ms >= STUCK_MS:
        text = f"the dispatch of {name} stands at {look.dispatched}, its log ends at {look.end}"
        yield AlarmFacts(DISPATCH_STUCK, name, text, since_ms)


def has_record_to_dispatch(known: WatchedRecording, node: NodeFacts, look: LogEnds) -> bool:
    """A record ends above the dispatch, and at the log's end or below.

    A slave's log may end within a record, which its dispatch waits for; so it has to hold an
    offset at which a record of the master ends. Under a controller a dispatch stops at the confirm
    offset, which a slave does not show (V-36).
    """
    if node.role == Role.SLAVE.name:
        if known.is_controlled:
            return False
        boundaries = list(known.boundaries)
        below = bisect_right(boundaries, look.end)
        return below > 0 and boundaries[below - 1] > look.dispatched
    end = look.end
    if known.is_controlled:
        end = -1 if look.confirmed is None else min(end, look.confirmed)
    return end > look.dispatched
