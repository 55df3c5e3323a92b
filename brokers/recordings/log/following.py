"""What a recorded link says of a step over it: that it may happen, and what is known afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from brokers.recordings.hidden.node import Node
from brokers.recordings.log.arguments import APPENDING
from brokers.recordings.log.notes import Notes
from brokers.recordings.recorded_log import RecordedLog
from reference.language.machine import Action

POSITIONING = ("position_transfer", "position_at_last_file")
"""By which rules a master finds where its transfer begins (R-HA-11)."""


def get_index(action: Action) -> int:
    """The slave or the message that a step is about."""
    assert action.index is not None, action
    return action.index


def follow_report(guide: RecordedLog, node: Node, notes: Notes, action: Action) -> Notes | None:
    """The master reads a report that was forwarded, and with it all before it."""
    slave, offset = get_index(action), action.arguments["slave_offset"]
    reports = notes.wires[slave].reports
    if offset not in reports:
        return None
    return notes.change_wire(slave, reports=reports[reports.index(offset) + 1 :])


def follow_frame(guide: RecordedLog, node: Node, notes: Notes, action: Action) -> Notes | None:
    """The slave takes the first frame that was forwarded, as a whole."""
    slave = get_index(action)
    wire = notes.wires[slave]
    frames = guide.list_frames(wire, slave)[wire.taken : wire.forwarded]
    if not frames or frames[0].size_bytes != action.arguments["size_bytes"]:
        return None
    return notes.change_wire(slave, taken=wire.taken + 1)


def follow_transfer(guide: RecordedLog, node: Node, notes: Notes, action: Action) -> Notes | None:
    """The master sends the frame that the proxy forwards next, if it forwards one at all."""
    slave = get_index(action)
    wire = notes.wires[slave]
    begin = guide.get(node, f"links.{slave}.next_transfer_offset")
    ahead = guide.list_frames(wire, slave)[wire.sent : wire.sent + 1]
    sent = (begin, action.arguments["size_bytes"])
    if ahead and (ahead[0].start_offset, ahead[0].size_bytes) != sent:
        return None
    return notes.change_wire(slave, sent=wire.sent + 1)


def list_transfers(guide: RecordedLog, node: Node, slave: int, wanted: int) -> Sequence[Action]:
    """The frames that a master sends up to an offset, each as large as it is seen or may be.

    It has found its position before.
    """
    place, name = guide.places[f"links.{slave}.next_transfer_offset"], f"transfer_batch[{slave}]"
    wire, state, steps = node.notes.wires[slave], node.state, list[Action]()
    for step in (Action(f"{rule}[{slave}]") for rule in POSITIONING):
        positioned = guide.machine.take(state, step) if guide.may(node, step.instance) else None
        if positioned is not None:
            state, steps = positioned, [step]
    seen = iter(guide.list_frames(wire, slave)[wire.sent :])
    while state[place] < wanted and (ranges := guide.machine.instances[name].find_ranges(state)):
        frame = next(seen, None)
        size = min(ranges[0][1], wanted - state[place]) if frame is None else frame.size_bytes
        steps.append(Action(name, {"size_bytes": size}))
        after = guide.machine.take(state, steps[-1])
        if after is None or after[place] <= state[place]:
            break
        state = after
    return steps


FOLLOWED: Mapping[str, Callable[[RecordedLog, Node, Notes, Action], Notes | None]] = {
    "receive_report": follow_report,
    "transfer_batch": follow_transfer,
    **dict.fromkeys(APPENDING, follow_frame),
}
"""By rule: what a recorded link says of its step."""
