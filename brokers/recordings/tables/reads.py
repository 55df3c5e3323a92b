"""Reads of a recorded store, explained by the read decision (DefaultMessageStore#getMessage)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.checks.displaced import list_pieces
from brokers.recordings.checks.logs import check_max
from brokers.recordings.checks.places import is_known
from brokers.recordings.checks.queues import check_queue
from brokers.recordings.reading import Event
from brokers.recordings.tables.queues import (
    ENTRIES_MAX,
    ShownQueue,
    compute_log_end,
    get_name,
    get_properties,
    list_deleted,
    list_known,
    make_queue,
    name_queue,
)
from brokers.recordings.tables.read_side import compute_bytes_between
from brokers.recordings.view import Blocked, View, check
from reference.decisions.reading.get_message import GetMessageResult, get_message
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import StoreSettings, change_store
from reference.releases.timing_differences import OVERFLOW_RESETS_TO_MAX
from reference.roles import Role

UNSHOWN = object()
"""A value that no field of an event can have."""


@frozen
class Expected:
    """What an event would show of one answer."""

    fields: Mapping[str, object]
    reasons: Mapping[str, str]
    """By field: the condition that has decided it."""


def check_read(view: View, event: Event) -> View:
    """The store answers a read from its queue and its log, as far as they go now."""
    node = find_running_node(view, event)
    view = check_max(view, node, event["max_offset_py"])
    view = check_ends(view, node, event)
    settings = read_store_settings(view, node)
    view = check_inputs(view, settings, event)
    view, settings = learn_memory(view, node, settings, event)
    if list_pieces(view, node) and not is_known(view, node):
        return view  # Nobody can tell which entries the queue has.
    shown = ShownQueue(
        name_queue(event),
        event["min_offset"],
        event["max_offset"],
        event["offset"],
        event["next_begin_offset"],
        event["bytes"],
    )
    candidates = [
        Expected(
            describe_result(view, node, shown, result, event["max_offset_py"]),
            {"status": result.status_decided_by, "count": result.ended_by},
        )
        for result in find_results(view, node, shown, event["max_msgs"], (settings,))
    ]
    view = learn_sizes(view, node, shown)
    return check_one_of(view, event, candidates)


def find_running_node(view: View, event: Event) -> int:
    """The broker that an event is about; it must run."""
    node = view.plan.find_node(event)
    if not view.is_up(node) or not view.get_broker(node).is_started:
        raise Blocked("this broker does not run")
    return node


def check_ends(view: View, node: int, event: Event) -> View:
    """The ends of the queue are those of the messages dispatched, as far as they are recorded.

    In one process a queue grows at its end only, and loses messages at its begin only. Of bytes
    at a foreign offset it is not always known what they bring about (R-HC-20).
    """
    name, low, high = name_queue(event), event["min_offset"], event["max_offset"]
    broker = view.reads.get_node(event["node"])
    first, least = broker.queues.get(name, (0, 0))
    if high < least:
        raise Blocked(f"max_offset is {high}, but the queue went to {least} before")
    if not first <= low <= max(high, first):
        raise Blocked(f"min_offset is {low}, but the queue goes from {first} to {high}")
    if not view.plan.are_puts_hidden and is_known(view, node):
        view = check_queue(view, node, name, [low, high])
    queues = {**broker.queues, name: (low, high)}
    reads = view.reads.change_node(event["node"], queues=queues)
    return evolve(view, reads=reads)


def get_role(view: View, node: int) -> Role:
    """A broker's role now."""
    if node != MASTER:
        return Role.SLAVE
    return Role.SYNC_MASTER if view.cluster.master.is_sync else Role.ASYNC_MASTER


def read_store_settings(
    view: View, node: int, shown: Mapping[str, Any] | None = None
) -> StoreSettings:
    """The settings of a broker's store; ``shown`` are properties that an event itself tells."""
    is_reset_to_end = view.plan.version.has(OVERFLOW_RESETS_TO_MAX)
    settings = StoreSettings(role=get_role(view, node), is_reset_to_end=is_reset_to_end)
    try:
        return change_store(settings, {**get_properties(view, node), **(shown or {})})
    except ValueError as problem:
        raise Blocked(str(problem)) from problem


def check_inputs(view: View, settings: StoreSettings, event: Event) -> View:
    """What an event repeats of the settings."""
    expected = {
        "role": settings.role.name,
        "offset_check_in_slave": settings.is_offset_checked_in_slave,
    }
    for name, value in expected.items():
        if name in event.data:
            view = check(view, name, value, event[name])
    return view


def learn_memory(
    view: View, node: int, settings: StoreSettings, event: Event
) -> tuple[View, StoreSettings]:
    """The threshold is that of a machine which explains all thresholds of the broker so far.

    One of 0 bytes no machine has but with a ratio of 0, which the configuration may not tell.
    """
    name, threshold = get_name(view, node), event["memory_threshold_bytes"]
    if threshold == 0:
        return view, evolve(settings, memory_ratio=0)
    memory = view.reads.get_node(name).memory.narrow(settings.memory_ratio, threshold)
    if memory is None:
        raise Blocked(
            f"memory_threshold_bytes is {threshold}, which is not {settings.memory_ratio} percent "
            "of any memory that explains the ones before"
        )
    reads = view.reads.change_node(name, memory=memory)
    view = evolve(view, reads=reads)
    return view, evolve(settings, total_memory_bytes=memory.low_bytes)


def find_results(
    view: View,
    node: int,
    shown: ShownQueue,
    max_messages: int,
    settings: Sequence[StoreSettings],
) -> list[GetMessageResult]:
    """What the store may answer, by what the recording leaves open of places and settings."""
    found = []
    skipped = len(list_deleted(view, node, shown.name))
    for each in settings:
        for are_old in (False, True):
            length = max(each.count_max_in_memory, each.count_max_in_disk) + 2 + skipped
            queue = make_queue(view, node, shown, length, are_old=are_old)
            log_max = compute_log_end(view, node, queue)
            log_min = view.get_log(node).start_offset
            read = Read(each, queue, shown.offset, max_messages, log_max, log_min)
            found.append(get_message(read))
    return found


def describe_result(
    view: View, node: int, shown: ShownQueue, result: GetMessageResult, log_max: int
) -> dict[str, object]:
    """The fields of an event that shows this result; what cannot be known is left out."""
    fields: dict[str, object] = {
        "status": result.status.name,
        "next_begin_offset": result.next_begin_offset,
        "count": result.message_count,
        "bytes": result.size_bytes,
        "suggest_pulling_from_slave": result.is_slave_suggested,
    }
    last = result.last_looked_at_offset
    if last is None:
        return {**fields, "msg_ids": [], "max_phy_offset_pulling": UNSHOWN, "diff": UNSHOWN}
    known = list_known(view, node, shown.name)
    taken = [known[o] for o in range(shown.offset, result.next_begin_offset) if o in known]
    if len(taken) == result.message_count:
        fields["msg_ids"] = [put.message_id for put in taken]
        fields["last_returned_phy_offset"] = taken[-1].start_offset if taken else UNSHOWN
    if any(put.start_offset == last for put in known.values()):
        fields["max_phy_offset_pulling"] = last
        fields["diff"] = log_max - last
    return fields


def learn_sizes(view: View, node: int, shown: ShownQueue) -> View:
    """The bytes of the messages found agree with what other reads have shown of the same ones.

    Needed where puts are not recorded, and asked for in the first life of the master's log only:
    later ones may differ from what a slave holds.
    """
    known_puts = list_known(view, node, shown.name)
    are_known = all(o in known_puts for o in range(shown.offset, shown.next_offset)[:ENTRIES_MAX])
    if not shown.size_bytes or are_known or view.cluster.master.ghost_life:
        return view
    spans = view.reads.spans.get(shown.name, ())
    known = compute_bytes_between(spans, shown.offset, shown.next_offset)
    if known is not None:
        view = check(view, "bytes of these messages", known, shown.size_bytes)
    span = (shown.offset, shown.next_offset, shown.size_bytes)
    return evolve(view, reads=view.reads.add_span(shown.name, span))


def check_one_of(view: View, event: Event, candidates: Sequence[Expected]) -> View:
    """All fields of an event are as one of several answers has them; absent ones are not judged."""
    problems = []
    for expected in candidates:
        wrong = [each for each in expected.fields.items() if not is_shown(event, *each)]
        if not wrong:
            return view
        problems.append((expected, *wrong[0]))
    expected, name, value = problems[0]
    if value is UNSHOWN:
        raise Blocked(f"{name} is {event.data.get(name)!r}, but no entry was looked at")
    reason = f" ({expected.reasons[name]})" if expected.reasons.get(name) else ""
    raise Blocked(f"{name} is {event.data.get(name)!r}, but {value!r} by the read decision{reason}")


def is_shown(event: Event, name: str, value: object) -> bool:
    """The event has this value, or does not tell."""
    return name not in event.data or event[name] == value
