"""Events that the proxy of a replication link saw."""

from __future__ import annotations

from attrs import evolve

from reference.recordings.clock import JITTER_MS, RECONNECT_MS, SLACK_MS
from reference.recordings.closings import close_connection
from reference.recordings.hidden_steps import end_connection, settle_link
from reference.recordings.late_traffic import deliver_late_frame, explain_late_report, is_late
from reference.recordings.link_demands import (
    demand_positioned,
    forward_report,
    note_report,
    send_up_to,
    take_hidden_heartbeat,
)
from reference.recordings.links_ahead import Frame
from reference.recordings.plan import MASTER
from reference.recordings.reading import Event
from reference.recordings.reports import accept_connection, get_link
from reference.recordings.state import (
    Arrival,
    Blocked,
    Explanation,
    check,
    check_timer,
    fire,
    get_timers,
)
from reference.releases.timing_differences import OWN_REPORT_TIMER

CLOSING_SIDES = ("slave", "master", "proxy", "reset")
"""What ``closed_by`` may say. Both ends may drop a connection within a ms, and either is named."""


def explain_open(explanation: Explanation, event: Event) -> Explanation:
    """A slave connects. The master takes the connection when something shows that it has."""
    slave = explanation.plan.find_slave_of_link(event)
    wire = explanation.wires[slave]
    if wire.is_open:
        # A slave opens the next connection at once, and the proxy may see that first (R-HC-12).
        plan = explanation.plan
        ended_ms = plan.links[slave].closings_ms.get(wire.connection, plan.end_ms)
        if ended_ms > event.t_ms + JITTER_MS:
            raise Blocked(f"connection {wire.connection} of this link is still open")
        explanation = close_connection(explanation, slave)
    explanation = check(explanation, "conn", wire.connection + 1, event["conn"])
    explanation = check_reconnect(explanation, slave)
    return explanation.change_wire(
        slave,
        connection=event["conn"],
        opened_ms=event.t_ms,
        is_open=True,
        is_accepted=False,
        frames_sent=0,
        next_frame_offset=None,
        last_frame_ms=None,
        last_report=None,
        last_report_ms=event.t_ms,
    )


def check_reconnect(explanation: Explanation, slave: int) -> Explanation:
    """A slave connects again at once, or 5 s after a connect that was refused (R-HC-12)."""
    wire = explanation.wires[slave]
    closed_ms = wire.closed_ms
    if closed_ms is None or wire.is_stalled or wire.healed_ms > closed_ms:
        return explanation  # The slave may have learnt of the end much later than the proxy.
    elapsed_ms = explanation.now_ms - closed_ms
    is_at_once = elapsed_ms < (RECONNECT_MS + SLACK_MS) / 2
    timer = "reconnect_at_once" if is_at_once else "reconnect"
    return check_timer(explanation, timer, elapsed_ms, slave=slave)


def explain_close(explanation: Explanation, event: Event) -> Explanation:
    """A connection ends; the proxy tells so once for each side."""
    slave = explanation.plan.find_slave_of_link(event)
    wire = explanation.wires[slave]
    if event["closed_by"] not in CLOSING_SIDES:
        raise Blocked(f"closed_by is {event['closed_by']!r}, which is no side of a connection")
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
    if not explanation.wires[slave].is_open:
        return explanation
    explanation = settle_link(explanation, slave)
    was_accepted = get_link(explanation, slave).is_open
    ended = end_connection(explanation, slave).change_wire(slave, late_link=None, late_log=None)
    return fire(ended, "cut_link", slave) if was_accepted else ended


def explain_report(explanation: Explanation, event: Event) -> Explanation:
    """A slave's report comes to the proxy, which then forwards it to the master."""
    if is_late(explanation, explanation.plan.find_slave_of_link(event), event["conn"]):
        slave = explanation.plan.find_slave_of_link(event)
        return explain_late_report(explanation, slave, event["slave_offset"])
    slave = _find_open_link(explanation, event)
    check_not_held(explanation, slave, explanation.wires[slave].are_reports_stalled)
    explanation = explanation.count_check()
    if explanation.wires[slave].last_report is not None:
        explanation = check_interval(explanation, slave, event)
        return forward_report(explanation, slave, event["slave_offset"])
    explanation = accept_connection(explanation, slave)
    explanation = fire(explanation, "report_offset", slave)
    explanation = check_interval(explanation, slave, event)
    reported = get_link(explanation, slave).reported_offset
    explanation = check(explanation, "slave_offset", reported, event["slave_offset"])
    explanation = explanation.change_wire(slave, first_report_ms=event.t_ms)
    return note_report(explanation, slave, reported)


def check_interval(explanation: Explanation, slave: int, event: Event) -> Explanation:
    """The first report of a connection, and the next one after a report, come in their time."""
    wire = explanation.wires[slave]
    if wire.last_report is not None:
        is_by_own = explanation.plan.version.has(OWN_REPORT_TIMER)
        check_next = check_own_reports if is_by_own else check_repeated
        return check_next(explanation, slave, event)
    elapsed_ms, extra_ms = event.t_ms - wire.opened_ms, compute_held_ms(explanation, slave)
    return check_timer(explanation, "first_report", elapsed_ms, slave=slave, extra_ms=extra_ms)


def check_not_held(explanation: Explanation, slave: int, is_held: bool) -> None:
    """Nothing passes in a direction that is stalled, but for what was under way when it began.

    Raises:
        Blocked: something passes all the same.
    """
    since_ms = explanation.now_ms - explanation.wires[slave].stalled_ms
    if is_held and since_ms > JITTER_MS:
        raise Blocked(f"this direction of the link has been stalled for {since_ms:.1f} ms")


def compute_held_ms(explanation: Explanation, slave: int) -> float:
    """How long the proxy may have held back what it shows now."""
    wire = explanation.wires[slave]
    is_held = wire.is_stalled or wire.healed_ms >= wire.opened_ms
    return float("inf") if is_held else 0.0


def check_own_reports(explanation: Explanation, slave: int, event: Event) -> Explanation:
    """A slave repeats its report a heartbeat interval after its last one, whatever has come (V-07).

    Something new it reports sooner, but nothing later than that (recordings of 4.9.8, finding 10).
    """
    wire = explanation.wires[slave]
    if wire.are_reports_stalled or wire.last_report_ms <= wire.healed_ms + SLACK_MS:
        return explanation  # What piled up comes at once: the last one was sent earlier.
    elapsed_ms = event.t_ms - wire.last_report_ms
    is_new = event["slave_offset"] != wire.last_report
    # A new number may come as soon as it likes, so it is only asked whether it comes in time.
    timers = get_timers(explanation, slave)
    least_ms = timers.ha_send_heartbeat_interval_ms if is_new else 0
    return check_timer(explanation, "own_report", max(elapsed_ms, least_ms), slave=slave)


def check_repeated(explanation: Explanation, slave: int, event: Event) -> Explanation:
    """A number is reported again only when nothing came for a heartbeat interval (R-HC-04)."""
    wire = explanation.wires[slave]
    if event["slave_offset"] != wire.last_report:
        return explanation
    if wire.is_stalled or wire.healed_ms + SLACK_MS >= event.t_ms:
        return explanation  # What piled up comes at once.
    if wire.last_frame_ms is None:
        elapsed_ms = event.t_ms - wire.last_report_ms
        return check_timer(explanation, "report_to_silent_master", elapsed_ms, slave=slave)
    elapsed_ms = event.t_ms - wire.last_frame_ms
    return check_timer(explanation, "repeated_report", elapsed_ms, slave=slave)


def explain_frame(explanation: Explanation, event: Event) -> Explanation:
    """A frame comes to the proxy, which then forwards it to the slave; without a body, a beat."""
    start, size = event["master_offset"], event["body_bytes"]
    if size < 0:
        raise Blocked(f"body_bytes is {size}")
    slave = explanation.plan.find_slave_of_link(event)
    if is_late(explanation, slave, event["conn"]):
        return deliver_late_frame(explanation, slave, Frame(event.t_ms, start, size))
    slave = _find_open_link(explanation, event)
    check_not_held(explanation, slave, explanation.wires[slave].are_frames_stalled)
    explanation = demand_positioned(explanation, slave)
    expected = explanation.wires[slave].next_frame_offset
    explanation = check(explanation, "master_offset", expected, start)
    if size:
        explanation = _precede_by_heartbeat(explanation, slave)
        explanation = send_up_to(explanation, slave, start + size).count_check()
    else:
        explanation = check_heartbeat(explanation, slave)
    wire = explanation.wires[slave]
    arrival = Arrival(event.t_ms, start + size, size)
    return explanation.change_wire(
        slave,
        next_frame_offset=arrival.offset,
        last_frame_ms=event.t_ms,
        arriving=(*wire.arriving, arrival),
    )


def _precede_by_heartbeat(explanation: Explanation, slave: int) -> Explanation:
    """Where a recording leaves heartbeats out, one may have come first (R-HA-12)."""
    if explanation.wires[slave].last_frame_ms is not None or not explanation.is_up(slave):
        return explanation
    seen = explanation.plan.links[slave].slave_observations
    start = get_link(explanation, slave).next_transfer_offset
    return take_hidden_heartbeat(explanation, slave, start) if start in seen.values else explanation


def check_heartbeat(explanation: Explanation, slave: int) -> Explanation:
    """The master beats only when it has sent nothing for its heartbeat interval (R-HA-12)."""
    wire = explanation.wires[slave]
    if wire.last_frame_ms is None or wire.is_stalled:
        return explanation
    if wire.healed_ms <= wire.last_frame_ms <= wire.healed_ms + SLACK_MS:
        return explanation  # What piled up comes at once: the last frame was sent earlier.
    elapsed_ms = explanation.now_ms - wire.last_frame_ms
    return check_timer(explanation, "heartbeat", elapsed_ms, slave=slave)


def explain_stall(explanation: Explanation, event: Event) -> Explanation:
    """The proxy holds something back; what is sent now comes to it when the link is healed."""
    slave = explanation.plan.find_slave_of_link(event)
    is_stalled = event["slave_to_master"] or event["master_to_slave"]
    was_stalled = explanation.wires[slave].is_stalled
    changed = explanation.change_wire(
        slave,
        are_reports_stalled=event["slave_to_master"],
        are_frames_stalled=event["master_to_slave"],
        stalled_ms=event.t_ms,
    )
    if was_stalled and not is_stalled:
        return explain_heal(changed, event)
    if was_stalled:
        return changed.change_wire(slave, healed_ms=event.t_ms)
    return changed


def explain_heal(explanation: Explanation, event: Event) -> Explanation:
    """The proxy forwards again, first what has piled up."""
    slave = explanation.plan.find_slave_of_link(event)
    # The ends of connections are forwarded now, too.
    dead = tuple(evolve(each, ended_ms=event.t_ms) for each in explanation.dead)
    healed = explanation.change_wire(
        slave, are_reports_stalled=False, are_frames_stalled=False, healed_ms=event.t_ms
    )
    return evolve(healed, dead=dead)


def explain_target_down(explanation: Explanation, event: Event) -> Explanation:
    """The proxy could not reach the master: its process does not run, or it is ending."""
    explanation.plan.find_slave_of_link(event)
    master = explanation.master
    is_running = explanation.is_up(MASTER) and master.is_started
    is_settled = explanation.now_ms - master.started_ms > SLACK_MS
    if is_running and is_settled and not explanation.is_stopping(MASTER):
        raise Blocked("the master runs, so its port can be reached")
    return explanation.count_check()


def _find_open_link(explanation: Explanation, event: Event) -> int:
    slave = explanation.plan.find_slave_of_link(event)
    wire = explanation.wires[slave]
    check(explanation, "conn", wire.connection, event["conn"])
    if not wire.is_open:
        raise Blocked(f"connection {wire.connection} of this link is closed")
    return slave
