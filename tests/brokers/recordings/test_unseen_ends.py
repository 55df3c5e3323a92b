"""Of puts that nobody saw it is known all the same that a message has a head."""

from __future__ import annotations

from functools import cache

import pytest
from attrs import evolve

from brokers.recordings.ahead.links import FutureValues
from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.ahead.unseen import has_room, list_sure_ends, may_end_among
from brokers.recordings.judging import REJECTED, check_recording
from brokers.recordings.reading import Recording, read_recording
from reference.releases.versions import Version
from reference.worlds.replication.parameters import Parameters
from tests.brokers.recordings.changes.edits import change_event
from tests.brokers.recordings.shared import TRACES

SYNC, CRASH, PULLS = (
    *("x2_consumer_offsets_and_sync", "x3_master_crash_slave_offsets"),
    "x1_pull_decision_table",
)


@cache
def read(name: str) -> Recording:
    """A recording of whole brokers."""
    return read_recording(TRACES / f"{name}.jsonl")


@pytest.mark.parametrize(
    ("name", "seq", "field", "shown"),
    [
        (SYNC, 183, "push2_slave_max_offset", -1),
        (SYNC, 183, "push2_slave_max_offset", 8370),
        (SYNC, 183, "dispatched_offset", 8281),
        (SYNC, 183, "connection_count", -1),
        (SYNC, 182, "push2_slave_before", 7989),
        (SYNC, 182, "push2_slave_after", 7991),
        (CRASH, 162, "push2_slave_max_offset", -1),
        (CRASH, 162, "push2_slave_max_offset", 8391),
        (CRASH, 162, "push2_slave_max_offset", 0),
        (CRASH, 162, "dispatched_offset", 8391),
        (CRASH, 162, "min_offset", -1),
        (CRASH, 162, "max_offset", 7989),
        (CRASH, 162, "connection_count", -1),
        (PULLS, 344, "push2_slave_max_offset", 34522),
    ],
)
def test_what_no_message_ends_at_is_refused(name: str, seq: int, field: str, shown: int) -> None:
    """Nor what has fallen, or what no counter falls to."""
    recording = read(name)
    place = next(i for i, event in enumerate(recording.events) if event.seq == seq)
    assert recording.events[place][field] != shown
    verdict = check_recording(change_event(recording, place, **{field: shown}))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, seq)


def test_ends_are_those_that_looks_and_puts_have_shown() -> None:
    """Unless a batch may end inside a message, or the log has fallen."""
    assert list_sure_ends(make_plan(read(SYNC), Version())) == (0, 7990, 8189, 8371)
    assert list_sure_ends(make_plan(read(CRASH), Version())) == (0, 7990, 8392)
    plan = make_plan(read(PULLS), Version())
    assert list_sure_ends(plan) == (0, 28284, 34523, 95920)
    small = evolve(plan.parameters, ha_transfer_batch_size_bytes=4096)
    assert list_sure_ends(evolve(plan, parameters=small)) == ()
    fallen = FutureValues((1.0, 2.0), (28284, 0))
    assert list_sure_ends(evolve(plan, end_observations=fallen)) == ()


SIZES = Parameters(mapped_file_size_bytes=4096)


def test_a_message_has_room_on_both_sides() -> None:
    """A message has 91 bytes at least."""
    allowed, refused = (91, 909, 1000, 1091, 1109, 1200, 1291), (90, 910, 999, 1001, 1110, 1201)
    assert [o for o in (*allowed, *refused) if has_room((0, 1000, 1200), o, SIZES)] == [*allowed]


def test_a_file_ends_with_a_blank_and_begins_with_a_message() -> None:
    """A blank has 8 bytes at least."""
    allowed, refused = (4001, 4088, 4096, 4187, 4309), (3990, 4089, 4095, 4097, 4186, 4310, 4399)
    ends = (0, 3900, 4400)
    assert [o for o in (*allowed, *refused) if has_room(ends, o, SIZES)] == [*allowed]


def test_a_slave_may_have_the_bytes_of_another_file() -> None:
    """Those of the second file up to 4400 end at 304 then; 303 is inside a message either way."""
    ends = (0, 250, 350, 4400)
    assert may_end_among(ends, 304, 4400, SIZES)
    assert not may_end_among(ends, 304, 4399, SIZES)
    assert not may_end_among(ends, 303, 4400, SIZES)
    assert may_end_among(ends, 0, 0, SIZES)
    assert not may_end_among(ends, -1, 4400, SIZES)
