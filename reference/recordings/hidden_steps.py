"""Hidden steps that no event demands: what time has brought about, and what an end would lose.

The least explanation waits with every hidden step until an event demands it. Two things cannot
wait: what nothing holds back has happened after a second (`catch_up`), and before a connection ends
with all that is in flight, what a later event shows to have arrived must arrive (`settle_link`).
"""

from __future__ import annotations

from attrs import evolve

from reference.recordings.capped_reports import is_next_report_too_high, read_next_report
from reference.recordings.clock import FOREVER_MS, GRAIN_MS, TIMER_RANGES
from reference.recordings.hidden_traffic import carry_hidden_bytes
from reference.recordings.late_traffic import keep_what_is_in_flight
from reference.recordings.link_demands import (
    demand_positioned,
    is_out_of_step,
    send_up_to,
    take_arrival,
    take_hidden_heartbeat,
)
from reference.recordings.log_demands import expire_file
from reference.recordings.plan import MASTER, find_next
from reference.recordings.put_demands import finish_disk_step, is_before_slave_check, request_slave
from reference.recordings.put_order import (
    append_next_put,
    demand_max_at_least,
    find_next_put,
    get_message,
)
from reference.recordings.puts_ahead import Put
from reference.recordings.reports import accept_connection, drop_connection, get_link
from reference.recordings.state import Blocked, DeadConnection, Explanation, get_timers, is_overdue
from reference.releases.timing_differences import OWN_REPORT_TIMER
from reference.worlds.replication.state import WAITS_FOR_DISK

SIDES = 2
"""A connection goes through a proxy, which sees both of its sides end."""


def catch_up(explanation: Explanation) -> Explanation:
    """Everything has happened by now that nothing can have held back for so long."""
    for slave in range(len(explanation.wires)):
        check_reports_come(explanation, slave)
        explanation = append_overdue_frames(explanation, slave)
    if explanation.is_stopping(MASTER):
        return explanation  # Nobody knows how far its services still come (R-RC-02).
    explanation = append_overdue_puts(explanation)
    for slave in range(len(explanation.wires)):
        explanation = accept_overdue_connection(explanation, slave)
        explanation = read_overdue_reports(explanation, slave)
        explanation = position_overdue_transfer(explanation, slave)
    return drop_overdue_connections(explanation)


def append_overdue_puts(explanation: Explanation) -> Explanation:
    """Puts are appended soon after their call, and ask for a slave soon after their append."""
    put = find_next_put(explanation)
    while put is not None and _is_put_overdue(explanation, put):
        explanation = append_next_put(explanation)
        put = find_next_put(explanation)
    for number in explanation.followed:
        other = explanation.plan.puts[number]
        if is_before_slave_check(explanation, other) and _is_put_overdue(explanation, other):
            explanation = _ask_for_slave(explanation, other)
    return explanation


def _is_put_overdue(explanation: Explanation, put: Put) -> bool:
    if put.status == "FLUSH_SLAVE_TIMEOUT":
        # Its wait began a full time-out before its end.
        wait_ms = TIMER_RANGES["slave_time_out"](get_timers(explanation)).low_ms
        latest_ms = put.begin_ms + max(put.duration_ms - wait_ms, 0.0) + GRAIN_MS
        if put.duration_ms >= wait_ms and explanation.now_ms > latest_ms:
            return True
    return is_overdue(explanation, "append_put", put.begin_ms)


def _ask_for_slave(explanation: Explanation, put: Put) -> Explanation:
    if put.status not in ("PUT_OK", "FLUSH_SLAVE_TIMEOUT"):
        return explanation
    try:
        if get_message(explanation, put).phase == WAITS_FOR_DISK:
            explanation = finish_disk_step(explanation, put)
        return request_slave(explanation, put)
    except Blocked:
        return explanation  # Its end will say why.


def accept_overdue_connection(explanation: Explanation, slave: int) -> Explanation:
    """The master takes an open connection soon."""
    wire = explanation.wires[slave]
    is_due = wire.is_open and not wire.is_accepted
    is_ready = explanation.is_up(MASTER) and explanation.is_up(slave)
    if is_due and is_ready and is_overdue(explanation, "accept", wire.opened_ms):
        return accept_connection(explanation, slave)
    return explanation


def read_overdue_reports(explanation: Explanation, slave: int) -> Explanation:
    """The master reads soon what was forwarded to it."""
    while True:
        unread = explanation.wires[slave].unread
        if not unread or not is_overdue(explanation, "read_report", unread[0].t_ms):
            return explanation
        explanation = read_next_report(explanation, slave)


def position_overdue_transfer(explanation: Explanation, slave: int) -> Explanation:
    """The master knows soon after the first report where to send from."""
    wire = explanation.wires[slave]
    is_due = wire.is_accepted and wire.last_report is not None
    if is_due and is_overdue(explanation, "position", wire.first_report_ms):
        return demand_positioned(explanation, slave)
    return explanation


def append_overdue_frames(explanation: Explanation, slave: int) -> Explanation:
    """A slave takes soon what was forwarded to it; what is out of step it refuses.

    A stopping slave reads on for a while, nobody knows how long (R-RC-02).
    """
    if explanation.is_stopping(slave):
        return explanation
    while explanation.wires[slave].arriving and get_link(explanation, slave).is_open:
        arrival = explanation.wires[slave].arriving[0]
        if not is_overdue(explanation, "append_frame", arrival.t_ms):
            return explanation
        if is_out_of_step(explanation, slave):
            raise Blocked(
                f"a frame came {explanation.now_ms - arrival.t_ms:.0f} ms ago that does not begin "
                f"where the slave's log ends, but the connection is still open",
                f"append_to_slave[{slave}]",
                ("is_in_step",),
                explanation.cluster,
            )
        explanation = take_arrival(explanation, slave)
    return explanation


def check_reports_come(explanation: Explanation, slave: int) -> None:
    """A slave with a timer of its own reports goes on to report, whatever comes (V-07, finding 10).

    Raises:
        Blocked: its last report lies too far back.
    """
    wire = explanation.wires[slave]
    is_expected = explanation.plan.version.has(OWN_REPORT_TIMER) and wire.last_report is not None
    is_seen = not wire.are_reports_stalled and wire.last_report_ms > wire.healed_ms
    is_there = wire.is_open and explanation.is_up(slave)
    if not is_expected or not is_seen or not is_there:
        return
    silent_ms = explanation.now_ms - wire.last_report_ms
    if silent_ms > TIMER_RANGES["own_report"](get_timers(explanation, slave)).high_ms:
        raise Blocked(f"the slave is connected, but has reported nothing for {silent_ms:.0f} ms")


def drop_overdue_connections(explanation: Explanation) -> Explanation:
    """The master notices the end of a connection soon, unless a link is stalled."""
    if any(wire.is_stalled for wire in explanation.wires):
        return explanation
    while explanation.dead and is_overdue(explanation, "drop", explanation.dead[0].ended_ms):
        explanation = drop_connection(explanation)
    return explanation


def settle_link(explanation: Explanation, slave: int) -> Explanation:
    """Before a connection ends: whatever later events show to have arrived has arrived.

    Reports up to the next ``push2SlaveMaxOffset`` that an event shows were read; frames up to the
    slave's next max offset were appended. Everything else in flight is lost with the connection.
    """
    explanation = append_seen_frames(explanation, slave)
    push2 = find_next(explanation.plan.push2_observations, explanation.now_ms)
    while push2 is not None and explanation.wires[slave].unread:
        if not get_link(explanation, slave).is_open:
            break
        if explanation.wires[slave].unread[0].offset > push2:
            break
        if is_next_report_too_high(explanation, slave):
            break
        explanation = read_next_report(explanation, slave)
    return explanation


def settle_hidden(explanation: Explanation, slave: int) -> Explanation:
    """Before an end that nobody saw coming: what later events show to have been there is there."""
    ahead, plan = explanation.plan.links[slave], explanation.plan
    if not ahead.is_traffic_hidden or not explanation.slaves[slave].is_started:
        return explanation
    started = find_next(plan.start_observations, explanation.now_ms)
    if started is not None and explanation.is_up(MASTER):
        explanation = demand_max_at_least(explanation, started)
    requested = find_next(ahead.requests, explanation.now_ms)
    seen = find_next(ahead.slave_observations, explanation.now_ms)
    shown = [offset for offset in (requested, seen, started) if offset is not None]
    own = explanation.get_log(slave).max_offset
    offset = min(shown, default=explanation.log.max_offset)
    return carry_hidden_bytes(explanation, slave, offset) if offset > own else explanation


def append_seen_frames(explanation: Explanation, slave: int) -> Explanation:
    """A slave appends what was forwarded to it, as far as its next max offset shows it."""
    seen = explanation.plan.links[slave].slave_observations
    offset = find_next(seen, explanation.now_ms)
    while offset is not None and explanation.wires[slave].arriving:
        if explanation.get_log(slave).max_offset >= offset or explanation.is_stopping(slave):
            break
        if not get_link(explanation, slave).is_open or is_out_of_step(explanation, slave):
            break
        explanation = take_arrival(explanation, slave)
    if offset and get_link(explanation, slave).is_open and explanation.wires[slave].unread:
        explanation = take_hidden_heartbeat(explanation, slave, offset)
    return explanation


def send_seen_frames(
    explanation: Explanation, slave: int, below_offset: float = FOREVER_MS
) -> Explanation:
    """Before the master can send no more: what its proxy shows later was sent by now.

    With an offset, only the frames that begin below it.
    """
    wire = explanation.wires[slave]
    frames = explanation.plan.links[slave].frames.get(wire.connection, ())
    left = [f for f in frames[wire.frames_sent :] if f.start_offset < below_offset]
    if wire.is_open and left:
        explanation = demand_positioned(explanation, slave)
        explanation = send_up_to(explanation, slave, left[-1].end_offset)
    return explanation


def expire_files(explanation: Explanation, node: int, min_offset: int) -> Explanation:
    """A broker deletes its oldest files; what it sends of them, it has sent by now."""
    while explanation.get_log(node).start_offset < min_offset:
        if node == MASTER:
            for slave in range(len(explanation.slaves)):
                explanation = settle_hidden(explanation, slave)
                explanation = send_seen_frames(explanation, slave, min_offset)
        explanation = expire_file(explanation, node)
    return explanation


def end_connection(explanation: Explanation, slave: int) -> Explanation:
    """The slave's end of the connection is gone: nothing is in flight, the master counts on."""
    explanation = keep_what_is_in_flight(explanation, slave)
    wire = explanation.wires[slave]
    link = get_link(explanation, slave)
    reported = link.reported_offset if link.is_open else explanation.get_log(slave).max_offset
    if wire.is_accepted:
        unread = (*(report.offset for report in wire.unread), *wire.reports_due)
        ended = DeadConnection(explanation.now_ms, link, unread)
        explanation = evolve(
            explanation,
            accepted=tuple(other for other in explanation.accepted if other != slave),
            dead=(*explanation.dead, ended),
        )
    return explanation.change_wire(
        slave,
        ended_connection=wire.connection,
        ends_to_see=SIDES if wire.is_open else wire.ends_to_see,
        closed_ms=explanation.now_ms if wire.is_open else wire.closed_ms,
        is_open=False,
        is_accepted=False,
        arriving=(),
        reports_due=(),
        unread=(),
        reported_before=reported,
    )
