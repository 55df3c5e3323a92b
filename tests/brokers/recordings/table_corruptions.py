"""Corruptions of what recordings show of tables: progress, topics, groups, delay offsets, answers.

One field of one event at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brokers.recordings.reading import Event, Recording
from tests.brokers.recordings.corruptions import STEPS, Corruption, change_event

LOOKS = ("tables", "broker_started")
TABLES = (
    "consumer_offsets",
    "consumer_offset_file",
    "subscription_groups",
    "delay_offsets_in_memory",
    "delay_offset_file",
)
COUNTERS = ("topic_data_version_counter", "subscription_group_data_version_counter")
VERSION = "topic_data_version"
ADDRESSES = ("slave_synchronize_master_addr", "ha_master_address")
REQUESTS: Mapping[str, tuple[str, ...]] = {
    "update_consumer_offset": ("queue", "offset", "response_code"),
    "query_consumer_offset": ("queue", "offset", "response_code"),
    "pull_message": ("commit_offset",),
    "update_subscription_group": ("broker_id", "which_broker_when_consume_slowly"),
    "send_message": ("response_code",),
}
"""Numbers of each request."""
NAMES = ("group", "topic")
"""What a request names."""

Change = tuple[str, str, dict[str, Any]]
"""The field, the change in words, the new fields."""


def corrupt_tables(recording: Recording) -> Iterator[Corruption]:
    """Every change of every field that tells of tables."""
    for place, event in enumerate(recording.events):
        for name, what, fields in list_changes(event):
            copy = change_event(recording, place, **fields)
            yield Corruption(f"{event.kind}.{name}", event.seq, what, copy)


def list_changes(event: Event) -> Iterator[Change]:
    """The changes of one event."""
    if event.kind in LOOKS:
        yield from list_look_changes(event)
    for name in REQUESTS.get(event.kind, ()):
        if isinstance(event.data.get(name), int):
            for step in STEPS:
                yield name, f"{step:+}", {name: event[name] + step}
    if event.kind in ("update_consumer_offset", "query_consumer_offset"):
        for name in NAMES:
            yield name, "other", {name: event[name] + "x"}
        yield "response", "other", {"response": "SYSTEM_ERROR"}
    if event.kind == "query_consumer_offset":
        other = (22, "QUERY_NOT_FOUND", None) if event["offset"] is not None else (0, "SUCCESS", 0)
        fields = dict(zip(("response_code", "response", "offset"), other, strict=True))
        yield "answer", "other", fields


def list_look_changes(event: Event) -> Iterator[Change]:
    """The changes of what a look at a broker shows."""
    for name in COUNTERS:
        for step in STEPS if name in event.data else ():
            yield name, f"{step:+}", {name: event[name] + step}
    for what, version in change_numbers(event.data.get(VERSION, {})):
        yield VERSION, what, {VERSION: version}
    for name in ADDRESSES:
        if name in event.data:
            yield name, "other", {name: "<other>"}
            if event[name] != "null":
                yield name, "no address", {name: "null"}
    topics = event.data.get("topics", [])
    if topics:
        yield "topics", "one more", {"topics": [*topics, "NEVER_MADE"]}
    yield from (
        ("topics", f"without {t}", {"topics": [*topics[:i], *topics[i + 1 :]]})
        for i, t in enumerate(topics)
    )
    for name in TABLES:
        for what, table in change_numbers(event.data.get(name, {})):
            yield name, what, {name: table}


def change_numbers(table: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A table with one number changed, or one entry left out, at whatever depth."""
    if not isinstance(table, dict):
        yield from ((f"{path} {step:+}", table + step) for step in STEPS)
        return
    for key, value in table.items():
        if path or not isinstance(value, dict) or key != "offsetTable":
            yield f"without {path}/{key}", {k: v for k, v in table.items() if k != key}
        for what, changed in change_numbers(value, f"{path}/{key}"):
            yield what, {**table, key: changed}
