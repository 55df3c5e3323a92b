"""What a broker could have answered instead: one answer of a recording changed, or left out.

A case excludes an alternative if the rules do not explain the recording with it. A case that
excludes none holds a broker to nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from brokers.recordings.ahead.order import SENT_KINDS
from brokers.recordings.reading import Event, Recording
from reference.worlds.replication.state import STATUS_NAMES

EARLY_MS = 100.0
"""An answer that came so long after the line before it might have come at once."""
ANSWERED_STATUSES = STATUS_NAMES[:4]
TABLES = "tables"
NEAR = {
    "ha_report": ("slave_offset",),
    "ha_frame": ("master_offset", "body_bytes"),
    "put": ("wrote_offset", "queue_offset"),
    "pull_message": (
        "next_begin_offset",
        "max_offset",
        "min_offset",
        "suggest_which_broker_id",
        "body_bytes",
    ),
    "query_consumer_offset": ("offset",),
    "queue_ends": ("min_offset", "max_offset"),
    TABLES: ("topic_data_version_counter", "subscription_group_data_version_counter"),
}
"""Numbers that the broker under test has chosen, by kind of event."""


@frozen
class Alternative:
    """Another course of a recording."""

    seq: int
    what: str
    """The answer that differs, in words."""
    recording: Recording


def is_answer(event: Event, *, is_master_tested: bool) -> bool:
    """The broker under test has done this."""
    asked = ("pull_message", "query_consumer_offset", "queue_ends")
    own = ("ha_frame", "put") if is_master_tested else ("ha_report", TABLES)
    return event.kind in (*own, *asked)


def list_alternatives(
    recording: Recording, from_ms: float, *, is_master_tested: bool
) -> Iterator[Alternative]:
    """All alternatives of the answers from then on, in the order of the events."""
    events = (recording.config, *recording.events)
    for before, event in itertools.pairwise(events):
        if event.t_ms >= from_ms and is_answer(event, is_master_tested=is_master_tested):
            yield from _list_changes(recording, event)
            if event.kind in SENT_KINDS:
                yield _drop(recording, event)
            if event.kind in SENT_KINDS and event.t_ms > before.t_ms + EARLY_MS:
                yield _hasten(recording, event, before.t_ms)


def _list_changes(recording: Recording, event: Event) -> Iterator[Alternative]:
    for name in NEAR[event.kind]:
        value = event.data.get(name)
        for step in (1, -1):
            if isinstance(value, int) and value + step >= 0:
                yield _change(recording, event, {name: value + step})
    if event.kind == TABLES:
        yield from _list_other_tables(recording, event)
    if event.kind == "put":
        for status in ANSWERED_STATUSES:
            if status != event["put_status"]:
                yield _change(recording, event, {"put_status": status})


def _list_other_tables(recording: Recording, event: Event) -> Iterator[Alternative]:
    """A topic, a group or a queue's progress is not there, or the progress is another."""
    topics, groups = event["topics"], event["subscription_groups"]
    for name in topics:
        less = {"topics": [each for each in topics if each != name]}
        yield _change(recording, event, less, f"without topic {name}")
    for name in groups:
        fewer = {each: group for each, group in groups.items() if each != name}
        yield _change(recording, event, {"subscription_groups": fewer}, f"without group {name}")
    delays = event.data.get("delay_offsets_in_memory", {})
    for level, offset in delays.items():
        for other in (offset + 1, offset - 1):
            changed = {"delay_offsets_in_memory": {**delays, level: other}}
            yield _change(recording, event, changed, f"level {level} {offset} -> {other}")
    for key, queues in event["consumer_offsets"].items():
        for queue, offset in queues.items():
            for other in (offset + 1, offset - 1):
                progress = {**event["consumer_offsets"], key: {**queues, queue: other}}
                text = f"progress {key} {queue} {offset} -> {other}"
                yield _change(recording, event, {"consumer_offsets": progress}, text)


def _change(
    recording: Recording, event: Event, fields: dict[str, Any], what: str = ""
) -> Alternative:
    changed = evolve(event, data={**event.data, **fields})
    ((name, value),) = fields.items()
    text = f"{event.kind}.{name} {event.data[name]} -> {value}"
    if what:
        text = f"{event.kind} {what}"
    return Alternative(event.seq, text, _put_in_place(recording, event, (changed,)))


def _drop(recording: Recording, event: Event) -> Alternative:
    return Alternative(event.seq, f"no {event.kind}", _put_in_place(recording, event, ()))


def _hasten(recording: Recording, event: Event, t_ms: float) -> Alternative:
    early = evolve(event, t_ms=t_ms, data={**event.data, "t_ms": t_ms})
    text = f"{event.kind} {event.t_ms - t_ms:.0f} ms earlier"
    return Alternative(event.seq, text, _put_in_place(recording, event, (early,)))


def _put_in_place(recording: Recording, event: Event, others: tuple[Event, ...]) -> Recording:
    at = recording.events.index(event)
    events = (*recording.events[:at], *others, *recording.events[at + 1 :])
    return evolve(recording, events=events)
