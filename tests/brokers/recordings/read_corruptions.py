"""Corruptions of reads: answers that no real broker can have given, derived from those it gave.

One field of one event at a time. Which of them are possible all the same, and why, stands with the
test that runs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brokers.recordings.reading import Event, Recording
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.read import GetMessageStatus
from tests.brokers.recordings.corruptions import STEPS, Corruption, change_event

NUMBERS: Mapping[str, tuple[str, ...]] = {
    "get_message": (
        "next_begin_offset",
        "min_offset",
        "max_offset",
        "count",
        "bytes",
        "max_offset_py",
        "memory_threshold_bytes",
        "max_phy_offset_pulling",
        "last_returned_phy_offset",
        "diff",
    ),
    "pull_message": (
        "next_begin_offset",
        "min_offset",
        "max_offset",
        "body_bytes",
        "suggest_which_broker_id",
        "group_broker_id",
        "group_which_broker_when_consume_slowly",
    ),
    "query_consumer_offset": ("offset", "response_code"),
    "update_consumer_offset": ("offset", "response_code"),
    "update_subscription_group": (
        "broker_id",
        "which_broker_when_consume_slowly",
        "response_code",
    ),
    "update_topic": ("response_code",),
}
"""What a read shows in numbers."""

FLAGS: Mapping[str, tuple[str, ...]] = {
    "get_message": ("suggest_pulling_from_slave", "offset_check_in_slave"),
    "pull_message": ("slave_read_enable", "offset_check_in_slave", "commit_flag"),
}
"""What it shows in truth values."""

CODES = tuple((code.value, code.name) for code in ResponseCode)


def list_changes(event: Event) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each other value of each field of a read: the field, the change in words, the new fields."""
    for name in NUMBERS.get(event.kind, ()):
        if isinstance(event.data.get(name), int):
            for step in STEPS:
                yield name, f"{step:+}", {name: event[name] + step}
    for name in FLAGS.get(event.kind, ()):
        if name in event.data:
            yield name, "negated", {name: not event[name]}
    if event.kind == "get_message":
        for status in GetMessageStatus:
            if status.name != event["status"]:
                yield "status", status.name, {"status": status.name}
        if event["msg_ids"]:
            yield "msg_ids", "one fewer", {"msg_ids": event["msg_ids"][:-1]}
        yield "role", "other", {"role": "ASYNC_MASTER" if event["role"] == "SLAVE" else "SLAVE"}
    if event.kind == "pull_message":
        yield from list_pull_changes(event)
    if event.kind == "tables":
        yield from list_table_changes(event)


def list_pull_changes(event: Event) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The status, and each other code with and without its name."""
    for status in GetMessageStatus:
        if status.name != event["get_status"]:
            yield "get_status", status.name, {"get_status": status.name}
    for code, name in CODES:
        if code != event["response_code"]:
            yield "response_code", str(code), {"response_code": code}
            yield "response", name, {"response": name, "response_code": code}
    if "role" in event.data:
        yield "role", "other", {"role": "ASYNC_MASTER" if event["role"] == "SLAVE" else "SLAVE"}


def list_table_changes(event: Event) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each offset and each id of each group by one, each map and each group left out."""
    offsets, groups = event["consumer_offsets"], event["subscription_groups"]
    for key, queues in offsets.items():
        for queue, offset in queues.items():
            for step in STEPS:
                changed = {**offsets, key: {**queues, queue: offset + step}}
                yield "consumer_offsets", f"{key} {step:+}", {"consumer_offsets": changed}
        fewer = {name: each for name, each in offsets.items() if name != key}
        yield "consumer_offsets", f"without {key}", {"consumer_offsets": fewer}
    for name, group in groups.items():
        for option, number in group.items():
            changed = {**groups, name: {**group, option: number + 1}}
            yield "subscription_groups", f"{name} {option}", {"subscription_groups": changed}


def corrupt_reads(recording: Recording) -> Iterator[Corruption]:
    """Every corruption of every read of a recording."""
    for place, event in enumerate(recording.events):
        for name, what, fields in list_changes(event):
            copy = change_event(recording, place, **fields)
            yield Corruption(f"{event.kind}.{name}", event.seq, what, copy)
