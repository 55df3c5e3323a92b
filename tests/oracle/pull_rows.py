"""Rows about pulls: a broker whose queues are always the same, and a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from reference.decisions.reading.get_message import get_message
from reference.decisions.reading.pull import (
    ConsumerRegistration,
    PullMessageRequest,
    PullSituation,
    ResponseCode,
    Topic,
    find_group,
    is_broker_unreadable,
)
from reference.decisions.reading.pull_processor import PullAnswer, answer_pull
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import (
    BrokerSettings,
    StoreSettings,
    change_broker,
    change_store,
)
from reference.decisions.reading.subscription import (
    SubscriptionError,
    is_expression_parsable,
    is_tag_taken,
    parse_tags,
)
from reference.decisions.reading.subscription_group import OPTIONS, SubscriptionGroup
from reference.roles import Role
from reference.store.java import hash_string
from tests.oracle.found import Found, Row, list_fields
from tests.oracle.queue_stores import QueueStore, build

COMMIT, SUSPEND, SUBSCRIPTION = 1, 2, 4
"""Bits of ``sysFlag`` (PullSysFlag)."""
TAG = "TAG"
FILE_BYTES, QUEUE_FILE_BYTES = 16384, 200
RECORD_BYTES, BODY_BYTES = 91, 300
PUTS: tuple[tuple[str, int, int, str | None, str | None], ...] = (
    ("told", 0, 60, "A", None),
    ("tremoved", 0, 12, "A", None),
    ("tremoved", 1, 5, "B", None),
    ("told", 0, 45, "B", "1"),
)
"""Topic, queue, messages, their tag and their property ``a``: before two files are deleted."""
LATER_PUTS: tuple[tuple[str, int, int, str | None, str | None], ...] = (
    ("tyoung", 0, 10, "A", "1"),
    ("tyoung", 0, 8, "B", "5"),
    ("tyoung", 0, 7, None, None),
    ("tone", 0, 1, "A", None),
)
PROPERTY_BY_CODE = {"told": {"B": "1"}, "tyoung": {"A": "1", "B": "5"}}
"""The property ``a`` of a topic's messages, by their tag; most have none."""
COMPARISON = re.compile(r"a > (\d+)")
"""The only expression of SQL-92 in the rows that can be compiled."""


def _write_put(topic: str, queue: int, count: int, tag: str | None, a: str | None) -> list[Any]:
    """A put of a store's row; a property takes two bytes more than its name and value."""
    properties = (len("TAGS") + len(tag) + 2 if tag else 0) + (len("a") + len(a) + 2 if a else 0)
    size = RECORD_BYTES + BODY_BYTES + len(topic) + properties
    return ["put", topic, queue, size, count, tag]


@cache
def build_store() -> QueueStore:
    """The broker's queues."""
    before = [_write_put(*put) for put in PUTS]
    behind = [_write_put(*put) for put in LATER_PUTS]
    return build(
        {
            "mapedFileSizeCommitLog": FILE_BYTES,
            "mapedFileSizeConsumeQueue": QUEUE_FILE_BYTES,
            "ops": [*before, ["delete_log_files", 2], ["clean_queues"], *behind],
        }
    )


def list_differences(row: Row, _folder: Path) -> Iterator[Found]:
    """Where a pull is answered otherwise, the first time and when it is run again."""
    output = row["output"]
    situation = make_situation(row)
    answer = answer_pull(situation)
    got: dict[str, Any] = {
        "held": answer.held_ms is not None,
        "committed_offset": answer.committed_offset,
        "moved_events_written": int(answer.is_moved_event_written),
        "group_created": is_group_created(situation),
    }
    asked = {name: value for name, value in output.items() if name in got}
    yield from list_fields(None, asked, got)
    if output["held"] and output.get("held_timeout_ms"):
        held = {"held_ms": output["held_timeout_ms"][0]}
        yield from list_fields(None, held, {"held_ms": answer.held_ms})
    if output["answer"] is not None:
        yield from list_fields(None, output["answer"], write(row, situation, answer))
    if output.get("second_pass") is not None:
        again = evolve(situation, pull=evolve(situation.pull, is_first_pass=False))
        second = answer_pull(again)
        yield from list_fields(1, output["second_pass"], write(row, again, second))
        told = {
            "second_pass_held": second.held_ms is not None,
            "second_pass_committed": second.committed_offset is not None,
        }
        yield from list_fields(1, {name: output[name] for name in told}, told)


def is_group_created(situation: PullSituation) -> bool:
    """The broker has made a group that it did not know."""
    is_looked_for = not is_broker_unreadable(situation)
    return is_looked_for and situation.group is None and find_group(situation) is not None


def make_settings(row: Row) -> tuple[StoreSettings, BrokerSettings]:
    """Those of the store, and those of the broker."""
    given = dict(row["input"]["broker"])
    given.pop("filterSupportRetry", None)
    role = Role[given.pop("brokerRole")]
    store = StoreSettings(role, commit_log_file_bytes=FILE_BYTES)
    return change_store(store, given), change_broker(BrokerSettings(), given)


def make_situation(row: Row) -> PullSituation:
    """A row as the decision takes it."""
    asked, request = row["input"], row["input"]["request"]
    store, broker = make_settings(row)
    group, topic = asked["group"], asked["topic"]
    has_subscription = bool(request["sysFlag"] & SUBSCRIPTION)
    used = find_used(row, has_subscription=has_subscription)
    pull = PullMessageRequest(
        offset=request["queueOffset"],
        queue=request["queueId"],
        max_messages=request["maxMsgNums"],
        group_name=request["group"],
        commit_offset=request["commitOffset"] if request["sysFlag"] & COMMIT else None,
        has_suspend_flag=bool(request["sysFlag"] & SUSPEND),
        suspend_timeout_ms=request["suspendTimeoutMillis"],
        has_subscription=has_subscription,
        is_subscription_valid=used.is_valid,
        is_property_filter=used.kind != TAG,
    )
    queue = build_store().get_queue(request["topic"], pull.queue)
    end, begin = build_store().log_max_offset, build_store().log_min_offset
    refused = list_refused(request, used)
    read = Read(store, queue, pull.offset, pull.max_messages, end, begin, refused)
    return PullSituation(
        pull,
        store,
        broker,
        SubscriptionGroup(**{OPTIONS[n]: v for n, v in group.items()}) if group else None,
        Topic(topic["perm"], topic["readQueueNums"]) if topic else None,
        make_registration(row),
        get_message(read),
    )


@frozen
class Used:
    """The subscription that a pull is answered by."""

    kind: str = TAG
    text: str = "*"
    is_valid: bool = True
    is_compiled: bool = True
    """An expression of SQL-92 that the broker has compiled."""


def find_used(row: Row, *, has_subscription: bool) -> Used:
    """That of the request, or that of a heartbeat."""
    request = row["input"]["request"]
    if has_subscription:
        kind, text = request["expressionType"] or TAG, request["subscription"]
        return Used(kind, text, is_valid(kind, text), kind == "SQL92" and is_compilable(text))
    known = find_known(row)
    if known is None:
        return Used()
    return Used(known["type"], known["expression"], is_compiled=is_compilable(known["expression"]))


def is_valid(kind: str, text: str) -> bool:
    """It can be parsed."""
    if kind != TAG:
        return is_expression_parsable(text)
    try:
        parse_tags(text)
    except SubscriptionError:
        return False
    return True


def is_compilable(text: str) -> bool:
    """It is an expression of the rows that can be compiled."""
    return COMPARISON.fullmatch(text) is not None


def find_known(row: Row) -> Mapping[str, Any] | None:
    """The subscription to the topic that a heartbeat has told."""
    registration = row["input"]["registration"]
    told = registration["subscriptions"] if registration else []
    return next((s for s in told if s["topic"] == row["input"]["request"]["topic"]), None)


def make_registration(row: Row) -> ConsumerRegistration | None:
    """What heartbeats have told."""
    registration, known = row["input"]["registration"], find_known(row)
    if registration is None:
        return None
    wanted = row["input"]["request"]["subVersion"]
    version = known.get("filter_data_version") if known else None
    return ConsumerRegistration(
        is_broadcasting=registration["message_model"] == "BROADCASTING",
        has_topic=known is not None,
        is_latest=known is not None and known["version"] >= wanted,
        has_filter_data=version is not None,
        is_filter_data_latest=version is not None and version >= wanted,
    )


def list_refused(request: Row, used: Used) -> frozenset[int]:
    """The queue offsets whose messages the subscription does not take."""
    store, topic = build_store(), request["topic"]
    name = f"{topic}-{request['queueId']}"
    queue = store.get_queue(topic, request["queueId"])
    places = range(queue.first_offset, queue.max_offset)
    codes = {at: store.tags.get((name, at), 0) for at in places}
    if used.kind == TAG:
        asked = parse_tags(used.text) if used.is_valid else parse_tags("*")
        return frozenset(at for at, code in codes.items() if not is_tag_taken(asked, code))
    found = COMPARISON.fullmatch(used.text)
    if not used.is_compiled or found is None:
        return frozenset()
    values = {hash_string(t): int(a) for t, a in PROPERTY_BY_CODE.get(topic, {}).items()}
    least = int(found[1])
    return frozenset(at for at, code in codes.items() if not values.get(code, least) > least)


def write(row: Row, situation: PullSituation, answer: PullAnswer) -> Mapping[str, Any]:
    """An answer, as rows write it; the store's words stand in those that it has answered."""
    result = answer.result
    if result is None:
        refused = {"code": int(answer.code), "remark": None}
        return {**refused, "suggest_which_broker_id": None, "next_begin_offset": None}
    is_given = answer.code is ResponseCode.SUCCESS
    return {
        "code": int(answer.code),
        "remark": result.status.name,
        "next_begin_offset": result.next_begin_offset,
        "min_offset": result.min_offset,
        "max_offset": result.max_offset,
        "suggest_which_broker_id": answer.suggested_broker_id,
        "messages": result.message_count if is_given else 0,
        "body_bytes": result.size_bytes if is_given else 0,
    }
