"""Hidden steps that no event demands: what time has brought about, and what an end would lose.

The least explanation waits with every hidden step until an event demands it. Two things cannot
wait: what nothing holds back has happened after a second (`catch_up`), and before a connection ends
with all that is in flight, what a later event shows to have arrived must arrive (`settle_link`).
"""

from __future__ import annotations

from attrs import evolve

from reference.state import WAITS_FOR_DISK, WAITS_FOR_SLAVE_CHECK
from reference.trace.clock import GRAIN_MS, TIMER_RANGES
from reference.trace.link_demands import (
    accept_connection,
    append_arrival,
    demand_positioned,
    drop_connection,
    get_link,
    read_report,
)
from reference.trace.plan import Put, Sighting
from reference.trace.put_demands import finish_disk_step, request_slave
from reference.trace.put_order import append_next_put, find_next_put
from reference.trace.state import Blocked, DeadConnection, Explanation, is_overdue

SIDES = 2
"""A connection goes through a proxy, which sees both of its sides end."""


def catch_up(explanation: Explanation) -> Explanation:
    """Everything has happened by now that nothing can have held back for so long."""
    for slave in range(len(explanation.wires)):
        explanation = append_overdue_frames(explanation, slave)
    if explanation.master.is_stopping:
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
    for other in explanation.plan.puts:
        phase = explanation.cluster.messages[other.number].phase
        is_before_check = phase in (WAITS_FOR_DISK, WAITS_FOR_SLAVE_CHECK)
        if is_before_check and _is_put_overdue(explanation, other):
            explanation = _ask_for_slave(explanation, other)
    return explanation


def _is_put_overdue(explanation: Explanation, put: Put) -> bool:
    if put.status == "FLUSH_SLAVE_TIMEOUT":
        # Its wait began a full time-out before its end.
        wait_ms = TIMER_RANGES["slave_time_out"](explanation.plan.timers).low_ms
        latest_ms = put.begin_ms + max(put.duration_ms - wait_ms, 0.0) + GRAIN_MS
        if put.duration_ms >= wait_ms and explanation.now_ms > latest_ms:
            return True
    return is_overdue(explanation, "append_put", put.begin_ms)


def _ask_for_slave(explanation: Explanation, put: Put) -> Explanation:
    if put.status not in ("PUT_OK", "FLUSH_SLAVE_TIMEOUT"):
        return explanation
    try:
        return request_slave(finish_disk_step(explanation, put), put)
    except Blocked:
        return explanation  # Its end will say why.


def accept_overdue_connection(explanation: Explanation, slave: int) -> Explanation:
    """The master takes an open connection soon."""
    wire = explanation.wires[slave]
    is_due = wire.is_open and is_overdue(explanation, "accept", wire.opened_ms)
    return accept_connection(explanation, slave) if is_due else explanation


def read_overdue_reports(explanation: Explanation, slave: int) -> Explanation:
    """The master reads soon what was forwarded to it."""
    while True:
        unread = explanation.wires[slave].unread
        if not unread or not is_overdue(explanation, "read_report", unread[0].t_ms):
            return explanation
        explanation = read_report(explanation, slave)


def position_overdue_transfer(explanation: Explanation, slave: int) -> Explanation:
    """The master knows soon after the first report where to send from."""
    wire = explanation.wires[slave]
    is_due = wire.is_accepted and wire.last_report is not None
    if is_due and is_overdue(explanation, "position", wire.first_report_ms):
        return demand_positioned(explanation, slave)
    return explanation


def append_overdue_frames(explanation: Explanation, slave: int) -> Explanation:
    """A slave appends soon what was forwarded to it, unless it is stopping."""
    while not explanation.slaves[slave].is_stopping:
        arriving = explanation.wires[slave].arriving
        if not arriving or not is_overdue(explanation, "append_frame", arriving[0].t_ms):
            return explanation
        explanation = append_arrival(explanation, slave)
    return explanation


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
    explanation = _append_seen_frames(explanation, slave)
    push2 = _find_next(explanation.plan.push2_sightings, explanation.now_ms)
    while push2 is not None and explanation.wires[slave].unread:
        if not get_link(explanation, slave).is_open:
            break
        if explanation.wires[slave].unread[0].offset > push2:
            break
        explanation = read_report(explanation, slave)
    return explanation


def end_connection(explanation: Explanation, slave: int) -> Explanation:
    """The slave's end of the connection is gone: nothing is in flight, the master counts on."""
    wire = explanation.wires[slave]
    link = get_link(explanation, slave)
    reported = link.reported_offset if link.is_open else explanation.get_log(slave).max_offset
    if wire.is_accepted:
        explanation = evolve(
            explanation,
            accepted=tuple(other for other in explanation.accepted if other != slave),
            dead=(*explanation.dead, DeadConnection(explanation.now_ms, link)),
        )
    return explanation.change_wire(
        slave,
        ended_connection=wire.connection,
        ends_to_see=SIDES if wire.is_open else wire.ends_to_see,
        is_open=False,
        is_accepted=False,
        arriving=(),
        reports_due=(),
        unread=(),
        reported_before=reported,
    )


def _append_seen_frames(explanation: Explanation, slave: int) -> Explanation:
    offset = _find_next(explanation.plan.slave_sightings[slave], explanation.now_ms)
    while offset is not None and explanation.wires[slave].arriving:
        if explanation.get_log(slave).max_offset >= offset:
            break
        if not get_link(explanation, slave).is_open:
            break
        explanation = append_arrival(explanation, slave)
    return explanation


def _find_next(sightings: tuple[Sighting, ...], now_ms: float) -> int | None:
    return next((sighting.value for sighting in sightings if sighting.t_ms > now_ms), None)
