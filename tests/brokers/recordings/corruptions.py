"""Corruptions of recordings: what no real broker can have done, derived from what one did.

Every function yields corrupted copies of any recording, one change each. Some changes give another
possible recording; which ones are, and why, stands with the test that runs them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import evolve, frozen

from brokers.recordings.reading import Event, Recording
from reference.worlds.replication.state import STATUS_NAMES
from tests.brokers.recordings.far_values import find_file_size, list_far_numbers

STEPS = (1, -1)
"""What is added to a number."""

BROKER_NUMBERS = (
    "max_offset",
    "flushed_offset",
    "min_offset",
    "mapped_files",
    "dispatched_offset",
    "push2_slave_max_offset",
    "connection_count",
    "slave_fall_behind",
    "ha_client_reported_offset",
)
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "node_started": BROKER_NUMBERS,
    "broker_started": BROKER_NUMBERS,
    "snapshot": BROKER_NUMBERS,
    "put": (
        "wrote_offset",
        "wrote_bytes",
        "queue_offset",
        "push2_slave_before",
        "push2_slave_after",
        "connection_count_before",
        "connection_count_after",
        "max_offset_after",
    ),
    "ha_report": ("slave_offset", "conn"),
    "ha_frame": ("master_offset", "body_bytes", "conn"),
    "ha_link_open": ("conn",),
    "ha_link_close": ("conn",),
    "node_stop_clean": ("max_offset",),
    "delete_expired_files": ("deleted",),
    "divergence_check": ("compared_to_offset",),
}
"""Numbers that the state determines, by kind of event."""

FLAGS: Mapping[str, tuple[str, ...]] = {
    "node_started": ("last_exit_normal", "ha_client_connected"),
    "snapshot": ("ha_client_connected",),
    "node_stop_clean": ("abort_file_present",),
    "divergence_check": ("common_prefix_equal", "range_after_equal"),
}
"""Truth values that the state determines, by kind of event."""

PROGRESS = (
    "put",
    "ha_frame",
    "ha_report",
    "ha_link_open",
    "node_started",
    "node_kill9",
    "process_exit",
    "store_wiped",
    "delete_expired_files",
)
"""Events without which the rest cannot be explained."""

FAR_MS = 60.0
"""Much more than the tolerance, and more than a kill takes to be seen."""


@frozen
class Corruption:
    """One corrupted copy of a recording."""

    category: str
    """What kind of change."""
    seq: int
    """The event that is changed."""
    what: str
    """The change in words."""
    recording: Recording
    """The copy."""


Maker: TypeAlias = Callable[[Recording], Iterator[Corruption]]


def replace_event(recording: Recording, place: int, *others: Event) -> Recording:
    """A recording with other events in the place of one."""
    events = (*recording.events[:place], *others, *recording.events[place + 1 :])
    return evolve(recording, events=events)


def change_event(recording: Recording, place: int, **fields: Any) -> Recording:
    """A recording with some fields of one event changed."""
    event = recording.events[place]
    changed = evolve(event, data={**event.data, **fields})
    return replace_event(recording, place, changed)


def change_statuses(recording: Recording) -> Iterator[Corruption]:
    """Each put gets each other answer."""
    for place, event in enumerate(recording.events):
        if event.kind == "put":
            for status in STATUS_NAMES[:5]:
                if status != event["put_status"]:
                    copy = change_event(recording, place, put_status=status)
                    yield Corruption("status", event.seq, status, copy)


def change_numbers(recording: Recording) -> Iterator[Corruption]:
    """Each number is changed by one."""
    for place, event in enumerate(recording.events):
        for name in NUMBERS.get(event.kind, ()):
            if name not in event.data:
                continue
            for step in STEPS:
                copy = change_event(recording, place, **{name: event[name] + step})
                yield Corruption(f"{event.kind}.{name}", event.seq, f"{step:+}", copy)
        for name in FLAGS.get(event.kind, ()):
            if name in event.data:
                copy = change_event(recording, place, **{name: not event[name]})
                yield Corruption(f"{event.kind}.{name}", event.seq, "negated", copy)


def change_numbers_far(recording: Recording) -> Iterator[Corruption]:
    """Each number becomes one that is far from it; that of a connection, too."""
    size = find_file_size(recording)
    for place, event in enumerate(recording.events):
        for name in NUMBERS.get(event.kind, ()):
            for what, new in list_far_numbers(event.data.get(name, 0), size):
                if name in event.data:
                    copy = change_event(recording, place, **{name: new})
                    yield Corruption(f"far {event.kind}.{name}", event.seq, what, copy)
        for index, item in enumerate(event.data.get("connections", ())):
            for name in ("slave_request_offset", "slave_ack_offset", "next_transfer_from"):
                for what, new in list_far_numbers(item[name], size):
                    changed = [*event["connections"]]
                    changed[index] = {**item, name: new}
                    copy = change_event(recording, place, connections=changed)
                    yield Corruption(f"far {event.kind}.{name}", event.seq, what, copy)


def change_items(recording: Recording) -> Iterator[Corruption]:
    """Numbers inside of lists: connections, queues, the records of a scan, checksums."""
    for place, event in enumerate(recording.events):
        for name, number in (
            *(("connections", n) for n in ("slave_request_offset", "slave_ack_offset")),
            ("connections", "next_transfer_from"),
            ("entries", "offset"),
            ("entries", "size"),
            ("files", "to_offset"),
        ):
            items = event.data.get(name)
            if not isinstance(items, list):
                continue
            for index, item in enumerate(items):
                if number not in item or (name == "entries" and index % 7):
                    continue
                for step in STEPS:
                    changed = [*items]
                    changed[index] = {**item, number: item[number] + step}
                    copy = change_event(recording, place, **{name: changed})
                    what = f"{name}[{index}] {step:+}"
                    yield Corruption(f"{event.kind}.{number}", event.seq, what, copy)
        yield from _change_checksums(recording, place, event)
        yield from _change_queues(recording, place, event)


def _change_checksums(recording: Recording, place: int, event: Event) -> Iterator[Corruption]:
    if event.kind != "log_crc":
        return
    for index, item in enumerate(event["files"]):
        changed = [*event["files"]]
        other = "00000000" if item["crc32"] != "00000000" else "11111111"
        changed[index] = {**item, "crc32": other}
        copy = change_event(recording, place, files=changed)
        yield Corruption("log_crc.crc32", event.seq, f"file {index}", copy)


def _change_queues(recording: Recording, place: int, event: Event) -> Iterator[Corruption]:
    queues = event.data.get("queues")
    if not isinstance(queues, dict):
        return
    for name, (first, following) in queues.items():
        for step in STEPS:
            copy = change_event(
                recording, place, queues={**queues, name: [first, following + step]}
            )
            yield Corruption(f"{event.kind}.queues", event.seq, f"{name} {step:+}", copy)


def drop_events(recording: Recording) -> Iterator[Corruption]:
    """Each line that carries progress is left out."""
    shown: set[tuple[Any, ...]] = set()
    for place, event in enumerate(recording.events):
        if event.kind not in PROGRESS or (event.kind == "ha_frame" and not event["body_bytes"]):
            continue
        if event.kind == "ha_report":
            key = (event["link"], event["conn"], event["slave_offset"])
            if key in shown:
                continue  # It says nothing new.
            shown.add(key)
        yield Corruption(
            f"drop {event.kind}", event.seq, "left out", replace_event(recording, place)
        )


def lower_counters(recording: Recording) -> Iterator[Corruption]:
    """What never falls falls to an earlier value."""
    highest: dict[tuple[Any, Any], list[int]] = {}
    for place, event in enumerate(recording.events):
        if event.kind in ("node_kill9", "process_exit", "store_wiped", "store_surgery"):
            highest = {key: [] for key in highest if key[0] != event["node"]}
        for name in ("push2_slave_after", "flushed_offset", "dispatched_offset"):
            if name not in event.data:
                continue
            seen = highest.setdefault((event["node"], name), [])
            lower = [value for value in seen if value < max(seen)]
            if lower and event[name] == max(seen):
                copy = change_event(recording, place, **{name: max(lower)})
                yield Corruption(f"fallen {name}", event.seq, str(max(lower)), copy)
            seen.append(event[name])


def exceed_reports(recording: Recording) -> Iterator[Corruption]:
    """A slave reports more than it has."""
    for place, event in enumerate(recording.events):
        if event.kind == "ha_report":
            copy = change_event(recording, place, slave_offset=event["slave_offset"] + 100)
            yield Corruption("report beyond the end", event.seq, "+100", copy)


def recover_elsewhere(recording: Recording) -> Iterator[Corruption]:
    """A broker comes back with less than it had."""
    sizes = [event["wrote_bytes"] for event in recording.events if "wrote_bytes" in event.data]
    for place, event in enumerate(recording.events):
        if event.kind == "node_started" and event["max_offset"] and sizes:
            lower = max(0, event["max_offset"] - sizes[0])
            names = ("max_offset", "flushed_offset", "dispatched_offset")
            copy = change_event(recording, place, **dict.fromkeys(names, lower))
            yield Corruption("recovered offset", event.seq, f"{lower}", copy)


def hasten(recording: Recording) -> Iterator[Corruption]:
    """First reports, heartbeats and reconnects come too early."""
    opened: dict[Any, float] = {}
    last: dict[Any, float] = {}
    for place, event in enumerate(recording.events):
        key = (event.data.get("link"), event.data.get("conn"))
        if event.kind == "ha_link_open":
            opened[key] = event.t_ms
        if event.kind == "ha_report" and key in opened:
            middle = (opened.pop(key) + event.t_ms) / 2
            yield Corruption("early first report", event.seq, "", move(recording, place, middle))
        if event.kind == "ha_frame":
            if not event["body_bytes"] and key in last and event.t_ms - last[key] > 2 * FAR_MS:
                early = (last[key] + event.t_ms) / 2
                yield Corruption("early heartbeat", event.seq, "", move(recording, place, early))
            last[key] = event.t_ms


def move(recording: Recording, place: int, t_ms: float) -> Recording:
    """A recording in which one event is noted at another time, and stands there."""
    event = recording.events[place]
    moved = evolve(event, t_ms=t_ms, data={**event.data, "t_ms": t_ms})
    others = [*recording.events[:place], *recording.events[place + 1 :]]
    index = sum(other.t_ms <= t_ms for other in others)
    events = [*others[:index], moved, *others[index:]]
    numbered = tuple(
        evolve(each, seq=number, data={**each.data, "seq": number})
        for number, each in enumerate(events, start=1)
    )
    return evolve(recording, events=numbered)


def swap_order(recording: Recording) -> Iterator[Corruption]:
    """Two frames, or two reports, of one connection in the other order."""
    for kind in ("ha_frame", "ha_report"):
        places = [i for i, event in enumerate(recording.events) if event.kind == kind]
        for one, other in itertools.pairwise(places):
            first, second = recording.events[one], recording.events[other]
            keys = ("slave_offset",) if kind == "ha_report" else ("master_offset", "body_bytes")
            same_link = (first["link"], first["conn"]) == (second["link"], second["conn"])
            contents = [tuple(each[key] for key in keys) for each in (first, second)]
            if same_link and contents[0] != contents[1]:
                copy = change_event(recording, one, **{key: second[key] for key in keys})
                copy = change_event(copy, other, **{key: first[key] for key in keys})
                yield Corruption(f"swapped {kind}", first.seq, "", copy)


def stretch_durations(recording: Recording) -> Iterator[Corruption]:
    """Waits become too short or too long for their answer."""
    for place, event in enumerate(recording.events):
        if event.kind != "put" or "append_status" not in event.data:
            continue
        is_time_out = event["put_status"] == "FLUSH_SLAVE_TIMEOUT" and event["duration_ms"] > 200
        if is_time_out:
            short = event["duration_ms"] * 0.6
            begin = event.t_ms - short
            copy = change_event(recording, place, duration_ms=short, t_begin_ms=begin)
            yield Corruption("short time-out", event.seq, f"{short:.0f} ms", copy)
        long = event["duration_ms"] + 30_000.0
        copy = change_event(recording, place, duration_ms=long)
        yield Corruption("long duration", event.seq, f"{long:.0f} ms", copy)


MAKERS: tuple[Maker, ...] = (
    change_statuses,
    change_numbers,
    change_numbers_far,
    change_items,
    drop_events,
    lower_counters,
    exceed_reports,
    recover_elsewhere,
    hasten,
    swap_order,
    stretch_durations,
)
"""Every kind of corruption."""


def corrupt(recording: Recording) -> Iterator[Corruption]:
    """Every corrupted copy of a recording."""
    for make in MAKERS:
        yield from make(recording)
