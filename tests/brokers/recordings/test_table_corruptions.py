"""The checker refuses changed commits, queries, copies and tables.

What is accepted all the same is listed with the reason why no reader of the recording could tell.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Recording, read_recording
from tests.brokers.recordings.accepted import find_accepted, has_reason, is_accepted
from tests.brokers.recordings.corruptions import SHOWN_TABLES, corrupt
from tests.brokers.recordings.edits import Corruption, replace_event

TRACES = Path(__file__).parents[2] / "data" / "traces"
OFFSETS = TRACES / "x2_consumer_offsets_and_sync.jsonl"
CRASH = TRACES / "x3_master_crash_slave_offsets.jsonl"
CODES = TRACES / "x4_send_codes_sync_master.jsonl"


def nightly(*values: Any) -> Any:
    """A case that takes longer than its alike."""
    return pytest.param(*values, marks=pytest.mark.nightly)


WHOLE = 6
"""How many that look possible in their place are tried as whole recordings; nightly all of them."""


def list_taken(recording: Recording) -> list[Corruption]:
    """Corruptions that look possible in the place of their event."""
    return [
        each
        for each, is_taken in find_accepted(recording, corrupt(recording, SHOWN_TABLES))
        if is_taken
    ]


def is_of_master_progress(recording: Recording, each: Corruption) -> bool:
    """A corruption of a number of a master's progress, but for delayed delivery."""
    event = next(event for event in recording.events if event.seq == each.seq)
    is_offset = "offset" in each.name.partition(".")[2]
    is_delay = each.name == "tables.delay_offsets_in_memory"
    return event.data.get("node") == "master" and is_offset and not is_delay


@pytest.mark.parametrize(("path", "tried"), [nightly(OFFSETS, 1470), (CRASH, 370), (CODES, 70)])
def test_every_changed_field_is_refused(path: Path, tried: int) -> None:
    """Unless the reason why not stands above; progress of a master is known exactly."""
    recording, chance = read_recording(path), random.Random(path.stem)
    assert len(list(corrupt(recording, SHOWN_TABLES))) > tried
    wrong = [
        each
        for each in list_taken(recording)
        if not has_reason(each) or is_of_master_progress(recording, each)
    ]
    chosen = chance.sample(wrong, min(WHOLE, len(wrong)))
    assert not [each.name for each in chosen if is_accepted(recording, each)]


@pytest.mark.nightly
@pytest.mark.parametrize(("path", "most"), [(OFFSETS, 40), (CRASH, 15), (CODES, 15)])
def test_every_changed_field_is_refused_in_the_whole_recording(path: Path, most: int) -> None:
    """All that look possible in their place."""
    recording = read_recording(path)
    accepted = [each for each in list_taken(recording) if is_accepted(recording, each)]
    assert all(map(has_reason, accepted))
    assert not [each for each in accepted if is_of_master_progress(recording, each)]
    assert len(accepted) < most


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
