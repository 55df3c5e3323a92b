"""Why a replication connection ends: each end needs a reason."""

from __future__ import annotations

from bisect import bisect_left

from brokers.recordings.ahead.plan import MASTER, get_time_ms
from brokers.recordings.clock import (
    FOREVER_MS,
    JITTER_MS,
    KILL_MS,
    REAPED_MS,
    SHUTDOWN_MS,
    has_slave_housekeeping,
)
from brokers.recordings.view import Blocked, View, check_timer, get_timers
from reference.releases.timing_differences import STOP_CLOSES_SOCKET


def is_ending(view: View, slave: int) -> bool:
    """One of the two processes is about to end, which closes its sockets.

    A stopping master ends its HA service after a second. A stopping slave keeps its connection
    until its process ends, which the recorder notes some time later (R-RC-02), or ends its HA
    service, too (V-19).
    """
    is_shut = _is_ha_service_shut(view, MASTER)
    if view.plan.version.has(STOP_CLOSES_SOCKET):
        is_shut = is_shut or _is_ha_service_shut(view, slave)
    is_gone = not view.is_up(MASTER) or is_killed_now(view, slave)
    return is_shut or is_gone or view.slaves[slave].is_store_closed


def is_killed_now(view: View, slave: int) -> bool:
    """One of the two processes is noted to be killed, once its connections have ended."""
    events, names = view.plan.recording.events, (view.plan.master, view.plan.slaves[slave])
    for event in events[bisect_left(events, view.now_ms, key=get_time_ms) :]:
        if event.t_ms > view.now_ms + REAPED_MS:
            return False
        if event.kind == "node_kill9" and event["node"] in names:
            return True
    return False


def _is_ha_service_shut(view: View, node: int) -> bool:
    """A clean stop of this broker has begun more than a second ago."""
    stop_ms = view.get_broker(node).stop_begin_ms
    return stop_ms is not None and view.now_ms - stop_ms >= SHUTDOWN_MS - JITTER_MS


def check_closed_by_stop(view: View, slave: int) -> View:
    """The clean stop of a slave's store is over: its connection has ended with it (V-19).

    Behind a stall its proxy may see that later.
    """
    wire, ahead = view.wires[slave], view.plan.links[slave]
    if not view.plan.version.has(STOP_CLOSES_SOCKET) or ahead.is_connection_hidden:
        return view
    ended_ms = ahead.closings_ms.get(wire.connection, view.plan.end_ms)
    if wire.is_open and not wire.is_stalled and ended_ms > view.now_ms + KILL_MS:
        raise Blocked("the slave's store is shut down, but its connection is still open")
    return view


def check_housekeeping(view: View, slave: int) -> View:
    """One of the two ends has read nothing for its housekeeping interval (R-HA-08, R-HC-14).

    What the slave has read is known less well: a recording may leave heartbeats out.
    """
    wire, timers = view.wires[slave], get_timers(view, slave)
    heard_ms = wire.opened_ms if wire.last_frame_ms is None else wire.last_frame_ms
    unheard_ms = view.now_ms - heard_ms
    silent_ms = view.now_ms - wire.last_report_ms
    is_by_master = silent_ms >= timers.master_housekeeping_interval_ms - JITTER_MS
    is_by_slave = unheard_ms >= timers.ha_housekeeping_interval_ms - JITTER_MS
    is_by_slave = is_by_slave and has_slave_housekeeping(timers)
    if is_by_slave and not is_by_master:
        return check_timer(view, "slave_housekeeping", unheard_ms, slave=slave)
    is_held = wire.is_stalled or wire.healed_ms > wire.last_report_ms
    extra_ms = FOREVER_MS if is_held else 0.0
    return check_timer(view, "master_housekeeping", silent_ms, slave=slave, extra_ms=extra_ms)
