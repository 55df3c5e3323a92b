"""What the end of a put demands: that it was answered with this status, after this time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.recordings.capped_reports import read_next_report
from reference.recordings.clock import (
    GRAIN_MS,
    JITTER_MS,
    TRANSFER_WAIT_MS,
    UNDER_WAY_MS,
    compute_put_extra_ms,
)
from reference.recordings.link_demands import read_until_reported
from reference.recordings.log_demands import flush_to
from reference.recordings.plan import MASTER
from reference.recordings.put_order import append_next_put, find_slot, get_message
from reference.recordings.puts_ahead import Put
from reference.recordings.reports import (
    accept_connection,
    drop_connection,
    find_waiting_connection,
    is_timed_out,
    list_line,
)
from reference.recordings.state import Blocked, Explanation, check, check_timer, fire, get_timers
from reference.recordings.waiting_line import check_turn
from reference.worlds.replication.changes import answered_in_line, wait_until_deadline
from reference.worlds.replication.mapped_files import is_flush_file_there
from reference.worlds.replication.put import (
    DISK_FLUSHES_MAX,
    TRANSFER_WAKE_UPS_MAX,
    compute_phase_after_disk,
    has_disk_wait,
    has_slave_wait,
    is_flushed,
    is_slave_ok,
)
from reference.worlds.replication.state import (
    ANSWERED,
    STATUS_NAMES,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE,
    WAITS_FOR_SLAVE_CHECK,
)


def demand_answer(explanation: Explanation, put: Put) -> Explanation:
    """The put is answered, with exactly this status.

    Which step comes first, that at the disk or that at the slaves, its phase tells (V-10).
    """
    if put.status not in ANSWERS:
        raise Blocked(f"put_status is {put.status!r}, which no put gets that was appended")
    while find_slot(explanation, put) is None:
        explanation = append_next_put(explanation)
    while get_message(explanation, put).phase != ANSWERED:
        is_at_disk = get_message(explanation, put).phase == WAITS_FOR_DISK
        finish = finish_disk_step if is_at_disk else ANSWERS[put.status]
        explanation = finish(explanation, put)
    status = STATUS_NAMES[get_message(explanation, put).status]
    explanation = check(explanation, "put_status", status, put.status)
    return check_duration(explanation, put)


def finish_disk_step(explanation: Explanation, put: Put) -> Explanation:
    """The wait for the disk is over (CommitLog#handleDiskFlush).

    Where the slave step overrides the status, nobody can tell how the disk step ended; a flush is
    always possible, so it is taken to have ended well.
    """
    message = get_message(explanation, put)
    slot = explanation.followed.index(put.number)
    if put.status == "FLUSH_DISK_TIMEOUT":
        return give_up_disk(explanation, put, slot)
    if has_disk_wait(explanation.cluster, message) and not is_flushed(explanation.cluster, message):
        explanation = flush_to(explanation, MASTER, put.end_offset)
    return fire(explanation, "answer_disk_wait", slot)


def give_up_disk(explanation: Explanation, put: Put, slot: int) -> Explanation:
    """FLUSH_DISK_TIMEOUT: after the full time, or after two flushes, one file each (R-FL-04).

    Two flushes that find no file (R-CL-09) are the same as a time-out that takes no time.
    """
    timeout_ms = get_timers(explanation).sync_flush_timeout_ms
    if put.duration_ms + GRAIN_MS >= timeout_ms:
        return fire(explanation, "time_out_disk_wait", slot)
    if not is_flush_file_there(explanation.cluster.master.log):
        return fire(explanation, "time_out_disk_wait", slot)
    if not has_disk_wait(explanation.cluster, explanation.cluster.messages[slot]):
        return fire(explanation, "time_out_disk_wait", slot)  # It tells why this cannot be.
    while explanation.cluster.messages[slot].disk_flushes < DISK_FLUSHES_MAX:
        explanation = fire(explanation, "flush_for_put", slot)
    return fire(explanation, "give_up_disk_wait", slot)


def is_before_slave_check(explanation: Explanation, put: Put) -> bool:
    """The put has not looked for a slave yet; it does so after its disk step, or at once (V-10)."""
    phase = get_message(explanation, put).phase
    is_disk_first = compute_phase_after_disk(explanation.cluster) == WAITS_FOR_SLAVE_CHECK
    return phase == WAITS_FOR_SLAVE_CHECK or (phase == WAITS_FOR_DISK and is_disk_first)


def request_slave(explanation: Explanation, put: Put) -> Explanation:
    """The put has found a slave that is close enough, and waits for it."""
    if get_message(explanation, put).phase != WAITS_FOR_SLAVE_CHECK:
        return explanation
    slave = find_waiting_connection(explanation)
    if slave is not None and explanation.cluster.master.connection_count == 0:
        explanation = accept_connection(explanation, slave)
    limit = explanation.cluster.parameters.ha_slave_fallbehind_max_bytes
    explanation = read_until_reported(explanation, put.end_offset - limit + 1)
    return fire(explanation, "request_slave_wait", explanation.followed.index(put.number))


def answer_by_disk_step(explanation: Explanation, put: Put) -> Explanation:
    """PUT_OK or FLUSH_DISK_TIMEOUT: the slave step found nothing to complain about."""
    slot = explanation.followed.index(put.number)
    message = explanation.cluster.messages[slot]
    is_before = message.phase == WAITS_FOR_SLAVE_CHECK
    if is_before and not has_slave_wait(explanation.cluster, message):
        return fire(explanation, "skip_slave_wait", slot)
    explanation = request_slave(explanation, put)
    if explanation.plan.version.has(answered_in_line.VARIANT):
        # Who has timed out in front of it did so before the report was read.
        explanation = answer_those_before(explanation, put)
    explanation = read_until_reported(explanation, put.end_offset)
    explanation = answer_those_before(explanation, put)
    return fire(explanation, "answer_slave_wait", slot)


def answer_those_before(explanation: Explanation, put: Put) -> Explanation:
    """Requests are served one by one (R-HA-22): whoever waits in front has its answer by now."""
    turn = get_message(explanation, put).transfer_turn
    puts = explanation.plan.puts
    # Where nothing but the line answers, its answers come in order, though some are noted late.
    is_in_line = explanation.plan.version.has(answered_in_line.VARIANT)
    late_ms = UNDER_WAY_MS if is_in_line else JITTER_MS
    by_end = sorted(explanation.followed, key=lambda number: puts[number].end_ms)
    for number in list_line(explanation) if is_in_line else by_end:
        slot = explanation.followed.index(number)
        message = explanation.cluster.messages[slot]
        if message.phase != WAITS_FOR_SLAVE or message.transfer_turn >= turn:
            continue
        other = puts[number]
        if other.status in ("PUT_OK", "FLUSH_DISK_TIMEOUT"):
            if is_in_line:
                explanation = read_until_reported(explanation, other.end_offset)
            explanation = fire(explanation, "answer_slave_wait", slot)
        elif other.end_ms <= explanation.now_ms + late_ms:
            explanation = answer_slave_time_out(explanation, other)
    return explanation


def answer_slave_time_out(explanation: Explanation, put: Put) -> Explanation:
    """FLUSH_SLAVE_TIMEOUT: a clock ended the put's wait, or its wake-ups were used up.

    Whose clock, and who else must be served before, the version tells; so does the time that it
    takes, see `check_duration`.
    """
    explanation = request_slave(explanation, put)
    version, timers = explanation.plan.version, get_timers(explanation)
    if version.has(answered_in_line.VARIANT):
        explanation = answer_those_before(explanation, put)
    slot = explanation.followed.index(put.number)
    is_by_clock_only = version.has(wait_until_deadline.VARIANT)
    if is_by_clock_only or put.duration_ms + GRAIN_MS >= timers.slave_wait_ms:
        return fire(explanation, "time_out_slave_wait", slot)
    explanation = wake_up_in_vain(explanation, put)
    if explanation.cluster.messages[slot].phase == ANSWERED:
        return explanation
    return fire(explanation, "give_up_slave_wait", slot)


def wake_up_in_vain(explanation: Explanation, put: Put) -> Explanation:
    """The group transfer wakes up for the put until its five times are used up.

    Each rise of ``push2SlaveMaxOffset`` is one, each second another, and one may be left from
    before the wait, when nobody waited for the notification (R-HA-21).
    """
    slot = explanation.followed.index(put.number)
    seconds = int((put.duration_ms + GRAIN_MS) // TRANSFER_WAIT_MS)
    left = seconds + explanation.has_read_report
    while explanation.cluster.messages[slot].wake_ups < TRANSFER_WAKE_UPS_MAX:
        slave = _find_report_below(explanation, min(put.end_offset, put.push2_after + 1))
        if slave is not None:
            explanation = read_next_report(explanation, slave)
        elif left:
            explanation = fire(explanation, "wait_one_second", slot)
            left -= 1
        else:
            break
        if explanation.cluster.messages[slot].phase == ANSWERED:
            break
    return explanation


def _find_report_below(explanation: Explanation, offset: int) -> int | None:
    """The connection whose next report comes first and does not reach this offset."""
    heads = [
        (wire.unread[0].t_ms, slave)
        for slave, wire in enumerate(explanation.wires)
        if wire.unread and wire.unread[0].offset < offset
    ]
    return min(heads)[1] if heads else None


def answer_slave_not_available(explanation: Explanation, put: Put) -> Explanation:
    """SLAVE_NOT_AVAILABLE: no connection, or every report too far behind, at the time of asking."""
    slot = explanation.followed.index(put.number)
    message = explanation.cluster.messages[slot]
    while is_slave_ok(explanation.cluster, message) and explanation.dead:
        explanation = drop_connection(explanation)
    return fire(explanation, "refuse_slave_wait", slot)


ANSWERS: Mapping[str, Callable[[Explanation, Put], Explanation]] = {
    "PUT_OK": answer_by_disk_step,
    "FLUSH_DISK_TIMEOUT": answer_by_disk_step,
    "FLUSH_SLAVE_TIMEOUT": answer_slave_time_out,
    "SLAVE_NOT_AVAILABLE": answer_slave_not_available,
}
"""How a put that was appended comes to its answer, by ``put_status``."""


def check_duration(explanation: Explanation, put: Put) -> Explanation:
    """The call took as long as its answer says."""
    message = get_message(explanation, put)
    has_wait = has_slave_wait(explanation.cluster, message)
    timers, version = get_timers(explanation), explanation.plan.version
    extra_ms = compute_put_extra_ms(
        timers,
        waits_for_disk=has_disk_wait(explanation.cluster, message),
        waits_for_slave=has_wait and put.status != "SLAVE_NOT_AVAILABLE",
    )
    is_worn = put.status == "FLUSH_SLAVE_TIMEOUT" and not is_timed_out(explanation, put)
    is_worn = is_worn and not version.has(wait_until_deadline.VARIANT)
    is_rolled = put.status == "FLUSH_DISK_TIMEOUT"
    if is_worn or is_rolled:
        return check_timer(explanation, "slave_wait", put.duration_ms, extra_ms=extra_ms)
    if has_wait:
        explanation = check_turn(explanation, put)
    timer = {
        "PUT_OK": "slave_wait" if has_wait else "no_wait",
        "FLUSH_SLAVE_TIMEOUT": "slave_time_out",
        "SLAVE_NOT_AVAILABLE": "no_wait",
    }[put.status]
    return check_timer(explanation, timer, put.duration_ms, extra_ms=extra_ms)
