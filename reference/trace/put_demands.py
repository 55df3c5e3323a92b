"""What the end of a put demands: that it was answered with this status, after this time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.put import has_disk_wait, has_slave_wait, is_slave_ok
from reference.state import (
    ANSWERED,
    NOT_SENT,
    STATUS_NAMES,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE_CHECK,
    Message,
)
from reference.trace.clock import TIMER_RANGES, compute_put_extra_ms, may_wake_ups_end_wait
from reference.trace.link_demands import (
    accept_connection,
    drop_connection,
    find_waiting_connection,
    read_until_reported,
)
from reference.trace.log_demands import demand_flushed_at_least
from reference.trace.plan import Put
from reference.trace.put_order import append_next_put
from reference.trace.state import Blocked, Explanation, check, check_timer, fire


def get_message(explanation: Explanation, put: Put) -> Message:
    """The followed message of a put."""
    return explanation.cluster.messages[put.number]


def demand_answer(explanation: Explanation, put: Put) -> Explanation:
    """The put is answered, with exactly this status."""
    if put.status not in ANSWERS:
        raise Blocked(f"put_status is {put.status!r}, which no put gets that was appended")
    while get_message(explanation, put).phase == NOT_SENT:
        explanation = append_next_put(explanation)
    explanation = finish_disk_step(explanation, put)
    explanation = ANSWERS[put.status](explanation, put)
    status = STATUS_NAMES[get_message(explanation, put).status]
    return check(explanation, "put_status", status, put.status)


def finish_disk_step(explanation: Explanation, put: Put) -> Explanation:
    """The wait for the disk is over (CommitLog#handleDiskFlush).

    Where the slave step overrides the status, nobody can tell how the disk step ended; a flush is
    always possible, so it is taken to have ended well.
    """
    if put.status == "FLUSH_DISK_TIMEOUT":
        explanation = fire(explanation, "time_out_disk_wait", put.number)
        return check_timer(explanation, "disk_time_out", put.duration_ms)
    message = get_message(explanation, put)
    if message.phase != WAITS_FOR_DISK:
        return explanation
    if has_disk_wait(explanation.cluster, message):
        explanation = demand_flushed_at_least(explanation, put.end_offset)
    return fire(explanation, "answer_disk_wait", put.number)


def request_slave(explanation: Explanation, put: Put) -> Explanation:
    """The put has found a slave that is close enough, and waits for it."""
    if get_message(explanation, put).phase != WAITS_FOR_SLAVE_CHECK:
        return explanation
    slave = find_waiting_connection(explanation)
    if slave is not None and explanation.cluster.master.connection_count == 0:
        explanation = accept_connection(explanation, slave)
    limit = explanation.cluster.parameters.ha_slave_fallbehind_max_bytes
    explanation = read_until_reported(explanation, put.end_offset - limit + 1)
    return fire(explanation, "request_slave_wait", put.number)


def answer_by_disk_step(explanation: Explanation, put: Put) -> Explanation:
    """PUT_OK or FLUSH_DISK_TIMEOUT: the slave step found nothing to complain about."""
    extra_ms = _compute_extra_ms(explanation, put)
    if not has_slave_wait(explanation.cluster, get_message(explanation, put)):
        explanation = fire(explanation, "skip_slave_wait", put.number)
        return check_timer(explanation, "no_wait", put.duration_ms, extra_ms)
    explanation = request_slave(explanation, put)
    explanation = read_until_reported(explanation, put.end_offset)
    explanation = fire(explanation, "answer_slave_wait", put.number)
    return check_timer(explanation, "slave_wait", put.duration_ms, extra_ms)


def answer_slave_time_out(explanation: Explanation, put: Put) -> Explanation:
    """FLUSH_SLAVE_TIMEOUT: the wait was as long as it may be, or its wake-ups were used up."""
    explanation = request_slave(explanation, put)
    explanation = fire(explanation, "time_out_slave_wait", put.number)
    lowest_ms = TIMER_RANGES["slave_time_out"](explanation.plan.timers).low_ms
    if put.duration_ms < lowest_ms and may_wake_ups_end_wait(count_rises(explanation, put)):
        return explanation.count_check()
    extra_ms = _compute_extra_ms(explanation, put)
    return check_timer(explanation, "slave_time_out", put.duration_ms, extra_ms)


def answer_slave_not_available(explanation: Explanation, put: Put) -> Explanation:
    """SLAVE_NOT_AVAILABLE: no connection, or every report too far behind, at the time of asking."""
    while (
        is_slave_ok(explanation.cluster, get_message(explanation, put))
        and explanation.dead
        and get_message(explanation, put).phase != ANSWERED
    ):
        explanation = drop_connection(explanation)
    if get_message(explanation, put).phase != ANSWERED:
        explanation = fire(explanation, "refuse_slave_wait", put.number)
    extra_ms = _compute_extra_ms(explanation, put)
    return check_timer(explanation, "no_wait", put.duration_ms, extra_ms)


ANSWERS: Mapping[str, Callable[[Explanation, Put], Explanation]] = {
    "PUT_OK": answer_by_disk_step,
    "FLUSH_DISK_TIMEOUT": answer_by_disk_step,
    "FLUSH_SLAVE_TIMEOUT": answer_slave_time_out,
    "SLAVE_NOT_AVAILABLE": answer_slave_not_available,
}
"""How a put that was appended comes to its answer, by ``put_status``."""


def count_rises(explanation: Explanation, put: Put) -> int:
    """How often ``push2SlaveMaxOffset`` may have risen in vain during a put's wait, at most.

    Each rise wakes the group transfer (R-HA-21); one that reaches the put's end answers it instead.
    """
    lowest = explanation.push2_at_append[put.number]
    return len({o for o in explanation.reports_seen if lowest < o < put.end_offset})


def _compute_extra_ms(explanation: Explanation, put: Put) -> float:
    message = get_message(explanation, put)
    waits = has_disk_wait(explanation.cluster, message)
    return compute_put_extra_ms(explanation.plan.timers, waits_for_disk=waits)
