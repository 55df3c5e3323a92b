"""The checker refuses recordings in which one observed value was changed.

Every put gets every other answer, every number that the model's state determines gets other values,
and lines that carry progress are left out or doubled. What is accepted all the same is listed in
POSSIBLE with the reason why it may really have happened; it is tested to be accepted, not skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from reference.state import STATUS_NAMES
from reference.trace.checking import CONFORMS, check_recording
from reference.trace.reading import Event, Recording, read_recording

TRACES = Path(__file__).parents[2] / "data" / "traces"
RECORDINGS = {path.stem: read_recording(path) for path in sorted(TRACES.glob("*.jsonl"))}

STEPS = (1, -1, 100, -100)
"""What is added to a number."""

LOG_NUMBERS = ("max_offset", "flushed_offset", "min_offset", "mapped_files", "dispatched_offset")
MASTER_NUMBERS = ("push2_slave_max_offset", "connection_count", "slave_fall_behind")
BROKER_NUMBERS = (*LOG_NUMBERS, *MASTER_NUMBERS, "ha_client_reported_offset")

NUMBERS: Mapping[str, tuple[str, ...]] = {
    "node_started": BROKER_NUMBERS,
    "snapshot": BROKER_NUMBERS,
    "put": (
        "wrote_offset",
        "wrote_bytes",
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
    "store_surgery": ("lost_from_offset",),
}
"""Numbers that the state determines, by kind of event."""

A, B, C, H = sorted(RECORDINGS)

STARTING = "the slave connects within the same few ms; it and the proxy note that one by one"
BOUNDARY = "no message ends there: recovery cuts the log back to 0 all the same"

POSSIBLE: Mapping[tuple[str, int, str, Any], str] = {
    (A, 16, "ha_client_connected", True): STARTING,
    (C, 15, "ha_client_connected", True): STARTING,
    (H, 16, "ha_client_connected", True): STARTING,
    (H, 151, "ha_client_connected", True): STARTING,
    (H, 40, "ha_client_connected", False): (
        "the master is killed 1 ms later, and the proxy notes the end of the connection late"
    ),
    (A, 21, "connections.0.next_transfer_from", -1): (
        "the write service looks every 10 ms for the first report, which came 17 ms before"
    ),
    (H, 43, "lost_from_offset", 1): BOUNDARY,
    (H, 43, "lost_from_offset", 100): BOUNDARY,
}
"""Changes that give another possible recording: (file, seq, field, value)."""

PROGRESS = ("put", "ha_frame", "ha_report", "ha_link_open", "node_started", "node_kill9")
"""Events without which the rest cannot be explained."""


def replace_event(name: str, event: Event, *others: Event) -> Recording:
    """A recording with other events in the place of one."""
    recording = RECORDINGS[name]
    place = recording.events.index(event)
    events = (*recording.events[:place], *others, *recording.events[place + 1 :])
    return evolve(recording, events=events)


def is_explained(name: str, event: Event, **fields: Any) -> bool:
    """The recording with these fields changed conforms."""
    changed = evolve(event, data={**event.data, **fields})
    return check_recording(replace_event(name, event, changed)).verdict == CONFORMS


def change_numbers(event: Event) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """Each number changed: its name, the new value, and the changed field."""
    for field in NUMBERS.get(event.kind, ()):
        for value in {event.data[field] + step for step in STEPS if field in event.data}:
            yield field, value, {field: value}
    for place, connection in enumerate(event.data.get("connections", ())):
        for field, number in connection.items():
            for value in {number + step for step in STEPS}:
                connections = list(event["connections"])
                connections[place] = {**connection, field: value}
                yield f"connections.{place}.{field}", value, {"connections": connections}
    if "ha_client_connected" in event.data:
        value = not event["ha_client_connected"]
        yield "ha_client_connected", value, {"ha_client_connected": value}


def list_events(*kinds: str) -> list[Any]:
    """One test case for each event of these kinds in each recording."""
    return [
        pytest.param(name, event, id=f"{name}-{event.seq}-{event.kind}")
        for name, recording in RECORDINGS.items()
        for event in recording.events
        if event.kind in kinds
    ]


@pytest.mark.parametrize(("name", "event"), list_events("put"))
def test_another_put_status_is_refused(name: str, event: Event) -> None:
    """No put can have been answered in any other way."""
    assert is_explained(name, event)
    for status in {*STATUS_NAMES, "MESSAGE_ILLEGAL", "OK"} - {event["put_status"]}:
        assert not is_explained(name, event, put_status=status), status
    assert not is_explained(name, event, append_status="UNKNOWN_ERROR")


@pytest.mark.parametrize(("name", "event"), list_events(*NUMBERS))
def test_another_number_is_refused(name: str, event: Event) -> None:
    """No number can have been another one, but for the possible ones."""
    for field, value, changed in change_numbers(event):
        is_possible = (name, event.seq, field, value) in POSSIBLE
        assert is_explained(name, event, **changed) == is_possible, f"{field}={value}"


@pytest.mark.parametrize(("name", "event"), list_events("node_started", "snapshot"))
def test_offsets_beyond_the_log_are_refused(name: str, event: Event) -> None:
    """Nothing is flushed or dispatched that is not in the log."""
    for field in ("flushed_offset", "dispatched_offset"):
        assert not is_explained(name, event, **{field: event["max_offset"] + 1}), field
        assert not is_explained(name, event, **{field: -1}), field


@pytest.mark.parametrize(("name", "event"), list_events("put"))
def test_a_larger_body_than_was_written_is_refused(name: str, event: Event) -> None:
    """A stored message is larger than its body."""
    assert not is_explained(name, event, body_bytes=event["wrote_bytes"])


@pytest.mark.parametrize(("name", "event"), list_events(*PROGRESS))
def test_a_missing_line_is_refused(name: str, event: Event) -> None:
    """What later lines build on cannot be left out."""
    verdict = check_recording(replace_event(name, event))
    # A heartbeat may be left out of a recording; a report may be a repeated one.
    is_beat = event.kind == "ha_frame" and event["body_bytes"] == 0
    assert verdict.is_conforming == (is_beat or is_repeated(name, event))


def is_repeated(name: str, event: Event) -> bool:
    """The same number was reported before on the same connection."""
    return event.kind == "ha_report" and any(
        other.kind == event.kind
        and other.seq < event.seq
        and (other["conn"], other["slave_offset"]) == (event["conn"], event["slave_offset"])
        for other in RECORDINGS[name].events
    )


@pytest.mark.parametrize(("name", "event"), list_events("put", "ha_link_open", "node_kill9"))
def test_a_doubled_line_is_refused(name: str, event: Event) -> None:
    """What happens once happens once."""
    assert not check_recording(replace_event(name, event, event, event)).is_conforming


@pytest.mark.parametrize(("name", "event"), list_events("ha_frame"))
def test_a_doubled_frame_is_refused(name: str, event: Event) -> None:
    """The master never sends the same bytes again on a connection (R-HA-14)."""
    # Heartbeats look alike, and there may be any number of them.
    verdict = check_recording(replace_event(name, event, event, event))
    assert verdict.is_conforming == (event["body_bytes"] == 0)


def test_what_is_possible_is_argued() -> None:
    """Every exception names a field that is there, and a reason."""
    for name, seq, field, _ in POSSIBLE:
        event = next(event for event in RECORDINGS[name].events if event.seq == seq)
        assert field.split(".")[0] in event.data
    assert all(POSSIBLE.values())


def test_offsets_that_concurrent_puts_leave_open() -> None:
    """Eight puts at a time: what each producer saw afterwards depends on when it looked.

    The c4 of this recording saw 6626 reported and 6925 written. It may as well have looked before
    another report was read, or after another put was appended; but never below its own end, and
    never at an offset where no report or no message ends.
    """
    event = next(e for e in RECORDINGS[A].events if e.data.get("msg_id") == "c4")
    end = event["wrote_offset"] + event["wrote_bytes"]
    for offset in (end, 6626, 6925):
        assert is_explained(A, event, push2_slave_after=offset)
    for offset in (6925, 7224):
        assert is_explained(A, event, max_offset_after=offset)
    for offset in (0, 4832, 5729, end - 1, 6500, 7224):
        assert not is_explained(A, event, push2_slave_after=offset)
    for offset in (0, end - 1, 6327, 7000, 7225):
        assert not is_explained(A, event, max_offset_after=offset)


def test_flushes_that_no_one_saw_are_left_open() -> None:
    """A flush may have happened after any append since the last one; nothing tells after which."""
    event = next(e for e in RECORDINGS[H].events if e.seq == 39)
    for offset in (0, 801, 1602, 2403, 4806):
        assert is_explained(H, event, flushed_offset=offset)
    for offset in (800, 802, 1000, 4807):
        assert not is_explained(H, event, flushed_offset=offset)
