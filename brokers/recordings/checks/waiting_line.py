"""The line of the group transfer: how often it wakes up for a put, and how long a put stands there.

Until 4.6.0 ``GroupTransferService#doWaitTransfer`` gives a put up after five wake-ups (R-HA-20).

From 4.7.0 on a put has no clock of its own: it is answered when its turn has come. The service
waits a second at a time, or until a report raises ``push2SlaveMaxOffset``, and looks at the put's
deadline only in between (V-11; recordings of 4.9.8, findings 5 and 6). So a ``slaveTimeout`` of 500
ms takes 1000 ms (v498_d2_fallbehind_exact seq 33), and waits in the line add up. Until 4.9.2 the
put's time begins in its turn (queued_puts_471 seq 125); 4.7.0 answers one that is older with a
time-out all the same (queued_puts_470 seq 127).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.clock import (
    FOREVER_MS,
    GRAIN_MS,
    JITTER_MS,
    SLACK_MS,
    TRANSFER_WAIT_MS,
    TRANSFER_WAITS,
    UNDER_WAY_MS,
)
from brokers.recordings.view import Blocked, View, get_timers
from reference.releases.timing_differences import FINE_WAITS, TIMED_FROM_ITS_TURN
from reference.worlds.replication.changes import (
    answered_in_line,
    late_reports_time_out,
    wait_until_deadline,
)

SERVED = ("PUT_OK", "FLUSH_SLAVE_TIMEOUT", "FLUSH_DISK_TIMEOUT")
"""The answers of puts that may have stood in the line."""

HALF_A_WAIT_MS = TRANSFER_WAIT_MS / 2
"""What takes longer than this beyond whole waits is not the host's doing, but one wait more."""


def check_turn(view: View, put: RecordedPut) -> View:
    """A put that has waited for a slave was answered as the group transfer of its version does."""
    if put.status not in ("PUT_OK", "FLUSH_SLAVE_TIMEOUT"):
        return view
    version = view.plan.version
    if view.process in view.plan.sampled_processes:
        return view  # Puts without a line may have stood before it.
    if put.status == "PUT_OK" and not version.has(wait_until_deadline.VARIANT):
        return check_wakes_left(view, put)
    is_in_line = version.has(answered_in_line.VARIANT)
    if not is_in_line or view.cluster.structure.is_sync_flush:
        return view  # With SYNC_FLUSH its end may be that of its disk step.
    if put.status == "PUT_OK":
        view = check_answered_soon(view, put)
    return view if version.has(FINE_WAITS) else check_whole_waits(view, put)


def check_answered_soon(view: View, put: RecordedPut) -> View:
    """A put is answered PUT_OK soon after its turn has come and a report covers it (V-11)."""
    known = [(put.begin_ms, put.push2_before), *list_reports(view, put)]
    covering = [t_ms for t_ms, offset in known if offset >= put.end_offset]
    if not covering:
        return view
    turn_ms = put.begin_ms + max(list_waits_ms(view, put))
    late_ms = put.begin_ms + put.duration_ms - max(turn_ms, covering[0])
    if late_ms > SLACK_MS:
        raise Blocked(
            f"PUT_OK came {late_ms:.0f} ms after the put's turn and the report that covers it "
            "(V-11: GroupTransferService#doWaitTransfer)"
        )
    return view


def check_whole_waits(view: View, put: RecordedPut) -> View:
    """A put that timed out has waited whole seconds since its turn came, one that did not no more.

    A report that does not cover the put begins its wait of a second anew.
    """
    version, timeout_ms = view.plan.version, get_timers(view).slave_wait_ms
    is_from_turn = version.has(TIMED_FROM_ITS_TURN)
    ranges = [
        _compute_range_ms(wait, timeout_ms + wait * is_from_turn, is_woken=is_woken)
        for is_woken in list_woken(view, put)
        for wait in list_waits_ms(view, put)
    ]
    if put.status == "PUT_OK":
        latest_ms = timeout_ms if version.has(late_reports_time_out.VARIANT) else FOREVER_MS
        ranges = [(0.0, min(high, latest_ms + GRAIN_MS)) for _, high in ranges]
    elif version.has(late_reports_time_out.VARIANT):
        ranges = [(timeout_ms - GRAIN_MS, high) for _, high in ranges]
    if any(low <= put.duration_ms <= high for low, high in ranges):
        return view
    shown = " or ".join(f"{low:.0f} to {high:.0f}" for low, high in ranges)
    raise Blocked(
        f"{put.status} took {put.duration_ms:.1f} ms, but in whole waits of {TRANSFER_WAIT_MS} ms "
        f"from its turn on it takes {shown} ms (V-11: GroupTransferService#doWaitTransfer)"
    )


def list_woken(view: View, put: RecordedPut) -> tuple[bool, ...]:
    """Whether a report came while the put was under way, more than all before it, and too little.

    Either may be so where nobody has looked at the master, and one came that was perhaps no more.
    """
    if put.push2_after is not None and put.status == "FLUSH_SLAVE_TIMEOUT":
        return (put.push2_before < put.push2_after,)
    reports = list_reports(view, put)
    is_raised = any(put.push2_before < offset < put.end_offset for _, offset in reports)
    if put.push2_after is not None:
        return (is_raised,)
    is_hidden = any(link.is_traffic_hidden for link in view.plan.links)
    return (False, True) if is_raised or is_hidden else (False,)


def check_wakes_left(view: View, put: RecordedPut) -> View:
    """A put that was answered PUT_OK by a report has not been woken up five times before (R-HA-20).

    Wake-ups that follow each other closely count once. Where they are further apart than any thread
    waits for the processor, each of them counts: so 4.4.0 answers FLUSH_SLAVE_TIMEOUT to a message
    of 500 kB over a slow link, and 4.6.0 answers PUT_OK (recordings of 4.9.8, finding 7).
    """
    served_ms = put.begin_ms + max(list_waits_ms(view, put))
    woken, last_ms = 0, served_ms
    for t_ms, offset in list_reports(view, put):
        is_part = put.start_offset < offset < put.end_offset
        if is_part and t_ms - last_ms >= UNDER_WAY_MS:
            woken, last_ms = woken + 1, t_ms
    if woken > TRANSFER_WAITS:
        raise Blocked(
            f"put_status is 'PUT_OK' after {woken} wake-ups of the group transfer, which gives a "
            f"put up after {TRANSFER_WAITS} (R-HA-20: GroupTransferService#doWaitTransfer)"
        )
    return view


def list_reports(view: View, put: RecordedPut) -> list[tuple[float, int]]:
    """When which reports came while a put was under way."""
    found: list[tuple[float, int]] = []
    for link in view.plan.links:
        times_ms, values = link.reports.times_ms, link.reports.values
        first = bisect_left(times_ms, put.begin_ms - JITTER_MS)
        last = bisect_right(times_ms, put.end_ms)
        found += zip(times_ms[first:last], values[first:last], strict=True)
    return sorted(found)


def list_waits_ms(view: View, put: RecordedPut) -> list[float]:
    """How long a put may have stood in the line before its turn: until an answer of another one.

    It stands behind those that were called, and got their place in the log, clearly before it.
    """
    others = list(_list_before(view, put))
    surely = [
        other.end_ms
        for other in others
        if other.number < put.number and other.begin_ms < put.begin_ms - JITTER_MS
    ]
    latest_ms = max(surely, default=put.begin_ms)
    perhaps = [o.end_ms for o in others if o.end_ms > latest_ms]
    return [max(0.0, end_ms - put.begin_ms) for end_ms in (latest_ms, *perhaps)]


def _list_before(view: View, put: RecordedPut) -> Iterator[RecordedPut]:
    """The puts that were under way with this one and were answered before it, or with it.

    Behind one that waits long many others may come and go. Of those with a later place only such
    count as were called with this one, and no more are under way at a time than the model follows.
    """
    behind = view.plan.puts[put.number + 1 : put.number + len(view.cluster.messages)]
    for other in (*view.plan.under_way[put.number], *behind):
        is_other = other.process == put.process
        is_served = other.waits_for_store and other.status in SERVED
        is_with_it = put.begin_ms < other.end_ms <= put.end_ms + UNDER_WAY_MS
        is_near = other.number < put.number or other.begin_ms < put.begin_ms + JITTER_MS
        if is_other and is_served and is_with_it and is_near:
            yield other


def _compute_range_ms(wait_ms: float, timeout_ms: float, *, is_woken: bool) -> tuple[float, float]:
    """The least and the longest duration of a put whose turn came so late.

    The answer of the put before it may be noted late, by UNDER_WAY_MS at most.
    """
    earliest_ms, latest_ms = max(0.0, wait_ms - UNDER_WAY_MS), wait_ms + JITTER_MS
    if is_woken:
        longest_ms = max(latest_ms, timeout_ms + TRANSFER_WAIT_MS)
        return max(earliest_ms, timeout_ms) - GRAIN_MS, longest_ms + HALF_A_WAIT_MS
    least = _count_waits(timeout_ms - latest_ms)
    most = _count_waits(timeout_ms - earliest_ms)
    return (
        max(earliest_ms + least * TRANSFER_WAIT_MS, timeout_ms) - GRAIN_MS,
        latest_ms + most * TRANSFER_WAIT_MS + HALF_A_WAIT_MS,
    )


def _count_waits(left_ms: float) -> int:
    """How many waits begin before a deadline that is so far away."""
    return max(0, -int(-left_ms // TRANSFER_WAIT_MS))
