"""Of puts that nobody saw it is known all the same that a message has a head."""

from __future__ import annotations

from functools import cache

import pytest

from reference.recordings.ahead.plan import make_plan
from reference.recordings.judging import REJECTED, check_recording
from reference.recordings.log.limits.unseen import list_sure_ends, may_end_among
from reference.recordings.reading import Recording, read_recording
from reference.releases.versions import Version
from tests.reference.recordings.corruptions import change_event
from tests.reference.recordings.shared import TRACES

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
    """Unless the log has gone on into a second file."""
    assert list_sure_ends(make_plan(read(SYNC), Version())) == (0, 7990, 8189, 8371)
    assert list_sure_ends(make_plan(read(CRASH), Version())) == (0, 7990, 8392)
    assert list_sure_ends(make_plan(read(PULLS), Version())) == ()


def test_a_message_has_room_on_both_sides() -> None:
    """A message has 91 bytes at least; nothing is known beyond the last end."""
    allowed, refused = (0, 91, 909, 1000, 1091, 1109, 1200, 1201), (-1, 90, 910, 999, 1001, 1110)
    assert [o for o in (*allowed, *refused) if may_end_among((0, 1000, 1200), o)] == [*allowed]
    assert all(may_end_among((), offset) for offset in refused)
