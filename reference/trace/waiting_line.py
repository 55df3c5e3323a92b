"""How long a put's wait for a slave lasts, where the group transfer alone ends it.

From 4.9.1 on a put has no clock of its own. ``GroupTransferService#doWaitTransfer`` serves the puts
one after another. It waits a second at a time, or until a report raises ``push2SlaveMaxOffset``,
and looks at the put's deadline only in between (V-11; recordings of 4.9.8, findings 5 and 6). So a
``slaveTimeout`` of 500 ms takes 1000 ms (v498_d2_fallbehind_exact seq 33), and who is next in the
line has waited as long before its turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference.trace.clock import GRAIN_MS, JITTER_MS, SLACK_MS, TRANSFER_WAIT_MS, UNDER_WAY_MS
from reference.trace.puts_ahead import Put
from reference.trace.state import Blocked, Explanation, get_timers

SERVED = ("PUT_OK", "FLUSH_SLAVE_TIMEOUT", "FLUSH_DISK_TIMEOUT")
"""The answers of puts that may have stood in the line."""


def check_whole_waits(explanation: Explanation, put: Put, extra_ms: float) -> Explanation:
    """A put that timed out has waited whole seconds since its turn came, but for the last reports.

    Nothing can be said where a report has come in between, or where a put that the recording leaves
    out may have stood in front of it.
    """
    is_woken = put.push2_before < put.push2_after
    is_sampled = explanation.process in explanation.plan.sampled_processes
    if is_woken or is_sampled or explanation.cluster.structure.is_sync_flush:
        return explanation
    timeout_ms = get_timers(explanation).slave_wait_ms
    ranges = [_compute_range_ms(wait, timeout_ms) for wait in list_waits_ms(explanation, put)]
    if any(low <= put.duration_ms <= high + extra_ms for low, high in ranges):
        return explanation.count_check()
    shown = " or ".join(f"{low:.0f} to {high + extra_ms:.0f}" for low, high in ranges)
    raise Blocked(
        f"FLUSH_SLAVE_TIMEOUT took {put.duration_ms:.1f} ms, but in whole waits of "
        f"{TRANSFER_WAIT_MS} ms from its turn on it takes {shown} ms (V-11: "
        "GroupTransferService#doWaitTransfer)"
    )


def list_waits_ms(explanation: Explanation, put: Put) -> list[float]:
    """How long a put may have stood in the line before its turn: until an answer of another one.

    It stands behind those that were called, and got their place in the log, clearly before it.
    """
    others = list(_list_before(explanation, put))
    surely = [o.end_ms for o in others if o.begin_ms < put.begin_ms - JITTER_MS]
    latest_ms = max(surely, default=put.begin_ms)
    perhaps = [o.end_ms for o in others if o.end_ms > latest_ms]
    return [max(0.0, end_ms - put.begin_ms) for end_ms in (latest_ms, *perhaps)]


def _list_before(explanation: Explanation, put: Put) -> Iterator[Put]:
    """The puts that were under way with this one and were answered before it, or with it."""
    puts = explanation.plan.puts
    for other in puts:
        is_other = other.process == put.process and other.number != put.number
        is_served = other.waits_for_store and other.status in SERVED
        is_with_it = put.begin_ms < other.end_ms <= put.end_ms + JITTER_MS
        is_near = other.number < put.number or other.begin_ms < put.begin_ms + JITTER_MS
        if is_other and is_served and is_with_it and is_near:
            yield other


def _compute_range_ms(wait_ms: float, timeout_ms: int) -> tuple[float, float]:
    """The least and the longest duration of a put whose turn came so late.

    The answer of the put before it may be noted late, by UNDER_WAY_MS at most.
    """
    earliest_ms, latest_ms = max(0.0, wait_ms - UNDER_WAY_MS), wait_ms + JITTER_MS
    least = _count_waits(timeout_ms - latest_ms)
    most = _count_waits(timeout_ms - earliest_ms)
    return (
        max(earliest_ms + least * TRANSFER_WAIT_MS, timeout_ms) - GRAIN_MS,
        latest_ms + most * TRANSFER_WAIT_MS + SLACK_MS,
    )


def _count_waits(left_ms: float) -> int:
    """How many waits begin before a deadline that is so far away."""
    return max(0, -int(-left_ms // TRANSFER_WAIT_MS))
