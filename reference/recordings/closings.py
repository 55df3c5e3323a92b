"""Why a replication connection ends: each end needs a reason, and each reason its rule."""

from __future__ import annotations

from reference.recordings.capped_reports import is_next_report_too_high
from reference.recordings.clock import (
    FOREVER_MS,
    JITTER_MS,
    KILL_MS,
    SHUTDOWN_MS,
    has_slave_housekeeping,
)
from reference.recordings.hidden_steps import end_connection, settle_link
from reference.recordings.link_demands import is_out_of_step, take_arrival
from reference.recordings.plan import MASTER
from reference.recordings.reports import get_link
from reference.recordings.state import Blocked, Explanation, check_timer, fire, get_timers
from reference.releases.timing_differences import STOP_CLOSES_SOCKET


def close_connection(explanation: Explanation, slave: int) -> Explanation:
    """A connection ends that neither a cut nor the known end of a process has closed."""
    explanation = settle_link(explanation, slave)
    if not get_link(explanation, slave).is_open:
        return end_connection(explanation, slave)
    if is_next_report_too_high(explanation, slave):
        return _close(explanation, slave, "refuse_later_report")
    if is_ending(explanation, slave):
        return _close(explanation, slave, "close_idle_connection")
    explanation = _take_until_out_of_step(explanation, slave)
    if is_out_of_step(explanation, slave):
        return _close(explanation, slave, "refuse_frame")
    explanation = check_housekeeping(explanation, slave)
    return _close(explanation, slave, "close_idle_connection")


def _close(explanation: Explanation, slave: int, rule: str) -> Explanation:
    return fire(end_connection(explanation, slave), rule, slave)


def is_ending(explanation: Explanation, slave: int) -> bool:
    """One of the two processes is about to end, which closes its sockets.

    A stopping master ends its HA service after a second. A stopping slave keeps its connection
    until its process ends, which the recorder notes some time later (R-RC-02), or ends its HA
    service, too (V-19).
    """
    is_shut = _is_ha_service_shut(explanation, MASTER)
    if explanation.plan.version.has(STOP_CLOSES_SOCKET):
        is_shut = is_shut or _is_ha_service_shut(explanation, slave)
    is_gone = not explanation.is_up(MASTER)
    return is_shut or is_gone or explanation.slaves[slave].is_store_closed


def _is_ha_service_shut(explanation: Explanation, node: int) -> bool:
    """A clean stop of this broker has begun more than a second ago."""
    stop_ms = explanation.get_broker(node).stop_begin_ms
    return stop_ms is not None and explanation.now_ms - stop_ms >= SHUTDOWN_MS - JITTER_MS


def check_closed_by_stop(explanation: Explanation, slave: int) -> Explanation:
    """The clean stop of a slave's store is over: its connection has ended with it (V-19).

    Behind a stall its proxy may see that later.
    """
    wire, ahead = explanation.wires[slave], explanation.plan.links[slave]
    if not explanation.plan.version.has(STOP_CLOSES_SOCKET) or ahead.is_connection_hidden:
        return explanation
    ended_ms = ahead.closings_ms.get(wire.connection, explanation.plan.end_ms)
    if wire.is_open and not wire.is_stalled and ended_ms > explanation.now_ms + KILL_MS:
        raise Blocked("the slave's store is shut down, but its connection is still open")
    return explanation.count_check()


def _take_until_out_of_step(explanation: Explanation, slave: int) -> Explanation:
    """A stopping slave throws frames away, and refuses the next one (R-HC-08)."""
    while explanation.wires[slave].arriving and not is_out_of_step(explanation, slave):
        if not explanation.is_stopping(slave) and explanation.wires[slave].arriving[0].size_bytes:
            break
        explanation = take_arrival(explanation, slave)
    return explanation


def check_housekeeping(explanation: Explanation, slave: int) -> Explanation:
    """One of the two ends has read nothing for its housekeeping interval (R-HA-08, R-HC-14).

    What the slave has read is known less well: a recording may leave heartbeats out.
    """
    wire, timers = explanation.wires[slave], get_timers(explanation, slave)
    heard_ms = wire.opened_ms if wire.last_frame_ms is None else wire.last_frame_ms
    unheard_ms = explanation.now_ms - heard_ms
    silent_ms = explanation.now_ms - wire.last_report_ms
    is_by_master = silent_ms >= timers.master_housekeeping_interval_ms - JITTER_MS
    is_by_slave = unheard_ms >= timers.ha_housekeeping_interval_ms - JITTER_MS
    is_by_slave = is_by_slave and has_slave_housekeeping(timers)
    if is_by_slave and not is_by_master:
        return check_timer(explanation, "slave_housekeeping", unheard_ms, slave=slave)
    is_held = wire.is_stalled or wire.healed_ms > wire.last_report_ms
    extra_ms = FOREVER_MS if is_held else 0.0
    return check_timer(
        explanation, "master_housekeeping", silent_ms, slave=slave, extra_ms=extra_ms
    )
