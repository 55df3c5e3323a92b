"""What a put shows of itself, and a message that is sent through a whole broker."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from brokers.recordings.ahead.plan import MASTER, compute_message_margin_bytes
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES, RecordedPut
from brokers.recordings.clock import JITTER_MS, SLACK_MS
from brokers.recordings.kinds import SEEN_FROM_INSIDE
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View, check, check_timer
from reference.decisions.sending import send_processor

PROPERTIES_MAX_BYTES = 32767
"""The longest properties (R-CL-01); a recording does not show them."""

NO_FILE = "CREATE_MAPEDFILE_FAILED"
"""The answer to a put whose next file could not be created (R-CL-04)."""

RESPONSES: Mapping[str, tuple[int, str]] = {
    status: (code.value, code.name)
    for status, code in send_processor.RESPONSES.items()
    if code in send_processor.STORED or code is send_processor.SendCode.SERVICE_NOT_AVAILABLE
}
"""Response code and its name by ``PutMessageStatus`` (R-CL-19)."""


def check_slave_view(view: View, event: Event, slave: int) -> View:
    """A slave has an HAService of its own, to which nobody connects (R-HA-01)."""
    for name in SEEN_FROM_INSIDE:
        wanted = view.get_log(slave).max_offset if name == "max_offset_after" else 0
        if name in event.data:
            view = check(view, name, wanted, event[name])
    return view


def check_own_duration(view: View, event: Event) -> View:
    """How long a put took is what its begin and its end tell."""
    elapsed_ms = event.t_ms - event["t_begin_ms"]
    shortest_ms, longest_ms = elapsed_ms - SLACK_MS, elapsed_ms + JITTER_MS
    if not max(0.0, shortest_ms) <= event["duration_ms"] <= longest_ms:
        raise Blocked(
            f"duration_ms is {event['duration_ms']}, but {elapsed_ms:.2f} ms lie between "
            "t_begin_ms and t_ms"
        )
    return view


def check_size(view: View, event: Event) -> View:
    """A message has room for what it consists of, and is not larger than the master takes."""
    lowest = _compute_size_min_bytes(event)
    if not lowest <= event["wrote_bytes"] <= lowest + PROPERTIES_MAX_BYTES:
        raise Blocked(f"wrote_bytes is {event['wrote_bytes']}, but needs {lowest} at least")
    limit = view.cluster.parameters.message_size_max_bytes
    if event["wrote_bytes"] > limit:
        raise Blocked(f"wrote_bytes is {event['wrote_bytes']}, more than maxMessageSize {limit}")
    body_limit = limit - compute_message_margin_bytes(view.plan.version)
    if event["body_bytes"] > body_limit:
        raise Blocked(f"body_bytes is {event['body_bytes']}, more than maxMessageSize {body_limit}")
    return view  # With append_status, which decides that it was appended.


def _compute_size_min_bytes(event: Event) -> int:
    topic = event["topic"].encode("utf-8", "surrogatepass")
    return int(MESSAGE_HEAD_BYTES + event["body_bytes"] + len(topic))


def check_blank_put(view: View, blank: RecordedPut) -> View:
    """A put that has left a blank says so, and has waited for its file no longer than it may."""
    if blank.status != NO_FILE:
        raise Blocked(f"put_status is {blank.status!r}, but its append has left a blank alone")
    return check_timer(view, "file_wait", blank.duration_ms)


def check_refused_put(view: View, event: Event, node: int) -> View:
    """A put that was refused before anything was written (R-CL-01, R-CL-04)."""
    status = event["put_status"]
    for name in ("wrote_offset", "wrote_bytes", "queue_offset"):
        view = check(view, name, 0, event.data.get(name, 0))
    is_closed = node != MASTER or view.is_stopping(node) or not view.is_up(node)
    is_too_large = status == "MESSAGE_ILLEGAL" and is_too_large_put(view, event)
    is_too_large = is_too_large and node == MASTER
    if status == NO_FILE and not is_closed:
        return check_timer(view, "file_wait", event["duration_ms"])
    if not is_too_large and not (status == "SERVICE_NOT_AVAILABLE" and is_closed):
        raise Blocked(f"put_status is {status!r} without an append, and nothing explains that")
    return view


def is_too_large_put(view: View, event: Event) -> bool:
    """A message of this body may be larger than the master takes; its properties are not shown.

    From 4.9.4 on a body has a limit of its own; its message may have 64 kB more, in which any
    properties find room (recordings of 4.9.8, finding 14).
    """
    limit = view.cluster.parameters.message_size_max_bytes
    margin = compute_message_margin_bytes(view.plan.version)
    if margin:
        return bool(event["body_bytes"] > limit - margin)
    return _compute_size_min_bytes(event) + PROPERTIES_MAX_BYTES > limit


def check_send(view: View, event: Event) -> View:
    """A message sent through a whole broker: its response code tells the status (R-CL-19)."""
    node = view.plan.find_node(event)
    codes = {response: status for status, response in RESPONSES.items()}
    status = codes.get((event["response_code"], event["response"]))
    if status is None:
        raise Blocked(
            f"response_code {event['response_code']} {event['response']!r} stands for no put status"
        )
    is_closed = node != MASTER or view.is_stopping(node)
    if (status == "SERVICE_NOT_AVAILABLE") != is_closed:
        raise Blocked(f"response {event['response']!r} does not fit the broker that gives it")
    if node != MASTER:
        return view
    if not view.is_up(MASTER) or not view.master.is_started:
        raise Blocked("the master does not run")
    return _check_hidden_answer(view, event, status)


def _check_hidden_answer(view: View, event: Event, status: str) -> View:
    """Whether a master of this role may give this answer; its log grows when that is seen.

    The size is not shown. What depends on it, the distance to the slaves, is left open.
    """
    view = evolve(view, sends=view.sends + 1)
    is_waiting = view.cluster.master.is_sync and event["wait_store_ok"]
    is_flushing = view.cluster.structure.is_sync_flush and event["wait_store_ok"]
    possible = {"PUT_OK"}
    if is_waiting:
        possible |= {"SLAVE_NOT_AVAILABLE", "FLUSH_SLAVE_TIMEOUT"}
    if is_flushing:
        possible.add("FLUSH_DISK_TIMEOUT")
    if status not in possible:
        raise Blocked(f"response {event['response']!r} does not fit the master's role")
    return view
