"""Copies of which many events are changed: no steps of the rules lead there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import CONFORMS, REJECTED, check_exactly
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.recordings.shared import DATA

Change = Callable[[Event], Mapping[str, Any]]


def change_events(recording: Recording, kind: str, change: Change, first: int = 0) -> Recording:
    """A copy in which every event of a kind, from one on, is changed."""
    events, seen = [], 0
    for event in recording.events:
        changed = event
        if event.kind == kind:
            changes = change(event) if seen >= first else {}
            changed = evolve(event, data={**event.data, **changes})
            seen += 1
        events.append(changed)
    return evolve(recording, events=tuple(events))


def of_master(name: str, value: int) -> Change:
    """A field of a master's snapshots gets this value."""
    return lambda event: {name: value} if event["node"] == "master" else {}


CORRUPTIONS: Mapping[str, tuple[str, Change, int]] = {
    "a report that the slave cannot have made": (
        *("ha_report", lambda e: {"slave_offset": e["slave_offset"] + 1}, 3),
    ),
    "a frame from elsewhere": (
        *("ha_frame", lambda e: {"master_offset": e["master_offset"] + 1}, 4),
    ),
    "an answer that needs a time-out": (
        *("put", lambda _: {"put_status": "SLAVE_NOT_AVAILABLE"}, 2),
    ),
    "a report that the master has not read": (
        *("snapshot", of_master("push2_slave_max_offset", 7), 2),
    ),
    "a connection too many": ("snapshot", of_master("connection_count", 2), 3),
    "a file too many": ("snapshot", of_master("mapped_files", 9), 3),
}
"""In words: the kind of event, what is changed, and from which event of the kind on."""


@pytest.mark.parametrize("what", CORRUPTIONS)
def test_corrupted_copies_are_not_explained(what: str) -> None:
    """Nothing that the rules can do leads there."""
    recording = read_recording(DATA / "traces" / "a_sync_healthy.jsonl")
    kind, change, first = CORRUPTIONS[what]
    copy = change_events(recording, kind, change, first)
    assert copy != recording
    assert check_exactly(copy).verdict == REJECTED


@pytest.mark.parametrize("flushed_offset", [65_535, 65_537])
def test_a_flush_of_too_few_pages_counts_up_to_the_first_file_only(flushed_offset: int) -> None:
    """A new slave's first flush moves its position to where its log begins, and nowhere else."""
    recording = read_recording(DATA / "traces" / "g_new_slave_joins_old_master.jsonl")
    events = tuple(
        evolve(e, data={**e.data, "flushed_offset": flushed_offset}) if e.seq == 130 else e
        for e in recording.events
        if e.seq <= 130
    )
    copy = evolve(recording, events=events)
    verdict = check_exactly(copy)
    assert not verdict.is_conforming
    assert verdict.first_unexplained_seq == 130


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["flushed_offset", "dispatched_offset"])
def test_frozen_counters_are_overdue(name: str) -> None:
    """A broker that never flushes or dispatches is not explained: nothing holds that back."""
    recording = read_recording(DATA / "traces" / "s_idle_default_5000_20000.jsonl")
    copy = change_events(recording, "snapshot", of_master(name, 0))
    verdict = check_exactly(copy)
    assert verdict.verdict != CONFORMS
    assert name in verdict.reason
