"""What somebody who plays a broker sends over a link: he says what he likes, and no rule tells."""

from __future__ import annotations

from collections.abc import Iterator

from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.checks.traffic import check_not_held, date_frame, date_report
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.log.arguments import APPENDING
from brokers.recordings.log.asking import Asking, is_fact
from brokers.recordings.reading import Event
from brokers.recordings.recorded_log import name_end


def observe_played_report(
    asking: Asking, observation: Observation, node: Node, slave: int
) -> Requirements:
    """A report of a slave that is played; the proxy forwards it."""
    event, link = observation.event, f"links.{slave}"
    offset = event["slave_offset"]
    reports = (*node.notes.wires[slave].reports, offset)
    sent = {f"{link}.has_reported": 1, f"{link}.reported_offset": max(reports)}
    shown = date_report(node.notes.seen.wires[slave], event)

    def forward(after: Node) -> Node:
        notes = after.notes.see(lambda seen: seen.change_wire(slave, **shown))
        notes = notes.change_wire(slave, reports=(*after.notes.wires[slave].reports, offset))
        return asking.change(after.edit(notes=notes), sent)

    stalled = asking.later(
        observation,
        lambda view: check_not_held(view, slave, view.wires[slave].are_reports_stalled),
    )
    is_open = asking.has_value("the connection is open", f"{link}.is_open", True)
    is_number = is_fact(f"a report is a number from 0 on, as {offset} is", is_so=offset >= 0)
    return Requirements((stalled, lambda _: (is_number, is_open)), after=forward)


def observe_played_frame(
    asking: Asking, observation: Observation, node: Node, slave: int
) -> Requirements:
    """A frame of a master that is played: at any offset, once the slave has taken those before.

    Its bytes are those of a master whose log is long enough; a slave does not look at them
    (HAClient#dispatchReadRequest).
    """
    event = observation.event
    begin, size = event["master_offset"], event["body_bytes"]
    is_number = is_fact(f"a frame begins at 0 or later, as at {begin}", is_so=begin >= 0)

    def forward(after: Node) -> Node:
        wire = after.notes.wires[slave]
        sent = wire.forwarded + bool(size)
        notes = after.notes.change_wire(slave, sent=sent, forwarded=sent)
        shown = date_frame(node.notes.seen.wires[slave], event)
        changed = asking.change(after, compute_sent_leaves(asking, after, slave, event))
        if is_refused(asking, changed, slave):
            shown["refused_ms"] = event.t_ms
        return changed.edit(notes=notes.see(lambda seen: seen.change_wire(slave, **shown)))

    stalled = asking.later(
        observation,
        lambda view: check_not_held(view, slave, view.wires[slave].are_frames_stalled),
    )
    is_open = asking.has_value("the connection is open", f"links.{slave}.is_open", True)
    taken = list_taken_goals(asking, node, slave, begin)
    return Requirements((stalled, lambda _: (is_number, is_open, *taken)), after=forward)


def is_refused(asking: Asking, node: Node, slave: int) -> bool:
    """The slave closes the connection for what has come."""
    refusal = asking.guide.machine.instances[f"refuse_frame[{slave}]"]
    return refusal.find_ranges(node.state) is not None


def list_taken_goals(asking: Asking, node: Node, slave: int, begin: int) -> Iterator[Goal]:
    """The slave has refused nothing on this connection, and has taken what does not go on so."""
    wire, seen = node.notes.wires[slave], node.notes.seen.wires[slave]
    text = "the slave has refused no frame on this connection"
    yield is_fact(text, is_so=seen.refused_ms is None)
    if not is_going_on(asking, node, slave, begin):
        yield Goal(
            "the slave has taken the frames before",
            lambda n: n.notes.wires[slave].taken == wire.forwarded,
            instances=tuple(f"{rule}[{slave}]" for rule in APPENDING),
        )


def is_going_on(asking: Asking, node: Node, slave: int, begin: int) -> bool:
    """A frame follows others that are on their way, of which the first follows the slave's log."""
    guide, link, log = asking.guide, f"links.{slave}", f"slaves.{slave}.log"
    has_file = guide.get(node, f"{log}.has_file")
    start = guide.get(node, f"{link}.transfer_start_offset")
    end = guide.get_max(node, slave) if has_file else start
    is_in_step = guide.get(node, f"{link}.arrived_offset") == end
    return is_in_step and guide.get(node, f"{link}.next_transfer_offset") == begin


def compute_sent_leaves(asking: Asking, node: Node, slave: int, event: Event) -> dict[str, int]:
    """The leaves of a state in which this frame is on its way, behind those that it follows."""
    begin, guide, link = event["master_offset"], asking.guide, f"links.{slave}"
    end, path = begin + event["body_bytes"], name_end(asking.plan, MASTER)
    leaves = {
        f"{link}.next_transfer_offset": end,
        "master.log.has_file": 1,
        path: max(end, guide.get(node, path)),
    }
    if is_going_on(asking, node, slave, begin):
        return leaves
    leaves[f"{link}.arrived_offset"] = begin
    if not guide.get(node, f"slaves.{slave}.log.has_file"):
        file_size = int(asking.plan.parameters.mapped_file_size_bytes)
        leaves[f"{link}.transfer_start_offset"] = begin - begin % file_size
    return leaves
