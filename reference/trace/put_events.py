"""The two halves of a ``put`` line: what its producer saw before the call, and the answer."""

from __future__ import annotations

from reference.trace.clock import JITTER_MS, SLACK_MS
from reference.trace.link_demands import demand_connection_count, demand_push2
from reference.trace.plan import MASTER
from reference.trace.put_demands import demand_answer
from reference.trace.put_order import demand_max, note_push2
from reference.trace.reading import Event
from reference.trace.state import Blocked, Explanation, check

MESSAGE_HEAD_BYTES = 91
"""What a stored message has beside body, topic and properties (CommitLog#calMsgLength)."""

PROPERTIES_MAX_BYTES = 32767
"""The longest properties (R-CL-01); a recording does not show them."""


def begin_put(explanation: Explanation, event: Event) -> Explanation:
    """A producer calls; it has looked at the master just before."""
    if explanation.plan.find_node(event) != MASTER:
        return explanation
    explanation = demand_push2(explanation, event["push2_slave_before"])
    explanation = demand_connection_count(explanation, event["connection_count_before"])
    put = explanation.plan.put_by_seq.get(event.seq)
    if put is None:
        return explanation
    push2 = explanation.cluster.master.push2_slave_max_offset
    return note_push2(explanation, put.number, push2)


def explain_put(explanation: Explanation, event: Event) -> Explanation:
    """A put returns: how it was answered, and what its producer sees right after it."""
    node = explanation.plan.find_node(event)
    explanation = _check_duration(explanation, event)
    put = explanation.plan.put_by_seq.get(event.seq)
    if put is None or node != MASTER:
        explanation = _explain_refused_put(explanation, event, node)
    else:
        explanation = _check_size(explanation, event)
        explanation = demand_answer(explanation, put)
    if node != MASTER:
        return _check_slave_view(explanation, event, node)
    explanation = demand_push2(explanation, event["push2_slave_after"])
    explanation = demand_connection_count(explanation, event["connection_count_after"])
    return demand_max(explanation, event["max_offset_after"])


def _check_slave_view(explanation: Explanation, event: Event, slave: int) -> Explanation:
    """A slave has an HAService of its own, to which nobody connects (R-HA-01)."""
    for name in (
        "push2_slave_before",
        "push2_slave_after",
        "connection_count_before",
        "connection_count_after",
    ):
        explanation = check(explanation, name, 0, event[name])
    highest = explanation.get_log(slave).max_offset
    return check(explanation, "max_offset_after", highest, event["max_offset_after"])


def _check_duration(explanation: Explanation, event: Event) -> Explanation:
    elapsed_ms = event.t_ms - event["t_begin_ms"]
    shortest_ms, longest_ms = elapsed_ms - SLACK_MS, elapsed_ms + JITTER_MS
    if not max(0.0, shortest_ms) <= event["duration_ms"] <= longest_ms:
        raise Blocked(
            f"duration_ms is {event['duration_ms']}, but {elapsed_ms:.2f} ms lie between "
            "t_begin_ms and t_ms"
        )
    return explanation.count_check()


def _check_size(explanation: Explanation, event: Event) -> Explanation:
    lowest = _compute_size_min_bytes(event)
    if not lowest <= event["wrote_bytes"] <= lowest + PROPERTIES_MAX_BYTES:
        raise Blocked(f"wrote_bytes is {event['wrote_bytes']}, but needs {lowest} at least")
    return explanation.count_check(2)  # With append_status, which decides that it was appended.


def _compute_size_min_bytes(event: Event) -> int:
    return int(MESSAGE_HEAD_BYTES + event["body_bytes"] + len(event["topic"].encode()))


def _explain_refused_put(explanation: Explanation, event: Event, node: int) -> Explanation:
    """A put that was refused before anything was written (R-CL-01, R-CL-04)."""
    status = event["put_status"]
    for name in ("wrote_offset", "wrote_bytes"):
        explanation = check(explanation, name, 0, event.data.get(name, 0))
    limit = explanation.cluster.parameters.message_size_max_bytes
    highest = _compute_size_min_bytes(event) + PROPERTIES_MAX_BYTES
    broker = explanation.get_broker(node)
    is_closed = node != MASTER or broker.is_stopping or not broker.is_started
    if status == "SERVICE_NOT_AVAILABLE" and is_closed:
        return explanation.count_check()
    if status == "MESSAGE_ILLEGAL" and highest > limit and node == MASTER:
        return explanation.count_check()
    raise Blocked(f"put_status is {status!r} without an append, and nothing explains that")
