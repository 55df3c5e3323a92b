"""The checker refuses changed commits, queries, copies and tables.

What is accepted all the same is listed with the reason why no reader of the recording could tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from attrs import evolve

from reference.recordings.judging import check_recording
from reference.recordings.reading import Recording, read_recording
from tests.reference.recordings.accepted import find_accepted, is_accepted
from tests.reference.recordings.corruptions import Corruption, replace_event
from tests.reference.recordings.table_corruptions import corrupt_tables

TRACES = Path(__file__).parents[2] / "data" / "traces"
OFFSETS = TRACES / "x2_consumer_offsets_and_sync.jsonl"
CRASH = TRACES / "x3_master_crash_slave_offsets.jsonl"
CODES = TRACES / "x4_send_codes_sync_master.jsonl"

OWN_COPY = "the slave copies by itself at a time that no event tells"
FIRST_LOOK = "a broker that is seen for the first time has what its files hold"
NOTHING_STORED = "a group or queue without progress has the same answer"

POSSIBLE: Mapping[str, str] = {
    "broker_started.topics": FIRST_LOOK,
    "broker_started.topic_data_version_counter": FIRST_LOOK,
    "broker_started.subscription_group_data_version_counter": FIRST_LOOK,
    "query_consumer_offset.queue": NOTHING_STORED,
    "query_consumer_offset.group": NOTHING_STORED,
    "query_consumer_offset.topic": NOTHING_STORED,
    "query_consumer_offset.answer": "the memory ratio is set without an event that tells it",
    "pull_message.commit_offset": "a slave takes no progress from a pull",
    "tables.consumer_offsets": OWN_COPY,
    "tables.consumer_offset_file": OWN_COPY,
    "tables.subscription_group_data_version_counter": OWN_COPY,
    "tables.delay_offsets_in_memory": "the master delivers at a time that no event tells",
}
"""Why a corruption of a field may be accepted."""


def list_accepted(recording: Recording) -> Iterator[Corruption]:
    """Corruptions that are accepted in their place, and then as a whole recording."""
    for corruption, is_taken in find_accepted(recording, corrupt_tables(recording)):
        if is_taken and is_accepted(corruption):
            yield corruption


@pytest.mark.parametrize(
    ("path", "tried", "most"), [(OFFSETS, 1470, 40), (CRASH, 370, 15), (CODES, 70, 15)]
)
def test_every_changed_field_is_refused(path: Path, tried: int, most: int) -> None:
    """Unless the reason why not stands above."""
    recording = read_recording(path)
    assert len(list(corrupt_tables(recording))) > tried
    accepted = list(list_accepted(recording))
    assert {each.category for each in accepted} <= set(POSSIBLE)
    assert len(accepted) < most


def test_progress_of_a_master_is_known_exactly() -> None:
    """No changed number of a master's progress is accepted, in memory or on disk."""
    for path in (OFFSETS, CRASH):
        recording = read_recording(path)
        masters = {event.seq for event in recording.events if event.data.get("node") == "master"}
        for each in list_accepted(recording):
            assert (
                each.seq not in masters
                or "offset" not in each.category.partition(".")[2]
                or (each.category == "tables.delay_offsets_in_memory")
            )


@pytest.mark.parametrize(
    ("path", "kind", "unnoticed"),
    [
        (OFFSETS, "sync_all", [186]),
        (OFFSETS, "update_consumer_offset", []),
        (OFFSETS, "update_topic", []),
        (OFFSETS, "update_subscription_group", []),
        (CRASH, "register_broker", []),
        (CRASH, "sync_all", [90, 148]),
        (CRASH, "update_consumer_offset", []),
        (CRASH, "persist_consumer_offsets", [66]),
    ],
)
def test_left_out_events_are_noticed(path: Path, kind: str, unnoticed: list[int]) -> None:
    """Without the commit, the copy or the registration, a later look cannot be explained.

    Three may be missing: a copy without a master does nothing, a broker persists and copies by
    itself at about the same time, and how far delayed delivery was at a copy is not told exactly.
    """
    recording = read_recording(path)
    places = [i for i, event in enumerate(recording.events) if event.kind == kind]
    conforming = [
        recording.events[place].seq
        for place in places
        if check_recording(replace_event(recording, place)).is_conforming
    ]
    assert conforming == unnoticed


def test_a_recording_that_leaves_too_much_open_is_followed_no_further() -> None:
    """Many commits while the slave may copy at any time: what comes later is not judged."""
    recording = read_recording(OFFSETS)
    place, event = next((i, e) for i, e in enumerate(recording.events) if e.seq == 127)
    fields = {"group": "MANY", "offset": 0}
    few = [evolve(event, data={**event.data, **fields, "offset": n}) for n in range(20)]
    many = [evolve(event, data={**event.data, **fields, "offset": n}) for n in range(200)]
    verdict = check_recording(replace_event(recording, place, event, *few))
    assert "consumer_offsets" in verdict.reason
    assert check_recording(replace_event(recording, place, event, *many)).is_conforming
