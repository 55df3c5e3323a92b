"""Answers of brokers about themselves: true ones are explained, changed ones are refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import evolve

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.recordings.outside import make_status
from tests.brokers.recordings.shared import TRACES

NAMES = ("f_slave_restart_resume", "h_slave_ahead_misaligned", "j_rollover")


def add_statuses(recording: Recording, place: int = -1, **changes: int) -> tuple[Recording, int]:
    """A status after each look, those at one place changed; and the number of that one."""
    changed = -1

    def list_events() -> Iterator[Event]:
        nonlocal changed
        looks = 0
        for event in recording.events:
            yield evolve(event, seq=event.seq * 2)
            if event.kind == "snapshot":
                is_changed = looks == place
                changed = event.seq * 2 + 1 if is_changed else changed
                yield make_status(event, event.seq * 2 + 1, **(changes if is_changed else {}))
                looks += 1

    return evolve(recording, events=tuple(list_events())), changed


def list_looks(recording: Recording) -> list[Event]:
    """The looks that a status follows."""
    return [event for event in recording.events if event.kind == "snapshot"]


@pytest.mark.parametrize("name", NAMES[:1])
def test_true_answers_are_explained(name: str) -> None:
    """After each look at a broker."""
    check_true_answers(name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES[1:])
def test_more_true_answers_are_explained(name: str) -> None:
    """The same for longer recordings."""
    check_true_answers(name)


def check_true_answers(name: str) -> None:
    """All of a recording."""
    recording, _ = add_statuses(read_recording(TRACES / f"{name}.jsonl"))
    verdict = check_recording(recording)
    assert verdict.is_conforming, verdict.reason


CHANGES = (
    {"max_offset": -1},
    {"max_offset": 1},
    {"min_offset": 1},
    {"min_offset": 16384},
    {"dispatch_behind_bytes": 1},
    pytest.param({"dispatch_behind_bytes": -1}, marks=pytest.mark.nightly),
    {"max_offset": 10**9, "dispatch_behind_bytes": 10**9},
)


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_a_changed_answer_is_refused(changes: dict[str, int]) -> None:
    """At its own line."""
    recording = read_recording(TRACES / "f_slave_restart_resume.jsonl")
    looks = list_looks(recording)
    place = next(
        place
        for place, look in enumerate(looks)
        if place and look["max_offset"] and look["max_offset"] == looks[place - 2]["max_offset"]
    )
    changed, seq = add_statuses(recording, place, **changes)
    verdict = check_recording(changed)
    assert (False, seq) == (verdict.is_conforming, verdict.first_unexplained_seq)
