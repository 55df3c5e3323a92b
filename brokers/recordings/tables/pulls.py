"""Pulls at recorded brokers, explained by the read decision (PullMessageProcessor).

A whole broker does not show its log, so most of what a pull depends on is what other events have
shown: settings, groups, topics, the ends of the queue. What none has shown is left open, and the
answer must be one of those that are possible.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from attrs import evolve

from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES
from brokers.recordings.clock import GRAIN_MS
from brokers.recordings.reading import Event
from brokers.recordings.tables.queues import ShownQueue, get_name, name_queue
from brokers.recordings.tables.reads import (
    Expected,
    check_ends,
    check_inputs,
    check_one_of,
    find_results,
    find_running_node,
    learn_sizes,
    read_store_settings,
)
from brokers.recordings.tables.settings import read_broker_settings
from brokers.recordings.view import Blocked, View, check
from reference.decisions.reading.get_message import GetMessageResult
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, ResponseCode, Topic
from reference.decisions.reading.pull_processor import PullAnswer, answer_pull, is_store_unreadable
from reference.decisions.reading.read import GetMessageStatus
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup

INPUTS: Mapping[str, str] = {
    "slave_read_enable": "slaveReadEnable",
    "memory_ratio": "accessMessageInMemoryMaxRatio",
    "offset_check_in_slave": "offsetCheckInSlave",
}
"""Settings that a pull may tell by itself, as its recorder has just set them: their properties."""

IS_STORE_UNREADABLE = is_store_unreadable.__name__

REFUSED = -9
"""What a recorder notes for the offsets of an answer that has none."""


def check_pull(view: View, event: Event) -> View:
    """The broker answers a pull by its settings, tables and queues."""
    node = find_running_node(view, event)
    view = check_response(view, event)
    told = {INPUTS[name]: event[name] for name in INPUTS.keys() & event.data.keys()}
    store = read_store_settings(view, node, told)
    broker = read_broker_settings(view, node, told)
    view = check_inputs(view, store, event)
    view = check_group(view, node, event)
    if event["next_begin_offset"] == REFUSED:
        check_remark(event)
        results: list[GetMessageResult | None] = [None]
    else:
        view = check_ends(view, node, event)
        view = check_sent(view, event)
        view, results = find_pull_results(view, node, store, event)
    base = make_situation(event, store, broker)
    answers = list_answers(
        base, list_groups(view, node, event), list_topics(view, node, event), results
    )
    if not answers:
        raise Blocked(f"response is {event['response']!r}, but no check refuses this pull")
    check_hold(event, broker)
    return check_one_of(view, event, [describe_answer(each) for each in answers])


def check_hold(event: Event, broker: BrokerSettings) -> None:
    """A pull that was held in vain was held for as long as it asked for (R-PM-06, R-PM-07)."""
    is_vain = event["suspend_flag"] and event["response_code"] == ResponseCode.PULL_NOT_FOUND
    if not is_vain or "suspend_timeout_ms" not in event.data or "t_begin_ms" not in event.data:
        return
    asked_ms = event["suspend_timeout_ms"]
    least_ms = asked_ms if broker.is_long_polling_enabled else broker.short_polling_ms
    waited_ms = event.t_ms - event["t_begin_ms"]
    if waited_ms < least_ms - GRAIN_MS:
        raise Blocked(f"nothing was found after {waited_ms:.0f} ms, but it is held {least_ms} ms")


def check_queue_ends(view: View, event: Event) -> View:
    """The ends of a queue, as GET_MIN_OFFSET and GET_MAX_OFFSET tell them."""
    view = check_ends(view, find_running_node(view, event), event)
    return check_sent(view, event)


def list_answers(
    situation: PullSituation,
    groups: Sequence[SubscriptionGroup | None],
    topics: Sequence[Topic | None],
    results: Sequence[GetMessageResult | None],
) -> list[PullAnswer]:
    """Every answer that is possible; a store that runs can be read."""
    possible = itertools.product(groups, topics, results)
    answers = [
        answer_pull(evolve(situation, group=group, topic=topic, result=result))
        for group, topic, result in possible
    ]
    return [each for each in answers if each.code_decided_by != IS_STORE_UNREADABLE]


def check_remark(event: Event) -> None:
    """A refusal tells its reason where other answers have the status of the read."""
    if event["get_status"] in GetMessageStatus.__members__:
        raise Blocked(f"get_status is {event['get_status']}, but nothing was read")


def check_response(view: View, event: Event) -> View:
    """The code has the name that is given, and only a client that commits names an offset."""
    code = event["response_code"]
    name = ResponseCode(code).name if code in set(ResponseCode) else ""
    view = check(view, "response", name, event["response"])
    if event["commit_flag"] != isinstance(event.data.get("commit_offset"), int):
        raise Blocked("commit_offset does not fit commit_flag")
    return view


def make_situation(event: Event, store: StoreSettings, broker: BrokerSettings) -> PullSituation:
    """What the processor knows so far; a held pull is recorded when it was answered at last."""
    pull = PullMessageRequest(
        offset=event["offset"],
        queue=event["queue"],
        max_messages=event["max_msgs"],
        group_name=event["group"],
        commit_offset=event.data.get("commit_offset"),
        has_suspend_flag=event["suspend_flag"],
        is_first_pass=not event["suspend_flag"],
    )
    return PullSituation(pull, store, broker, None, None, None, None)


def describe_answer(answer: PullAnswer) -> Expected:
    """What an event would show of this answer."""
    reasons = {
        "response_code": answer.code_decided_by,
        "suggest_which_broker_id": answer.suggestion_decided_by,
        "get_status": answer.result.status_decided_by if answer.result else "",
        "next_begin_offset": answer.result.ended_by if answer.result else "",
    }
    return Expected(list_fields(answer), reasons)


def list_fields(answer: PullAnswer) -> dict[str, object]:
    """The fields of an event that shows this answer."""
    result = answer.result
    fields: dict[str, object] = {
        "response_code": answer.code.value,
        "suggest_which_broker_id": answer.suggested_broker_id,
    }
    if result is None:
        offsets = ("next_begin_offset", "min_offset", "max_offset")
        return {**fields, **dict.fromkeys(offsets, REFUSED), "body_bytes": 0}
    return {
        **fields,
        "get_status": result.status.name,
        "next_begin_offset": result.next_begin_offset,
        "min_offset": result.min_offset,
        "max_offset": result.max_offset,
        "body_bytes": result.size_bytes,
    }


def find_pull_results(
    view: View, node: int, store: StoreSettings, event: Event
) -> tuple[View, list[GetMessageResult | None]]:
    """What the store may say, by the least and the most memory that the machine may have."""
    shown = ShownQueue(
        name_queue(event),
        event["min_offset"],
        event["max_offset"],
        event["offset"],
        event["next_begin_offset"],
        event["body_bytes"],
    )
    least = (MESSAGE_HEAD_BYTES + len(event["topic"])) * (shown.next_offset - shown.offset)
    is_found = event["response_code"] == ResponseCode.SUCCESS
    if (is_found or shown.size_bytes) and shown.size_bytes < least:
        raise Blocked(f"body_bytes is {shown.size_bytes}, but needs {least} at least")
    memory = view.reads.get_node(get_name(view, node)).memory
    totals = (memory.low_bytes, memory.high_bytes)
    settings = [evolve(store, total_memory_bytes=total) for total in totals]
    view = learn_sizes(view, node, shown)
    results = find_results(view, node, shown, event["max_msgs"], settings)
    return view, [*results]


def check_group(view: View, node: int, event: Event) -> View:
    """What an event repeats of its group, compared with what the broker knows."""
    names = ("group_broker_id", "group_which_broker_when_consume_slowly")
    if not all(name in event.data for name in names):
        return view
    groups = list_groups(view, node, event)
    known = [(g.broker_id, g.slow_broker_id) if g else (0, 1) for g in groups]
    shown = (event[names[0]], event[names[1]])
    return check(view, "the group", known[0] if shown not in known else shown, shown)


def list_groups(view: View, node: int, event: Event) -> list[SubscriptionGroup | None]:
    """The group as the broker may know it: by itself, or on a slave from its latest sync."""
    own = view.reads.get_node(event["node"]).groups.get(event["group"])
    if node == MASTER:
        return [own]
    theirs = view.reads.get_node(view.plan.master).groups.get(event["group"])
    return [own] if own == theirs else [own, theirs]


def list_topics(view: View, node: int, event: Event) -> list[Topic | None]:
    """The topic as the broker may know it, in the same way."""
    brokers = (event["node"],) if node == MASTER else (event["node"], view.plan.master)
    found: list[Topic | None] = []
    for name in brokers:
        topics = view.reads.get_node(name).topics
        queues = topics.get(event["topic"])
        is_known = event["topic"] in topics
        found.append(Topic(read_queues=queues or event["queue"] + 1) if is_known else None)
    return found


def check_sent(view: View, event: Event) -> View:
    """A queue holds no more than was sent to it."""
    most, high = count_most(view, name_queue(event)), event["max_offset"]
    if high > most:
        raise Blocked(f"max_offset is {high}, but only {most} messages were sent there")
    return view


def count_most(view: View, name: str) -> float:
    """How many messages a queue may have; any number where others than the recorder may send.

    Among them are those of a ``put`` with a delay, which come later and are not recorded.
    """
    is_delay_possible = view.next_put > 0
    return float("inf") if is_delay_possible else view.reads.sent.get(name, float("inf"))
