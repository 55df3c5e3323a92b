"""The checker refuses every read of a recording in which one field was changed.

What is accepted all the same is listed with the reason why no reader of the recording could tell.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import read_recording
from tests.brokers.recordings import corruptions
from tests.brokers.recordings.accepted import find_accepted, has_reason, is_accepted
from tests.brokers.recordings.corruptions import corrupt
from tests.brokers.recordings.edits import Corruption, change_event
from tests.brokers.recordings.shared import cut_behind

TRACES = Path(__file__).parents[2] / "data" / "traces"

STORES = tuple(
    path
    for path in sorted(TRACES.glob("*.jsonl"))
    if '"get_message"' in path.read_text() and path.stem != "k_get_message"
)
"""Recordings with reads besides the one that is made of them."""
READS = TRACES / "k_get_message.jsonl"
PULLS = TRACES / "x1_pull_decision_table.jsonl"
OFFSETS = TRACES / "x2_consumer_offsets_and_sync.jsonl"
CRASH = TRACES / "x3_master_crash_slave_offsets.jsonl"

IN_PLACE = 300
"""How many corruptions of a recording are tried with every change in the place of their event."""

WHOLE = 2
"""How many of those that look possible there, and how many of the others, are tried as whole
recordings; nightly all corruptions are."""


def draw_reads(path: Path, count: int = IN_PLACE) -> tuple[list[Corruption], list[Corruption]]:
    """Some corruptions of reads: those that look possible in the place of their event, and others.

    Those that may be accepted are left out.
    """
    recording, chance = read_recording(path), random.Random(path.stem)
    every = list(corrupt(recording, corruptions.READS))
    found = list(find_accepted(recording, chance.sample(every, min(count, len(every)))))
    taken = [each for each, is_taken in found if is_taken and not has_reason(each)]
    return taken, [each for each, is_taken in found if not is_taken]


def name_accepted(path: Path, corruptions: Iterable[Corruption]) -> list[tuple[str, int, str]]:
    """Those that conform as a whole."""
    recording = read_recording(path)
    accepted = (each for each in corruptions if is_accepted(recording, each))
    return [(each.name, each.seq, each.change) for each in accepted]


QUICK = (READS, PULLS, CRASH)


@pytest.mark.parametrize(
    "path",
    [
        path if path in QUICK else pytest.param(path, marks=pytest.mark.nightly)
        for path in (READS, PULLS, OFFSETS, CRASH, *STORES)
    ],
    ids=lambda path: path.stem,
)
def test_a_sample_of_changed_fields_is_refused(path: Path) -> None:
    """Unless the reason why not stands above; and a few whole recordings agree."""
    taken, others = draw_reads(path)
    assert others
    assert not name_accepted(path, [*taken[:WHOLE], *others[:WHOLE]])


@pytest.mark.nightly
def test_nearly_every_changed_pull_is_refused() -> None:
    """All but inputs that do not matter."""
    recording = read_recording(PULLS)
    found = list(find_accepted(recording, corrupt(recording, corruptions.READS)))
    assert len(found) > 11_000
    inputs = {"pull_message.slave_read_enable", "pull_message.offset_check_in_slave"}
    left = [each for each, is_taken in found if is_taken and each.name in inputs]
    assert 0 < len(left) < 0.04 * len(found)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "path", [READS, PULLS, OFFSETS, CRASH, *STORES], ids=lambda path: path.stem
)
def test_every_changed_field_is_refused_in_the_whole_recording(path: Path) -> None:
    """Every corruption as a recording of its own; if far, only those that look possible."""
    recording = read_recording(path)
    every = list(corrupt(recording, corruptions.READS))
    far = [each for each in every if each.name.startswith("far ")]
    near = [each for each in every if not each.name.startswith("far ")]
    tried = [*near, *(each for each, is_taken in find_accepted(recording, far) if is_taken)]
    assert all(has_reason(each) for each in tried if is_accepted(recording, each))


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
