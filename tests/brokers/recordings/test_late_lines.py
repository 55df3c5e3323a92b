"""Lines that came too late to be put in order: they explain themselves, or leave it open."""

from __future__ import annotations

from attrs import evolve

from brokers.recordings.inspection.unknown import find_unknown
from brokers.recordings.judging import CONFORMS, LATE_REASON, REJECTED, UNDECIDED, check_recording
from brokers.recordings.kinds import LATE
from brokers.recordings.reading import Recording, read_recording
from tests.brokers.recordings.shared import TRACES

RECORDING = read_recording(TRACES / "b_sync_no_slave.jsonl")


def change(recording: Recording, kind: str, **changes: object) -> Recording:
    """The first event of a kind is another one."""
    events = list(recording.events)
    place = next(i for i, event in enumerate(events) if event.kind == kind)
    events[place] = evolve(events[place], data={**events[place].data, **changes})
    return evolve(recording, events=tuple(events))


def test_what_cannot_be_explained_is_left_open() -> None:
    """Not rejected: the place of a late line may be what is wrong."""
    wrong = change(RECORDING, "put", wrote_offset=1)
    assert REJECTED == check_recording(wrong).verdict
    verdict = check_recording(change(wrong, "node_started", **{LATE: 300.0}))
    assert UNDECIDED == verdict.verdict
    assert LATE_REASON in verdict.reason


def test_what_can_be_explained_conforms() -> None:
    """And the field is known."""
    late = change(RECORDING, "node_started", **{LATE: 300.0})
    assert CONFORMS == check_recording(late).verdict
    assert not find_unknown(late).is_any
