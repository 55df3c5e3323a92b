"""What a slave should have done by now, and has not: reported, or closed its connection."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from brokers.recordings.ahead.plan import Plan
from brokers.recordings.clock import (
    CONNECT_MS,
    RECONNECT_MS,
    SELECT_MS,
    SLACK_MS,
    TIMER_RANGES,
    has_slave_housekeeping,
)
from brokers.recordings.controller.goals import has_epoch_files
from brokers.recordings.hidden.node import Goal, Node
from brokers.recordings.log.asking import Asking
from brokers.recordings.view import ShownBroker
from reference.releases.timing_differences import OWN_REPORT_TIMER


def list_owed(asking: Asking, node: Node, slave: int, now_ms: float) -> Iterator[Goal]:
    """What a slave that runs owes by now; nothing of one that somebody plays."""
    seen, guide = node.notes.seen, asking.guide
    is_open = guide.get(node, f"links.{slave}.is_open")
    if slave in asking.plan.scripted or not guide.get(node, f"slaves.{slave}.is_up"):
        return
    is_stopping = guide.get(node, f"slaves.{slave}.is_stopping")
    is_stopping |= has_hidden_stop(asking.plan, seen.slaves[slave], slave, now_ms)
    is_free = is_stopping or has_epoch_files(asking)
    if not is_open and not is_free:
        yield from list_unconnected(asking, node, slave, now_ms)
    if not (is_open and seen.wires[slave].is_open):
        return
    yield from list_silent(asking, node, slave, now_ms)
    if not is_free:
        yield from list_unrefused(node, slave, now_ms)
        yield from list_unclosed(asking, node, slave, now_ms)


def list_silent(asking: Asking, node: Node, slave: int, now_ms: float) -> Iterator[Goal]:
    """A slave goes on to report: after its own last report (V-07), or after what it has read.

    Of the second kind nothing is asked where heartbeats are left out (R-HC-04). Nor is it where
    its proxy holds reports back, or has done so since the latest one.
    """
    wire, is_by_own = node.notes.seen.wires[slave], asking.plan.version.has(OWN_REPORT_TIMER)
    is_seen = not wire.are_reports_stalled and wire.last_report_ms > wire.healed_ms
    is_asked = is_by_own or asking.sending.are_heartbeats_shown
    if wire.last_report is None or not is_seen or not is_asked:
        return
    heard_ms = 0.0 if is_by_own else wire.last_frame_ms or 0.0
    silent_ms = now_ms - max(wire.last_report_ms, heard_ms)
    if silent_ms > TIMER_RANGES["own_report"](asking.plan.slave_timers[slave]).high_ms:
        text = f"the slave is connected, but has reported nothing for {silent_ms:.0f} ms"
        yield Goal(text, lambda _: False)


def list_unconnected(asking: Asking, node: Node, slave: int, now_ms: float) -> Iterator[Goal]:
    """A slave that has lost its connection tries again, every five seconds at least (R-HC-01).

    One try takes as long at most (``RemotingUtil#connect``).
    """
    seen = node.notes.seen
    wire, master = seen.wires[slave], seen.master
    is_there = master.is_started and master.stop_begin_ms is None
    is_lost = wire.closed_ms is not None and not (wire.is_open or wire.is_stalled)
    if not (is_there and is_lost and node.notes.wires[slave].is_connection_recorded):
        return
    lost_ms = now_ms - max(wire.closed_ms or 0.0, master.started_ms, wire.healed_ms)
    if lost_ms > RECONNECT_MS + CONNECT_MS + SLACK_MS:
        text = f"the slave has not connected for {lost_ms:.0f} ms, though its master runs"
        yield Goal(text, lambda _: False)


def list_unrefused(node: Node, slave: int, now_ms: float) -> Iterator[Goal]:
    """A slave closes its connection when it reads a frame that does not begin where its log ends.

    HAClient#dispatchReadRequest; only somebody who plays a master sends such a frame.
    """
    seen = node.notes.seen.wires[slave]
    if seen.refused_ms is None or seen.are_frames_stalled:
        return
    if now_ms - max(seen.refused_ms, seen.healed_ms) > SLACK_MS:
        text = "the slave's log does not end where a frame has begun, and it is connected still"
        yield Goal(text, lambda _: False)


def list_unclosed(asking: Asking, node: Node, slave: int, now_ms: float) -> Iterator[Goal]:
    """A slave closes a connection on which nothing has come for its housekeeping interval.

    ``HAClient#run`` looks after each of its selects (R-HC-14). Heartbeats that are left out come
    in between, and later releases look at something else (V-07).
    """
    wire, timers = node.notes.seen.wires[slave], asking.plan.slave_timers[slave]
    is_asked = asking.sending.are_heartbeats_shown and has_slave_housekeeping(timers)
    if not is_asked or asking.plan.version.has(OWN_REPORT_TIMER):
        return
    silent_ms = now_ms - max(wire.opened_ms, wire.last_frame_ms or 0.0, wire.healed_ms)
    if silent_ms > timers.ha_housekeeping_interval_ms + SELECT_MS + SLACK_MS:
        text = f"the slave has read nothing for {silent_ms:.0f} ms, and is connected still"
        yield Goal(text, lambda _: False)


def has_hidden_stop(plan: Plan, broker: ShownBroker, slave: int, now_ms: float) -> bool:
    """The slave's next life ends in order, and nobody tells when that stop began."""
    turns = plan.links[slave].turns
    place = bisect_left(turns, now_ms, key=lambda event: event.t_ms)
    if place == len(turns) or broker.stop_begin_ms is not None:
        return False
    return turns[place].kind == "node_stop_clean" and "shutdown_ms" not in turns[place].data
