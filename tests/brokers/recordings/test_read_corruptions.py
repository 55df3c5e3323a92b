"""The checker refuses reads and progress that no broker has given, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import read_recording
from tests.brokers.recordings.changes.edits import change_event
from tests.brokers.recordings.shared import cut_behind

TRACES = Path(__file__).parents[2] / "data" / "traces"

READS = TRACES / "k_get_message.jsonl"
PULLS = TRACES / "x1_pull_decision_table.jsonl"
OFFSETS = TRACES / "x2_consumer_offsets_and_sync.jsonl"
CRASH = TRACES / "x3_master_crash_slave_offsets.jsonl"


def test_a_refusal_names_the_condition_that_decides() -> None:
    """As an answer does."""
    recording = read_recording(PULLS)
    place = next(i for i, e in enumerate(recording.events) if e.seq == 123)
    for changes, reason in (
        (
            {"suggest_which_broker_id": 0},
            "but 1 by the read decision (is_not_slow_with_slave_read)",
        ),
        (
            {"get_status": "NO_MATCHED_MESSAGE"},
            "but 'FOUND' by the read decision (is_message_found)",
        ),
        ({"next_begin_offset": 31}, "but 32 by the read decision (is_count_reached)"),
    ):
        verdict = check_recording(change_event(recording, place, **changes))
        assert (verdict.first_unexplained_seq, reason in verdict.reason) == (123, True)


def test_reads_of_a_stopped_broker_are_refused() -> None:
    """Nobody answers after the end of the process."""
    recording = read_recording(CRASH)
    place = next(i for i, e in enumerate(recording.events) if e.kind == "pull_message")
    verdict = check_recording(change_event(recording, place, node="master"))
    assert verdict.reason == "this broker does not run"


def test_group_settings_must_be_numbers() -> None:
    """A property of another type is told by its name."""
    recording = read_recording(READS)
    place = next(i for i, e in enumerate(recording.events) if e.kind == "set_config")
    props = {"accessMessageInMemoryMaxRatio": "much"}
    verdict = check_recording(change_event(recording, place, props=props))
    assert "accessMessageInMemoryMaxRatio is 'much', not a whole number" in verdict.reason


def test_progress_that_nobody_has_committed_is_refused() -> None:
    """On the master exactly, on a slave beside everything that the master had."""
    recording = read_recording(OFFSETS)
    seqs = [e.seq for e in recording.events if e.kind == "tables"]
    recording = cut_behind(recording, seqs[3])
    places = [i for i, e in enumerate(recording.events) if e.kind == "tables"]
    for place in places:
        event = recording.events[place]
        changed = {**event["consumer_offsets"], "T0@NOBODY": {"0": 1}}
        verdict = check_recording(change_event(recording, place, consumer_offsets=changed))
        assert "consumer_offsets is" in verdict.reason
        assert "T0@NOBODY" in verdict.reason
    for wrong in ({"T0@G01": 1}, {"T0@G01": {"zero": 1}}, {"T0@G01": {"0": 0.5}}):
        copy = change_event(recording, places[-1], consumer_offsets=wrong)
        assert "tables cannot be read" in check_recording(copy).reason


@pytest.mark.nightly
def test_a_broker_does_not_start_with_what_it_never_had() -> None:
    """Nobody has committed 7 to the same master."""
    recording = read_recording(CRASH)
    events = list(enumerate(recording.events))
    place = next(i for i, e in reversed(events) if e.kind == "broker_started")
    never = change_event(recording, place, consumer_offsets={"T0@G01": {"0": 7}})
    assert "consumer_offsets is" in check_recording(never).reason


def test_a_broker_starts_with_what_it_had() -> None:
    """The master of this recording comes back with the offsets of its last save."""
    recording = read_recording(CRASH)
    place, event = next(
        (i, e) for i, e in reversed(list(enumerate(recording.events))) if e.kind == "broker_started"
    )
    assert event["consumer_offsets"] == {"T0@G01": {"0": 5}}
    # Its latest offset is possible, but its file shows the older one.
    latest = change_event(recording, place, consumer_offsets={"T0@G01": {"0": 8}})
    assert check_recording(latest).first_unexplained_seq == event.seq
