"""Puts are appended in the order of the places that they got in the log, each after its call."""

from __future__ import annotations

from attrs import evolve

from reference.put import has_disk_wait, has_slave_wait
from reference.rule import replace_at
from reference.state import NOT_SENT, WAITS_FOR_DISK, WAITS_FOR_SLAVE_CHECK
from reference.trace.clock import SKEW_MS
from reference.trace.log_demands import note_growth
from reference.trace.plan import MASTER, Put
from reference.trace.state import Blocked, Explanation, check, fire, try_fire


def find_next_put(explanation: Explanation) -> Put | None:
    """The put that is appended next."""
    for put, message in zip(explanation.plan.puts, explanation.cluster.messages, strict=True):
        if message.phase == NOT_SENT:
            return put
    return None


def append_next_put(explanation: Explanation) -> Explanation:
    """The next put gets its place in the master's log; it must have been called by now."""
    put = find_next_put(explanation)
    if put is None:
        raise Blocked(
            f"the master's log ends at {explanation.log.max_offset}, and no recorded put is left "
            "that could make it longer"
        )
    skew_ms = 0.0 if explanation.is_at_master else SKEW_MS
    if put.begin_ms > explanation.now_ms + skew_ms:
        raise Blocked(
            f"the bytes from {explanation.log.max_offset} on belong to the put of seq {put.seq}, "
            f"which was called only at {put.begin_ms} ms",
            f"append_message[{put.number}]",
        )
    appended = fire(
        explanation,
        "append_message",
        put.number,
        size_bytes=put.size_bytes,
        waits_for_store=int(put.waits_for_store),
    )
    start = appended.cluster.messages[put.number].start_offset
    appended = check(appended, f"wrote_offset of the put of seq {put.seq}", start, put.start_offset)
    grown = note_growth(appended, MASTER)
    return advance_put(note_push2(grown, put.number, grown.push2_before_append), put)


def demand_max_at_least(explanation: Explanation, offset: int) -> Explanation:
    """The master's log goes so far at least."""
    while explanation.log.max_offset < offset:
        explanation = append_next_put(explanation)
    return explanation


def demand_max(explanation: Explanation, offset: int) -> Explanation:
    """The master's max offset is exactly this: the end of a put."""
    explanation = demand_max_at_least(explanation, offset)
    explanation = check(explanation, "max_offset", explanation.log.max_offset, offset)
    # Every put that is not appended by now will find at least this push2 (see `count_rises`).
    push2 = explanation.cluster.master.push2_slave_max_offset
    return evolve(explanation, push2_before_append=push2)


def advance_put(explanation: Explanation, put: Put) -> Explanation:
    """What follows an append at once, as far as it is possible in this state.

    The check for a slave comes right after the append, not at the put's end some seconds later,
    when the connection may be gone. What is not possible yet is demanded at the end.
    """
    message = explanation.cluster.messages[put.number]
    if message.phase == WAITS_FOR_DISK and not has_disk_wait(explanation.cluster, message):
        explanation = fire(explanation, "answer_disk_wait", put.number)
        message = explanation.cluster.messages[put.number]
    is_checked = has_slave_wait(explanation.cluster, message)
    if message.phase == WAITS_FOR_SLAVE_CHECK and is_checked:
        is_refused = put.status == "SLAVE_NOT_AVAILABLE"
        rule = "refuse_slave_wait" if is_refused else "request_slave_wait"
        explanation = try_fire(explanation, rule, put.number)
    return explanation


def note_push2(explanation: Explanation, number: int, push2: int) -> Explanation:
    """A put will be appended, or has just been, at this ``push2SlaveMaxOffset`` or a higher one."""
    highest = max(push2, explanation.push2_at_append[number])
    known = replace_at(explanation.push2_at_append, number, highest)
    return evolve(explanation, push2_at_append=known)
