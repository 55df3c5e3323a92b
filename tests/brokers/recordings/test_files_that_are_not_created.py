"""A put whose next file cannot be created leaves a blank, which a restart cuts off (R-CL-04)."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.recordings.changes.edits import change_event
from tests.brokers.recordings.shared import FOUND, may_stand_at

TORN, SKIPPED = "torn_roll_kill", "full_file_skipped"
BLANK, RESTART, AFTER, LOOK_AT_SLAVE, READ = 228, 269, 287, 296, 303
"""Of the first: the put that left the blank, the start without it, the put in its place, and what
is shown of the slave's queue, from which a message is missing."""
POSITION, FAILED = 146, 174
"""Of the second: where the master sends from, and the put whose blank has filled its file."""


@cache
def read(name: str) -> Recording:
    """One of the two recordings."""
    return read_recording(FOUND / f"{name}.jsonl")


def get(name: str, seq: int) -> Event:
    """One of its events."""
    return next(event for event in read(name).events if event.seq == seq)


def is_explained(name: str, seq: int, **changes: Any) -> bool:
    """The event with these fields changed may stand in its place."""
    event = get(name, seq)
    return may_stand_at(read(name), evolve(event, data={**event.data, **changes}))


def conforms(name: str, seq: int, **changes: Any) -> bool:
    """The recording with these fields of an event changed conforms."""
    recording = read(name)
    place = recording.events.index(get(name, seq))
    return check_recording(change_event(recording, place, **changes)).is_conforming


@pytest.mark.parametrize(
    "changes",
    [
        {"put_status": "PUT_OK"},
        {"put_status": "FLUSH_DISK_TIMEOUT"},
        {"wrote_offset": 13000, "wrote_bytes": 3384},
        {"wrote_bytes": 2383},
        {"queue_offset": 8},
        {"duration_ms": 5.0},
        {"append_status": "PUT_OK"},
    ],
    ids=", ".join,
)
def test_a_blank_is_answered_so_and_lies_at_the_end(changes: dict[str, Any]) -> None:
    """Its answer, its place and its end are fixed; the call takes as long as its times tell."""
    assert is_explained(TORN, BLANK)
    assert not conforms(TORN, BLANK, **changes)


def test_no_put_waits_longer_for_its_file() -> None:
    """``AllocateMappedFileService`` gives up after five seconds."""
    event = get(SKIPPED, FAILED)
    begin_ms = event["t_begin_ms"] - 4000
    longer = {"t_begin_ms": begin_ms, "duration_ms": event["duration_ms"] + 4000}
    assert not conforms(SKIPPED, FAILED, **longer)


@pytest.mark.parametrize("end", [13000, 14001, 15000, 16384])
def test_a_restart_cuts_off_the_blank_alone(end: int) -> None:
    """Neither more nor less, for the next file was not there (R-RC-04)."""
    changed = dict.fromkeys(("max_offset", "flushed_offset", "dispatched_offset"), end)
    assert not conforms(TORN, RESTART, **changed, slave_fall_behind=end)


def test_without_the_blank_there_is_nothing_to_send() -> None:
    """The bytes behind the last message, and what the master positions at, come from that put."""
    for name, seq in ((TORN, BLANK), (SKIPPED, FAILED)):
        recording = read(name)
        events = tuple(event for event in recording.events if event.seq != seq)
        assert not check_recording(evolve(recording, events=events)).is_conforming
    assert not conforms(SKIPPED, POSITION, master_offset=0)


def test_a_message_that_never_came_moves_the_places_behind_it() -> None:
    """The slave's queue has one entry less; by the places that messages name it would have more."""
    queues = get(TORN, LOOK_AT_SLAVE)["queues"]
    assert get(TORN, AFTER)["queue_offset"] == 7
    assert queues["T0-0"] == [0, 8]
    assert not is_explained(TORN, LOOK_AT_SLAVE, queues={**queues, "T0-0": [0, 9]})
    assert not is_explained(TORN, LOOK_AT_SLAVE, queues={**queues, "T0-0": [0, 7]})
    ids = [*get(TORN, READ)["msg_ids"][:-1], "x1000"]
    assert not is_explained(TORN, READ, msg_ids=ids)
    assert not is_explained(TORN, READ, max_offset=9)
