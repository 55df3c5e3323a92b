"""Events that the proxy of a replication link saw."""

from __future__ import annotations

from attrs import evolve

from reference.trace.clock import JITTER_MS
from reference.trace.hidden_steps import end_connection, settle_link
from reference.trace.link_demands import (
    accept_connection,
    demand_positioned,
    forward_report,
    get_link,
    note_report,
    send_up_to,
)
from reference.trace.reading import Event
from reference.trace.state import Arrival, Blocked, Explanation, check, check_timer, fire


def explain_open(explanation: Explanation, event: Event) -> Explanation:
    """A slave connects. The master takes the connection when something shows that it has."""
    slave = explanation.plan.find_slave_of_link(event)
    wire = explanation.wires[slave]
    if wire.is_open:
        # A slave opens the next connection at once, and the proxy may see that first (R-HC-12).
        ended_ms = explanation.plan.closings.get((slave, wire.connection))
        if ended_ms is None or ended_ms > event.t_ms + JITTER_MS:
            raise Blocked(f"connection {wire.connection} of this link is still open")
        explanation = close_connection(explanation, slave)
    explanation = check(explanation, "conn", wire.connection + 1, event["conn"])
    return explanation.change_wire(
        slave,
        connection=event["conn"],
        opened_ms=event.t_ms,
        is_open=True,
        is_accepted=False,
        frames_sent=0,
        next_frame_offset=None,
        last_report=None,
    )


def explain_close(explanation: Explanation, event: Event) -> Explanation:
    """A connection ends; the proxy tells so once for each side."""
    slave = explanation.plan.find_slave_of_link(event)
    wire = explanation.wires[slave]
    if wire.is_open and event["conn"] == wire.connection:
        explanation = close_connection(explanation, slave)
    wire = explanation.wires[slave]
    if not wire.ends_to_see:
        raise Blocked("no connection of this link has ended, or both of its sides were seen to")
    explanation = explanation.change_wire(slave, ends_to_see=wire.ends_to_see - 1)
    return check(explanation, "conn", wire.ended_connection, event["conn"])


def explain_cut(explanation: Explanation, event: Event) -> Explanation:
    """The proxy cuts a link: the connection on it ends, if there is one."""
    slave = explanation.plan.find_slave_of_link(event)
    is_open = explanation.wires[slave].is_open
    return close_connection(explanation, slave) if is_open else explanation


def close_connection(explanation: Explanation, slave: int) -> Explanation:
    """The end of a connection that the end of neither process explains."""
    explanation = settle_link(explanation, slave)
    ended = end_connection(explanation, slave)
    is_accepted = get_link(explanation, slave).is_open
    return fire(ended, "cut_link", slave) if is_accepted else ended


def explain_report(explanation: Explanation, event: Event) -> Explanation:
    """A slave's report comes to the proxy, which then forwards it to the master."""
    slave = _find_open_link(explanation, event)
    if explanation.wires[slave].last_report is not None:
        return forward_report(explanation, slave, event["slave_offset"])
    explanation = accept_connection(explanation, slave)
    explanation = fire(explanation, "report_offset", slave)
    elapsed_ms = event.t_ms - explanation.wires[slave].opened_ms
    explanation = check_timer(explanation, "first_report", elapsed_ms)
    reported = get_link(explanation, slave).reported_offset
    explanation = check(explanation, "slave_offset", reported, event["slave_offset"])
    explanation = explanation.change_wire(slave, first_report_ms=event.t_ms)
    return note_report(explanation, slave, reported)


def explain_frame(explanation: Explanation, event: Event) -> Explanation:
    """A frame comes to the proxy, which then forwards it to the slave; without a body, a beat."""
    slave = _find_open_link(explanation, event)
    explanation = demand_positioned(explanation, slave)
    start, size = event["master_offset"], event["body_bytes"]
    expected = explanation.wires[slave].next_frame_offset
    explanation = check(explanation, "master_offset", expected, start)
    if size < 0:
        raise Blocked(f"body_bytes is {size}")
    explanation = send_up_to(explanation, slave, start + size).count_check()
    return _forward_frame(explanation, slave, Arrival(event.t_ms, start + size), is_beat=not size)


def explain_stall(explanation: Explanation, event: Event) -> Explanation:
    """The proxy holds something back; what is sent now comes to it when the link is healed."""
    slave = explanation.plan.find_slave_of_link(event)
    is_stalled = event["slave_to_master"] or event["master_to_slave"]
    return explanation.change_wire(slave, is_stalled=is_stalled)


def explain_heal(explanation: Explanation, event: Event) -> Explanation:
    """The proxy forwards again, first what has piled up."""
    slave = explanation.plan.find_slave_of_link(event)
    # The ends of connections are forwarded now, too.
    dead = tuple(evolve(each, ended_ms=event.t_ms) for each in explanation.dead)
    return evolve(explanation.change_wire(slave, is_stalled=False), dead=dead)


def _find_open_link(explanation: Explanation, event: Event) -> int:
    slave = explanation.plan.find_slave_of_link(event)
    wire = explanation.wires[slave]
    check(explanation, "conn", wire.connection, event["conn"])
    if not wire.is_open:
        raise Blocked(f"connection {wire.connection} of this link is closed")
    return slave


def _forward_frame(
    explanation: Explanation, slave: int, arrival: Arrival, *, is_beat: bool
) -> Explanation:
    wire, broker = explanation.wires[slave], explanation.slaves[slave]
    is_kept = not is_beat and not broker.is_stopping  # A stopping store throws it away (R-CL-14).
    return explanation.change_wire(
        slave,
        next_frame_offset=arrival.offset,
        arriving=(*wire.arriving, arrival) if is_kept else wire.arriving,
    )
