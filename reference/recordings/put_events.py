"""The two halves of a ``put`` line, and messages sent through a whole broker."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from reference.recordings.clock import JITTER_MS, SLACK_MS
from reference.recordings.link_demands import demand_connection_count, demand_push2
from reference.recordings.plan import MASTER, compute_message_margin_bytes
from reference.recordings.put_demands import demand_answer
from reference.recordings.put_order import MESSAGE_HEAD_BYTES, demand_max, find_free_slot, unfollow
from reference.recordings.queues import check_queue_offset
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation, check, fire
from reference.worlds.replication.state import STATUS_NAMES, Message

PROPERTIES_MAX_BYTES = 32767
"""The longest properties (R-CL-01); a recording does not show them."""

RESPONSES: Mapping[str, tuple[int, str]] = {
    "PUT_OK": (0, "SUCCESS"),
    "FLUSH_DISK_TIMEOUT": (10, "FLUSH_DISK_TIMEOUT"),
    "SLAVE_NOT_AVAILABLE": (11, "SLAVE_NOT_AVAILABLE"),
    "FLUSH_SLAVE_TIMEOUT": (12, "FLUSH_SLAVE_TIMEOUT"),
    "SERVICE_NOT_AVAILABLE": (14, "SERVICE_NOT_AVAILABLE"),
}
"""Response code and its name by ``PutMessageStatus`` (R-CL-19)."""


def begin_put(explanation: Explanation, event: Event) -> Explanation:
    """A producer calls; it has looked at the master just before."""
    if explanation.plan.find_node(event) != MASTER:
        return explanation
    explanation = demand_push2(explanation, event["push2_slave_before"])
    return demand_connection_count(explanation, event["connection_count_before"])


def explain_put(explanation: Explanation, event: Event) -> Explanation:
    """A put returns: how it was answered, and what its producer sees right after it."""
    node = explanation.plan.find_node(event)
    explanation = check_own_duration(explanation, event)
    put = explanation.plan.put_by_seq.get(event.seq)
    if put is None or node != MASTER:
        explanation = explain_refused_put(explanation, event, node)
    else:
        explanation = check_size(explanation, event)
        explanation = demand_answer(explanation, put)
    if node != MASTER:
        return check_slave_view(explanation, event, node)
    explanation = demand_push2(explanation, event["push2_slave_after"])
    explanation = demand_connection_count(explanation, event["connection_count_after"])
    explanation = demand_max(explanation, event["max_offset_after"])
    if put is None:
        return explanation
    return unfollow(check_queue_offset(explanation, put), put)


def check_slave_view(explanation: Explanation, event: Event, slave: int) -> Explanation:
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


def check_own_duration(explanation: Explanation, event: Event) -> Explanation:
    """How long a put took is what its begin and its end tell."""
    elapsed_ms = event.t_ms - event["t_begin_ms"]
    shortest_ms, longest_ms = elapsed_ms - SLACK_MS, elapsed_ms + JITTER_MS
    if not max(0.0, shortest_ms) <= event["duration_ms"] <= longest_ms:
        raise Blocked(
            f"duration_ms is {event['duration_ms']}, but {elapsed_ms:.2f} ms lie between "
            "t_begin_ms and t_ms"
        )
    return explanation.count_check()


def check_size(explanation: Explanation, event: Event) -> Explanation:
    """A message has room for what it consists of, and is not larger than the master takes."""
    lowest = _compute_size_min_bytes(event)
    if not lowest <= event["wrote_bytes"] <= lowest + PROPERTIES_MAX_BYTES:
        raise Blocked(f"wrote_bytes is {event['wrote_bytes']}, but needs {lowest} at least")
    limit = explanation.cluster.parameters.message_size_max_bytes
    if event["wrote_bytes"] > limit:
        raise Blocked(f"wrote_bytes is {event['wrote_bytes']}, more than maxMessageSize {limit}")
    body_limit = limit - compute_message_margin_bytes(explanation.plan.version)
    if event["body_bytes"] > body_limit:
        raise Blocked(f"body_bytes is {event['body_bytes']}, more than maxMessageSize {body_limit}")
    return explanation.count_check(2)  # With append_status, which decides that it was appended.


def _compute_size_min_bytes(event: Event) -> int:
    topic = event["topic"].encode("utf-8", "surrogatepass")
    return int(MESSAGE_HEAD_BYTES + event["body_bytes"] + len(topic))


def explain_refused_put(explanation: Explanation, event: Event, node: int) -> Explanation:
    """A put that was refused before anything was written (R-CL-01, R-CL-04)."""
    status = event["put_status"]
    for name in ("wrote_offset", "wrote_bytes", "queue_offset"):
        explanation = check(explanation, name, 0, event.data.get(name, 0))
    is_closed = node != MASTER or explanation.is_stopping(node) or not explanation.is_up(node)
    is_too_large = status == "MESSAGE_ILLEGAL" and is_too_large_put(explanation, event)
    is_too_large = is_too_large and node == MASTER
    if not is_too_large and not (status == "SERVICE_NOT_AVAILABLE" and is_closed):
        raise Blocked(f"put_status is {status!r} without an append, and nothing explains that")
    if node == MASTER and explanation.is_up(MASTER):
        explanation = _refuse(explanation, status)
    return explanation.count_check()


def is_too_large_put(explanation: Explanation, event: Event) -> bool:
    """A message of this body may be larger than the master takes; its properties are not shown.

    From 4.9.4 on a body has a limit of its own; its message may have 64 kB more, in which any
    properties find room (recordings of 4.9.8, finding 14).
    """
    limit = explanation.cluster.parameters.message_size_max_bytes
    margin = compute_message_margin_bytes(explanation.plan.version)
    if margin:
        return bool(event["body_bytes"] > limit - margin)
    return _compute_size_min_bytes(event) + PROPERTIES_MAX_BYTES > limit


def _refuse(explanation: Explanation, status: str) -> Explanation:
    """The rule for a refused put; its message is not followed any further."""
    slot = find_free_slot(explanation)
    refused = fire(explanation, "refuse_put", slot, status=STATUS_NAMES.index(status))
    messages = refused.cluster.messages
    left = (*messages[:slot], Message(), *messages[slot + 1 :])
    return evolve(refused, cluster=evolve(refused.cluster, messages=left))


def explain_send(explanation: Explanation, event: Event) -> Explanation:
    """A message sent through a whole broker: its response code tells the status (R-CL-19)."""
    node = explanation.plan.find_node(event)
    codes = {response: status for status, response in RESPONSES.items()}
    status = codes.get((event["response_code"], event["response"]))
    if status is None:
        raise Blocked(
            f"response_code {event['response_code']} {event['response']!r} stands for no put status"
        )
    is_closed = node != MASTER or explanation.is_stopping(node)
    if (status == "SERVICE_NOT_AVAILABLE") != is_closed:
        raise Blocked(f"response {event['response']!r} does not fit the broker that gives it")
    explanation = explanation.count_check()
    if node != MASTER:
        return explanation
    if not explanation.is_up(MASTER) or not explanation.master.is_started:
        raise Blocked("the master does not run")
    return _explain_hidden_answer(explanation, event, status)


def _explain_hidden_answer(explanation: Explanation, event: Event, status: str) -> Explanation:
    """Whether a master of this role may give this answer; its log grows when that is seen.

    The size is not shown. What depends on it, the distance to the slaves, is left open.
    """
    explanation = evolve(explanation, sends=explanation.sends + 1)
    is_waiting = explanation.cluster.master.is_sync and event["wait_store_ok"]
    is_flushing = explanation.cluster.structure.is_sync_flush and event["wait_store_ok"]
    possible = {"PUT_OK"}
    if is_waiting:
        possible |= {"SLAVE_NOT_AVAILABLE", "FLUSH_SLAVE_TIMEOUT"}
    if is_flushing:
        possible.add("FLUSH_DISK_TIMEOUT")
    if status not in possible:
        raise Blocked(f"response {event['response']!r} does not fit the master's role")
    return explanation.count_check()
