"""What a link's proxy shows, held against the clocks of slave and master."""

from __future__ import annotations

from typing import Any

from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.clock import JITTER_MS, LATE_MS, NOTICE_MS, RECONNECT_MS, SLACK_MS
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, ShownLink, View, check_timer, get_timers
from reference.releases.timing_differences import FIRST_REPORT_AT_ONCE, OWN_REPORT_TIMER

CLOSING_SIDES = ("slave", "master", "proxy", "reset")
"""What ``closed_by`` may say. Both ends may drop a connection within a ms, and either is named."""


def check_reconnect(view: View, slave: int) -> View:
    """A slave connects again at once, or 5 s after a connect that was refused (R-HC-12)."""
    wire = view.wires[slave]
    closed_ms = wire.closed_ms
    if closed_ms is None or wire.is_stalled or wire.healed_ms > closed_ms:
        return view  # The slave may have learnt of the end much later than the proxy.
    elapsed_ms = view.now_ms - closed_ms
    is_at_once = elapsed_ms < (RECONNECT_MS + SLACK_MS) / 2 or is_reachable(view, slave, closed_ms)
    timer = "reconnect_at_once" if is_at_once else "reconnect"
    return check_timer(view, timer, elapsed_ms, slave=slave)


def is_reachable(view: View, slave: int, since_ms: float) -> bool:
    """Nobody can have refused a connect since then: the master has run, and its proxy met it.

    From 5.0.0 on a slave waits all the same (``DefaultHAClient#closeMasterAndWait``). Behind a
    stall it may have closed earlier, and not have come through. A proxy that has cut the link may
    not listen for a while, and notes nothing then; the slave is seen to be without a connection
    (`empty_first_file` seq 42 to 75).
    """
    wire, ahead = view.wires[slave], view.plan.links[slave]
    is_behind_stall = wire.healed_ms > since_ms - SLACK_MS
    has_missed = any(since_ms + NOTICE_MS < t < view.now_ms for t in ahead.unconnected_ms)
    may_refuse = wire.cut_ms >= since_ms - JITTER_MS and has_missed
    if view.plan.version.has(FIRST_REPORT_AT_ONCE) or is_behind_stall or may_refuse:
        return False
    has_run = view.is_up(MASTER) and view.master.is_started and not view.is_stopping(MASTER)
    is_met = not any(since_ms <= t_ms <= view.now_ms for t_ms in ahead.refusals_ms)
    return has_run and is_met and view.master.started_ms < since_ms - JITTER_MS


def check_interval(view: View, slave: int, event: Event) -> View:
    """The first report of a connection, and the next one after a report, come in their time.

    A frame before the first report, which only somebody who plays a master sends, is reported when
    it is appended (``HAClient#reportSlaveMaxOffsetPlus``).
    """
    wire = view.wires[slave]
    if wire.last_report is not None:
        is_by_own = view.plan.version.has(OWN_REPORT_TIMER)
        check_next = check_own_reports if is_by_own else check_repeated
        return check_next(view, slave, event)
    if wire.last_frame_ms is not None:
        return view
    elapsed_ms, extra_ms = event.t_ms - wire.opened_ms, compute_held_ms(view, slave)
    return check_timer(view, "first_report", elapsed_ms, slave=slave, extra_ms=extra_ms)


def check_not_held(view: View, slave: int, is_held: bool) -> None:
    """Nothing passes in a direction that is stalled, but for what was under way when it began.

    Raises:
        Blocked: something passes all the same.
    """
    since_ms = view.now_ms - view.wires[slave].stalled_ms
    if is_held and since_ms > JITTER_MS:
        raise Blocked(f"this direction of the link has been stalled for {since_ms:.1f} ms")


def compute_held_ms(view: View, slave: int) -> float:
    """How long the proxy may have held back what it shows now."""
    wire = view.wires[slave]
    is_held = wire.is_stalled or wire.healed_ms >= wire.opened_ms
    return float("inf") if is_held else 0.0


def check_own_reports(view: View, slave: int, event: Event) -> View:
    """A slave repeats its report a heartbeat interval after its last one, whatever has come (V-07).

    Something new it reports sooner, but nothing later than that (recordings of 4.9.8, finding 10).
    """
    wire = view.wires[slave]
    if wire.are_reports_stalled or wire.last_report_ms <= wire.healed_ms + SLACK_MS:
        return view  # What piled up comes at once: the last one was sent earlier.
    elapsed_ms = event.t_ms - wire.last_report_ms
    is_new = event["slave_offset"] != wire.last_report
    # A new number may come as soon as it likes, so it is only asked whether it comes in time. An
    # old one comes no sooner, though the one before may be noted late.
    interval_ms = get_timers(view, slave).ha_send_heartbeat_interval_ms
    is_due = event.t_ms - wire.last_report_least_ms >= interval_ms
    least_ms = interval_ms if is_new or is_due else 0
    return check_timer(view, "own_report", max(elapsed_ms, least_ms), slave=slave)


def check_repeated(view: View, slave: int, event: Event) -> View:
    """A number is reported again only when nothing came for a heartbeat interval (R-HC-04)."""
    wire = view.wires[slave]
    if event["slave_offset"] != wire.last_report:
        return view
    if wire.is_stalled or wire.healed_ms + SLACK_MS >= event.t_ms:
        return view  # What piled up comes at once.
    frame_ms = wire.last_frame_ms
    if is_behind_frame(wire, event) and not wire.has_crossed:
        frame_ms = wire.frame_before_ms  # The two may have crossed, though not time after time.
    if frame_ms is None:
        elapsed_ms = event.t_ms - wire.last_report_ms
        return check_timer(view, "report_to_silent_master", elapsed_ms, slave=slave)
    elapsed_ms = event.t_ms - frame_ms
    return check_timer(view, "repeated_report", elapsed_ms, slave=slave)


def date_frame(wire: ShownLink, event: Event) -> dict[str, Any]:
    """What is noted of the latest frame of a connection."""
    return {
        "last_frame_ms": event.t_ms,
        "frame_before_ms": wire.last_frame_ms,
        "next_offset": event["master_offset"] + event["body_bytes"],
    }


def date_sent_frame(view: View, slave: int, event: Event) -> dict[str, Any]:
    """The same of a frame that no peer has made up, and when it was sent at the earliest."""
    sent_ms = find_sent_least_ms(view, slave, event)
    return {**date_frame(view.wires[slave], event), "frame_least_ms": sent_ms}


def find_sent_least_ms(view: View, slave: int, event: Event) -> float:
    """When a frame was sent at the earliest: a stamp may be late by any amount.

    Not before the one ahead of it, nor before the put of its last byte was called; a heartbeat
    waits for its interval, unless it is a connection's first frame.
    """
    wire, last = view.wires[slave], event["master_offset"] + event["body_bytes"] - 1
    if event["body_bytes"]:
        put = view.plan.tables[view.plan.lives[view.process]].find_torn(last)
        return max(wire.frame_least_ms, 0.0 if put is None else put.begin_ms)
    timers, is_first = get_timers(view, slave), wire.last_frame_ms is None
    return wire.frame_least_ms + (0 if is_first else timers.master_heartbeat_interval_ms)


def date_report(wire: ShownLink, event: Event) -> dict[str, Any]:
    """What is noted of the latest report of a connection."""
    frame_ms = wire.last_frame_ms
    is_caused = frame_ms is not None and wire.last_report_ms <= frame_ms
    return {
        "last_report": event["slave_offset"],
        "last_report_ms": event.t_ms,
        "last_report_least_ms": frame_ms if is_caused else event.t_ms,
        "has_crossed": is_behind_frame(wire, event),
        "frame_least_ms": event.t_ms if wire.last_report is None else wire.frame_least_ms,
    }


def is_behind_frame(wire: ShownLink, event: Event) -> bool:
    """A report repeats the one before so soon after a frame that it may have been sent before."""
    frame_ms = wire.last_frame_ms
    is_again = event["slave_offset"] == wire.last_report
    return is_again and frame_ms is not None and event.t_ms - frame_ms <= LATE_MS


def check_heartbeat(view: View, slave: int) -> View:
    """The master beats only when it has sent nothing for its heartbeat interval (R-HA-12)."""
    wire = view.wires[slave]
    if wire.last_frame_ms is None:
        return view
    elapsed_ms = view.now_ms - wire.frame_least_ms
    return check_timer(view, "heartbeat", elapsed_ms, slave=slave)


def check_target_down(view: View, event: Event) -> View:
    """The proxy could not reach the master: its process does not run, or it is ending."""
    view.plan.find_slave_of_link(event)
    master = view.master
    is_running = view.is_up(MASTER) and master.is_started
    is_settled = view.now_ms - master.started_ms > SLACK_MS
    if is_running and is_settled and not view.is_stopping(MASTER):
        raise Blocked("the master runs, so its port can be reached")
    return view
