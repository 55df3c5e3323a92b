"""Why a replication connection ends: each end needs a reason."""

from __future__ import annotations

from bisect import bisect_left

from brokers.recordings.ahead.plan import MASTER, get_time_ms
from brokers.recordings.clock import (
    JITTER_MS,
    REAPED_MS,
    SHUTDOWN_MS,
)
from brokers.recordings.view import View
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
