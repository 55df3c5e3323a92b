"""The checker notices commits, copies and registrations that are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Recording, read_recording
from tests.brokers.recordings.changes.edits import replace_event

TRACES = Path(__file__).parents[2] / "data" / "traces"
OFFSETS = TRACES / "x2_consumer_offsets_and_sync.jsonl"
CRASH = TRACES / "x3_master_crash_slave_offsets.jsonl"


def nightly(*values: Any) -> Any:
    """A case that takes longer than its alike."""
    return pytest.param(*values, marks=pytest.mark.nightly)


def leave_out_logs(recording: Recording) -> Recording:
    """A recording without the lines of the brokers' own logs."""
    events = tuple(event for event in recording.events if event.kind != "log")
    return evolve(recording, events=events)


@pytest.mark.parametrize(
    ("path", "kind", "unnoticed"),
    [
        nightly(OFFSETS, "sync_all", [186]),
        (OFFSETS, "update_consumer_offset", []),
        (OFFSETS, "update_topic", []),
        (OFFSETS, "update_subscription_group", []),
        (CRASH, "register_broker", []),
        (CRASH, "sync_all", [90]),
        (CRASH, "update_consumer_offset", []),
        (CRASH, "persist_consumer_offsets", [66]),
    ],
)
def test_left_out_events_are_noticed(path: Path, kind: str, unnoticed: list[int]) -> None:
    """Without the commit, the copy or the registration, a later look cannot be explained.

    Three may be missing: a copy without a master does nothing, a broker persists by itself at about
    the same time, and how far delayed delivery was at a copy is not told exactly. A topic is told
    by the log of its broker as well, which is left out here.
    """
    whole = read_recording(path)
    recording = leave_out_logs(whole) if kind == "update_topic" else whole
    places = [i for i, event in enumerate(recording.events) if event.kind == kind]
    conforming = [
        recording.events[place].seq
        for place in places
        if check_recording(replace_event(recording, place)).is_conforming
    ]
    assert conforming == unnoticed


def test_a_recording_that_leaves_too_much_open_is_followed_no_further() -> None:
    """Many commits while the slave may copy at any time: what comes later is not judged."""
    recording = leave_out_logs(read_recording(OFFSETS))
    place, event = next((i, e) for i, e in enumerate(recording.events) if e.seq == 127)
    fields = {"group": "MANY", "offset": 0}
    few = [evolve(event, data={**event.data, **fields, "offset": n}) for n in range(20)]
    many = [evolve(event, data={**event.data, **fields, "offset": n}) for n in range(200)]
    verdict = check_recording(replace_event(recording, place, event, *few))
    assert "consumer_offsets" in verdict.reason
    assert check_recording(replace_event(recording, place, event, *many)).is_conforming
