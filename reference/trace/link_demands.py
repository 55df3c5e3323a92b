"""What an event may demand of the replication connections, and the hidden steps that meet it."""

from __future__ import annotations

from attrs import evolve

from reference.replication import is_positioned
from reference.state import Link
from reference.trace.clock import JITTER_MS, SLACK_MS
from reference.trace.log_demands import note_growth
from reference.trace.plan import Frame
from reference.trace.put_order import demand_max_at_least
from reference.trace.state import Arrival, Blocked, Explanation, check, fire


def get_link(explanation: Explanation, slave: int) -> Link:
    """A replication connection as the model has it."""
    return explanation.cluster.links[slave]


def accept_connection(explanation: Explanation, slave: int) -> Explanation:
    """The master takes the connection that the slave has opened, and counts it."""
    wire = explanation.wires[slave]
    if not wire.is_open:
        raise Blocked("the slave has no connection open", f"connect_slave[{slave}]")
    if wire.is_accepted:
        return explanation
    taken = fire(explanation, "connect_slave", slave)
    taken = evolve(taken, accepted=(*taken.accepted, slave))
    return taken.change_wire(slave, is_accepted=True)


def find_waiting_connection(explanation: Explanation) -> int | None:
    """The slave whose open connection the master has not taken for the longest time."""
    waiting = [s for s, w in enumerate(explanation.wires) if w.is_open and not w.is_accepted]
    return min(waiting, key=lambda s: explanation.wires[s].opened_ms, default=None)


def drop_connection(explanation: Explanation) -> Explanation:
    """The master notices that a connection is dead; the one that ended first."""
    dropped = fire(explanation, "drop_connection")
    return evolve(dropped, dead=dropped.dead[1:])


def demand_connection_count(explanation: Explanation, count: int) -> Explanation:
    """``HAService.connectionCount`` is exactly this."""
    while explanation.cluster.master.connection_count < count:
        slave = find_waiting_connection(explanation)
        if slave is None:
            present = explanation.cluster.master.connection_count
            raise Blocked(f"connection_count is {count}, but only {present} were opened")
        explanation = accept_connection(explanation, slave)
    while explanation.cluster.master.connection_count > count:
        explanation = drop_connection(explanation)
    return explanation.count_check()


def read_report(explanation: Explanation, slave: int) -> Explanation:
    """The master reads the next report that was forwarded on a connection."""
    wire = explanation.wires[slave]
    if not wire.unread:
        raise Blocked(
            "the master has read every report that was forwarded to it",
            f"receive_report[{slave}]",
            ("has_report_in_flight",),
        )
    report, rest = wire.unread[0], wire.unread[1:]
    # A repeated number changes nothing, and the model keeps no such reports.
    if report.offset > get_link(explanation, slave).slave_ack_offset:
        explanation = fire(explanation, "receive_report", slave, slave_offset=report.offset)
    return explanation.change_wire(slave, unread=rest)


def demand_push2(explanation: Explanation, offset: int) -> Explanation:
    """``push2SlaveMaxOffset`` is exactly this: a maximum of reports that were forwarded."""
    while explanation.cluster.master.push2_slave_max_offset < offset:
        slave = _find_report(explanation, at_most=offset)
        if slave is None:
            present = explanation.cluster.master.push2_slave_max_offset
            raise Blocked(
                f"push2_slave_max_offset is {offset}, but no such report was forwarded; "
                f"the reports so far make it {present}"
            )
        explanation = read_report(explanation, slave)
    present = explanation.cluster.master.push2_slave_max_offset
    return check(explanation, "push2_slave_max_offset", present, offset)


def read_until_reported(explanation: Explanation, offset: int) -> Explanation:
    """The master reads reports until ``push2SlaveMaxOffset`` reaches this, if they reach so far."""
    while explanation.cluster.master.push2_slave_max_offset < offset:
        reaching = [
            (report.t_ms, slave)
            for slave, wire in enumerate(explanation.wires)
            for report in wire.unread
            if report.offset >= offset
        ]
        if not reaching:
            return explanation
        explanation = read_report(explanation, min(reaching)[1])
    return explanation


def _find_report(explanation: Explanation, at_most: int) -> int | None:
    """The connection whose next report was forwarded first, among those that do not go too far."""
    heads = [
        (wire.unread[0].t_ms, slave)
        for slave, wire in enumerate(explanation.wires)
        if wire.unread and wire.unread[0].offset <= at_most
    ]
    return min(heads)[1] if heads else None


def demand_ack(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """``slaveAckOffset`` of a connection is exactly this: the latest report that was read."""
    while get_link(explanation, slave).slave_ack_offset < offset:
        explanation = read_report(explanation, slave)
    present = get_link(explanation, slave).slave_ack_offset
    return check(explanation, "slave_ack_offset", present, offset)


def demand_positioned(explanation: Explanation, slave: int) -> Explanation:
    """The master knows where to send from; it has read the first report before."""
    link = get_link(explanation, slave)
    if is_positioned(link):
        return explanation
    if link.slave_request_offset < 0:
        explanation = read_report(explanation, slave)
    explanation = fire(explanation, "position_transfer", slave)
    start = get_link(explanation, slave).next_transfer_offset
    return explanation.change_wire(slave, next_frame_offset=start)


def demand_next_transfer(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """``nextTransferFromWhere`` of a connection is exactly this: the start or end of a frame."""
    if offset >= 0:
        explanation = demand_positioned(explanation, slave)
    explanation = send_up_to(explanation, slave, offset)
    present = get_link(explanation, slave).next_transfer_offset
    return check(explanation, "next_transfer_from", present, offset)


def send_up_to(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """The master sends frame after frame until it has sent the bytes below this offset."""
    while get_link(explanation, slave).next_transfer_offset < offset:
        frame = _find_next_frame(explanation, slave, offset)
        explanation = demand_max_at_least(explanation, frame.end_offset)
        explanation = fire(explanation, "transfer_batch", slave, size_bytes=frame.size_bytes)
        sent = explanation.wires[slave].frames_sent
        explanation = explanation.change_wire(slave, frames_sent=sent + 1)
    return explanation


def _find_next_frame(explanation: Explanation, slave: int, offset: int) -> Frame:
    """The next frame on a connection: the one that its proxy shows, now or after a stall."""
    wire, start = explanation.wires[slave], get_link(explanation, slave).next_transfer_offset
    frames = explanation.plan.frames.get((slave, wire.connection), ())
    if wire.frames_sent < len(frames):
        frame = frames[wire.frames_sent]
        if frame.start_offset != start or frame.end_offset > offset:
            raise Blocked(
                f"{offset} is no end of a frame: the frame sent from {start} goes from "
                f"{frame.start_offset} to {frame.end_offset}"
            )
        return frame
    if not _may_lose_frames(explanation, slave):
        raise Blocked(f"the bytes from {start} to {offset} never came to the proxy of the link")
    batch = explanation.cluster.parameters.ha_transfer_batch_size_bytes
    return Frame(start, min(batch, offset - start))


def _may_lose_frames(explanation: Explanation, slave: int) -> bool:
    """Frames may be on their way that no proxy ever shows: the link is stalled or about to end."""
    wire = explanation.wires[slave]
    closing = explanation.plan.closings.get((slave, wire.connection))
    is_closing = closing is not None and closing - explanation.now_ms <= SLACK_MS
    events = explanation.plan.recording.events
    is_end = events[-1].t_ms - explanation.now_ms <= JITTER_MS
    return wire.is_stalled or is_closing or is_end


def append_arrival(explanation: Explanation, slave: int) -> Explanation:
    """A slave appends the next frame that has arrived, and reports its new max offset at once."""
    wire = explanation.wires[slave]
    if not wire.arriving:
        raise Blocked(
            f"the slave's log ends at {explanation.get_log(slave).max_offset}, and it has appended "
            "every frame that was forwarded to it",
            f"append_to_slave[{slave}]",
            ("has_bytes_in_flight",),
        )
    arrival, rest = wire.arriving[0], wire.arriving[1:]
    size = arrival.offset - explanation.get_log(slave).max_offset
    explanation = fire(explanation, "append_to_slave", slave, size_bytes=size)
    explanation = explanation.change_wire(
        slave, arriving=rest, reports_due=(*wire.reports_due, arrival.offset)
    )
    return note_growth(explanation, slave)


def demand_slave_max(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """A slave's max offset is exactly this: the end of a frame that has arrived."""
    while explanation.get_log(slave).max_offset < offset and explanation.wires[slave].arriving:
        explanation = append_arrival(explanation, slave)
    return check(explanation, "max_offset", explanation.get_log(slave).max_offset, offset)


def forward_report(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """The proxy shows a report: a repeated one, or the one of the next frame appended (R-HC-10)."""
    wire = explanation.wires[slave]
    if offset != wire.last_report:
        if not wire.reports_due:
            explanation = append_arrival(explanation, slave)
        due, *rest = explanation.wires[slave].reports_due
        explanation = check(explanation, "slave_offset", due, offset)
        explanation = explanation.change_wire(slave, reports_due=tuple(rest), last_report=offset)
    else:
        explanation = explanation.count_check()
    return note_report(explanation, slave, offset)


def note_report(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """A forwarded report: from now on the master may read it."""
    arrival = Arrival(explanation.now_ms, offset)
    unread = (*explanation.wires[slave].unread, arrival)
    explanation = explanation.change_wire(
        slave, unread=unread, last_report=offset, has_carried_report=True
    )
    return evolve(explanation, reports_seen=(*explanation.reports_seen, offset))
