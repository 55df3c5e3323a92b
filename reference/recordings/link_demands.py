"""What an event may demand of the replication connections, and the hidden steps that meet it."""

from __future__ import annotations

from reference.recordings.boundaries import has_boundary
from reference.recordings.capped_reports import read_next_report
from reference.recordings.clock import JITTER_MS, KILL_MS, SLACK_MS
from reference.recordings.hidden_traffic import carry_hidden_bytes, carry_hidden_report
from reference.recordings.links_ahead import Frame
from reference.recordings.put_order import demand_max_at_least
from reference.recordings.reports import (
    accept_connection,
    drop_connection,
    find_waiting_connection,
    get_link,
    position,
)
from reference.recordings.state import Arrival, Blocked, Explanation, check, fire
from reference.worlds.replication.replication import is_frame_taken, is_positioned
from reference.worlds.replication.state import Link


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


def demand_push2(explanation: Explanation, offset: int) -> Explanation:
    """``push2SlaveMaxOffset`` is exactly this: a maximum of reports that were forwarded."""
    while explanation.cluster.master.push2_slave_max_offset < offset:
        slave = _find_report(explanation, at_most=offset)
        if slave is not None:
            explanation = read_next_report(explanation, slave)
            continue
        before = explanation
        explanation = _carry_hidden_report(explanation, offset)
        if explanation is before:
            present = explanation.cluster.master.push2_slave_max_offset
            raise Blocked(
                f"push2_slave_max_offset is {offset}, but no such report was forwarded; "
                f"the reports so far make it {present}"
            )
    present = explanation.cluster.master.push2_slave_max_offset
    return check(explanation, "push2_slave_max_offset", present, offset)


def _carry_hidden_report(explanation: Explanation, offset: int) -> Explanation:
    for slave, ahead in enumerate(explanation.plan.links):
        if ahead.is_traffic_hidden and explanation.slaves[slave].is_started:
            return carry_hidden_report(demand_max_at_least(explanation, offset), slave, offset)
    return explanation


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
        explanation = read_next_report(explanation, min(reaching)[1])
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
    if explanation.plan.links[slave].is_traffic_hidden and offset >= 0:
        explanation = carry_hidden_report(demand_max_at_least(explanation, offset), slave, offset)
    while get_link(explanation, slave).slave_ack_offset < offset:
        explanation = read_next_report(explanation, slave)
    present = get_link(explanation, slave).slave_ack_offset
    return check(explanation, "slave_ack_offset", present, offset)


def demand_positioned(explanation: Explanation, slave: int) -> Explanation:
    """The master knows where to send from; it has read the first report before."""
    if is_positioned(get_link(explanation, slave)):
        return explanation
    connection = explanation.wires[slave].connection
    first = explanation.plan.links[slave].first_offsets.get(connection, 0)
    if explanation.log.last_file_offset < first and _asks_for_last_file(explanation, slave):
        # A put that rolled over came before the positioning.
        explanation = demand_max_at_least(explanation, first + 1)
    return position(explanation, slave)


def _asks_for_last_file(explanation: Explanation, slave: int) -> bool:
    link, unread = get_link(explanation, slave), explanation.wires[slave].unread
    request = link.slave_request_offset
    return request == 0 or (request < 0 and bool(unread) and unread[0].offset == 0)


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
        explanation = _check_frame_end(explanation, frame)
        explanation = fire(explanation, "transfer_batch", slave, size_bytes=frame.size_bytes)
        sent = explanation.wires[slave].frames_sent
        explanation = explanation.change_wire(slave, frames_sent=sent + 1)
    return explanation


def _check_frame_end(explanation: Explanation, frame: Frame) -> Explanation:
    """A frame holds all that is there: up to the batch size, the file's end, or the log's end.

    A log grows by whole messages, so a frame that ends with the log ends with one (R-HA-13).
    """
    parameters, plan = explanation.cluster.parameters, explanation.plan
    is_full = frame.size_bytes == parameters.ha_transfer_batch_size_bytes
    is_file_end = not frame.end_offset % parameters.mapped_file_size_bytes
    is_open = plan.are_puts_hidden or is_full or is_file_end
    if is_open or has_boundary(plan.tables, explanation.log, frame.end_offset):
        return explanation.count_check()
    raise Blocked(f"a frame ends at {frame.end_offset}, where no message ends")


def _find_next_frame(explanation: Explanation, slave: int, offset: int) -> Frame:
    """The next frame on a connection: the one that its proxy shows, now or after a stall."""
    wire, start = explanation.wires[slave], get_link(explanation, slave).next_transfer_offset
    ahead = explanation.plan.links[slave]
    frames = ahead.frames.get(wire.connection, ())
    if wire.frames_sent < len(frames):
        frame = frames[wire.frames_sent]
        if frame.start_offset != start or frame.end_offset > offset:
            raise Blocked(
                f"{offset} is no end of a frame: the frame sent from {start} goes from "
                f"{frame.start_offset} to {frame.end_offset}"
            )
        return frame
    if not ahead.is_traffic_hidden and not may_lose_frames(explanation, slave):
        raise Blocked(f"the bytes from {start} to {offset} never came to the proxy of the link")
    parameters = explanation.cluster.parameters
    in_file = parameters.mapped_file_size_bytes - start % parameters.mapped_file_size_bytes
    size = min(parameters.ha_transfer_batch_size_bytes, offset - start, in_file)
    return Frame(explanation.now_ms, start, size)


def may_lose_frames(explanation: Explanation, slave: int) -> bool:
    """Frames may be on their way that no proxy ever shows: the link is stalled or about to end."""
    wire, plan = explanation.wires[slave], explanation.plan
    closing = plan.links[slave].closings_ms.get(wire.connection)
    is_closing = closing is not None and closing - explanation.now_ms <= SLACK_MS
    is_end = plan.end_ms - explanation.now_ms <= JITTER_MS
    is_killed = plan.processes[explanation.process].end_ms - explanation.now_ms <= KILL_MS
    return wire.is_stalled or is_closing or is_end or is_killed


def take_arrival(explanation: Explanation, slave: int) -> Explanation:
    """A slave reads the next frame that was forwarded to it, and does with it what it must.

    A frame that is not in step stays: it makes the slave close the connection.
    """
    wire = explanation.wires[slave]
    if not wire.arriving:
        raise Blocked(
            f"the slave's log ends at {explanation.get_log(slave).max_offset}, and it has appended "
            "every frame that was forwarded to it",
            f"append_to_slave[{slave}]",
            ("has_bytes_in_flight",),
        )
    arrival, rest = wire.arriving[0], wire.arriving[1:]
    size = arrival.size_bytes
    explanation = explanation.change_wire(slave, arriving=rest)
    if not size:
        return take_heartbeat(explanation, slave)
    broker = explanation.cluster.slaves[slave]
    if broker.is_stopping:
        return fire(explanation, "discard_frame", slave, size_bytes=size)
    has_empty_file = broker.log.has_file and not broker.log.max_offset
    is_foreign = has_empty_file and get_link(explanation, slave).arrived_offset > 0
    rule = "append_at_wrong_offset" if is_foreign else "append_to_slave"
    explanation = fire(explanation, rule, slave, size_bytes=size)
    return note_report_due(explanation, slave)


def take_heartbeat(explanation: Explanation, slave: int) -> Explanation:
    """A frame without bytes changes nothing, but at a slave without any file (R-HC-09)."""
    broker = explanation.cluster.slaves[slave]
    if broker.log.has_file or broker.is_stopping:
        return explanation
    explanation = fire(explanation, "create_first_file", slave)
    has_grown = get_link(explanation, slave).reported_offset > 0
    return note_report_due(explanation, slave) if has_grown else explanation


def note_report_due(explanation: Explanation, slave: int) -> Explanation:
    """The slave has reported its new max offset at once (R-HC-10)."""
    reported = get_link(explanation, slave).reported_offset
    due = (*explanation.wires[slave].reports_due, reported)
    return explanation.change_wire(slave, reports_due=due)


def demand_slave_max(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """A slave's max offset is exactly this: the end of a frame that has arrived."""
    ahead = explanation.plan.links[slave]
    if ahead.is_traffic_hidden and offset > explanation.get_log(slave).max_offset:
        explanation = demand_max_at_least(explanation, offset)
        explanation = carry_hidden_bytes(explanation, slave, offset)
    while explanation.get_log(slave).max_offset < offset and _has_use_of_next(explanation, slave):
        explanation = take_arrival(explanation, slave)
    if explanation.get_log(slave).max_offset < offset:
        explanation = take_hidden_heartbeat(explanation, slave, offset)
    return check(explanation, "max_offset", explanation.get_log(slave).max_offset, offset)


def _has_use_of_next(explanation: Explanation, slave: int) -> bool:
    broker = explanation.cluster.slaves[slave]
    return bool(explanation.wires[slave].arriving) and not broker.is_stopping


def demand_first_file(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """The slave has a file, made by a heartbeat if no bytes have come (R-HC-09)."""
    while not explanation.get_log(slave).has_file and explanation.wires[slave].arriving:
        explanation = take_arrival(explanation, slave)
    if explanation.get_log(slave).has_file or not explanation.wires[slave].is_open:
        return explanation
    if explanation.plan.links[slave].is_traffic_hidden:
        return carry_hidden_bytes(explanation, slave, offset)
    return take_hidden_heartbeat(explanation, slave, offset)


def take_hidden_heartbeat(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """A heartbeat that the recording leaves out has made an empty slave create its first file."""
    log, link = explanation.get_log(slave), get_link(explanation, slave)
    if log.has_file or not link.is_open:
        return explanation
    explanation = demand_positioned(explanation, slave)
    if get_link(explanation, slave).arrived_offset != offset:
        return explanation
    return take_heartbeat(explanation, slave)


def forward_report(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """The proxy shows a report: a repeated one, or the one of the next frame appended (R-HC-10)."""
    wire = explanation.wires[slave]
    if offset != wire.last_report:
        if not wire.reports_due:
            explanation = take_hidden_heartbeat(explanation, slave, offset)
        while not explanation.wires[slave].reports_due:
            explanation = take_arrival(explanation, slave)
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
    return explanation.change_wire(
        slave, unread=unread, last_report=offset, last_report_ms=explanation.now_ms
    )


def is_out_of_step(explanation: Explanation, slave: int) -> bool:
    """The next frame, or the next heartbeat, will make the slave close the connection (R-HC-08)."""
    link: Link = get_link(explanation, slave)
    broker = explanation.cluster.slaves[slave]
    is_ready = link.is_open and is_positioned(link)
    return is_ready and not is_frame_taken(broker, link)
