"""Recordings without what only a program in the broker knows: explained, and refused if changed.

A sample runs with every change, all of them nightly.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from attrs import evolve

from brokers.recordings.inspection.looks import Place
from brokers.recordings.judging import REJECTED, check_recording
from brokers.recordings.reading import Event, Recording, TraceError, read_recording
from tests.brokers.recordings.changes.allowed import find_reason
from tests.brokers.recordings.changes.edits import Corruption, change_event
from tests.brokers.recordings.changes.events import change_events
from tests.brokers.recordings.changes.perturber import read_again
from tests.brokers.recordings.changes.values import change_values
from tests.brokers.recordings.outside import see_from_outside
from tests.brokers.recordings.shared import LATER, LATEST, TRACES, list_recordings

QUICK = ("f_slave_restart_resume", "m_master_kill9_page_cache", "h_slave_ahead_misaligned")
CHANGED = "f_slave_restart_resume"

INSIDERS = ("k_get_message", "x4_send_codes_sync_master")
"""Recordings whose links nobody sees: without looks at the brokers nothing shows what came."""

EVERY = [
    path
    for folder in (TRACES, LATER, LATEST)
    for path in list_recordings(folder)
    if path.stem not in INSIDERS and "controller" not in path.stem
]

SAMPLE = 2
"""Corruptions of each kind that are tried of a recording."""

REFUSED_SHARE = 0.8
"""How many of those changes are refused at least that the table does not allow."""

HIDDEN = ("abort_file_present",)
"""What nobody outside can tell: whether the dispatch has come to the end of a log."""


def check_from_outside(path: Path, *, has_statuses: bool) -> None:
    """It conforms without what is inside."""
    recording = see_from_outside(read_recording(path), has_statuses=has_statuses)
    verdict = check_recording(recording)
    assert verdict.is_conforming, verdict


@pytest.mark.parametrize("name", QUICK)
def test_what_is_left_is_explained(name: str) -> None:
    """Starts, puts, links, and answers of brokers about themselves."""
    check_from_outside(TRACES / f"{name}.jsonl", has_statuses=True)


@pytest.mark.nightly
@pytest.mark.parametrize("has_statuses", [False, True])
@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_every_recording_is_explained_from_outside(path: Path, *, has_statuses: bool) -> None:
    """Of every release, with and without such answers."""
    check_from_outside(path, has_statuses=has_statuses)


def find_place(recording: Recording, kind: str, number: int) -> int:
    """Where the event of a kind stands, counted from 0; a heartbeat does not count."""
    places = [
        place
        for place, event in enumerate(recording.events)
        if event.kind == kind and event.data.get("body_bytes") != 0
    ]
    return places[number]


CHANGES = (
    ("put", 2, {"put_status": "FLUSH_SLAVE_TIMEOUT"}),
    ("put", 2, {"put_status": "SLAVE_NOT_AVAILABLE"}),
    ("put", 2, {"wrote_offset": 1}),
    ("put", 2, {"queue_offset": 5}),
    ("ha_report", 2, {"slave_offset": 7}),
    ("ha_frame", 2, {"master_offset": 7}),
    ("ha_frame", 2, {"body_bytes": 7}),
    ("broker_status", 5, {"max_offset": 10**6}),
    ("broker_status", 5, {"max_offset": 0, "dispatch_behind_bytes": 0}),
    ("broker_status", 5, {"dispatch_behind_bytes": 10**6}),
)


@pytest.mark.parametrize(("kind", "number", "changes"), CHANGES, ids=str)
def test_a_changed_one_is_refused(kind: str, number: int, changes: dict[str, object]) -> None:
    """What is left is judged as strictly as before."""
    path = TRACES / f"{CHANGED}.jsonl"
    recording = see_from_outside(read_recording(path), has_statuses=True)
    place = find_place(recording, kind, number)
    assert any(recording.events[place][name] != value for name, value in changes.items())
    assert check_recording(change_event(recording, place, **changes)).verdict == REJECTED


def test_a_wait_is_no_shorter_for_the_way() -> None:
    """A put that is answered FLUSH_SLAVE_TIMEOUT at once, over the network as inside."""
    recording = see_from_outside(read_recording(TRACES / "c_sync_stall_heal.jsonl"))
    place = next(
        place
        for place, event in enumerate(recording.events)
        if event.data.get("put_status") == "FLUSH_SLAVE_TIMEOUT"
    )
    event = recording.events[place]
    short = {"duration_ms": 300.0, "t_begin_ms": event.t_ms - 300.0}
    assert check_recording(recording).is_conforming
    assert check_recording(change_event(recording, place, **short)).verdict == REJECTED


def shift_answers(recording: Recording, late_ms: float) -> Recording:
    """A copy whose producer is as far away: it calls earlier and hears the answer later."""

    def shift(event: Event) -> Event:
        if event.kind != "put":
            return event
        data = {
            **event.data,
            "t_begin_ms": event["t_begin_ms"] - late_ms,
            "t_ms": event.t_ms + late_ms,
            "duration_ms": event["duration_ms"] + 2 * late_ms,
        }
        return evolve(event, t_ms=event.t_ms + late_ms, data=data)

    moved = sorted(map(shift, recording.events), key=lambda event: event.t_ms)
    numbered = tuple(evolve(event, seq=number) for number, event in enumerate(moved, start=1))
    return evolve(recording, events=numbered)


@pytest.mark.parametrize("late_ms", [3.0, 25.0])
def test_the_way_of_a_request_is_no_matter(late_ms: float) -> None:
    """Some ms each way, as over a network."""
    recording = see_from_outside(read_recording(TRACES / f"{CHANGED}.jsonl"))
    verdict = check_recording(shift_answers(recording, late_ms))
    assert verdict.is_conforming, verdict


@pytest.mark.nightly
def test_changed_ones_are_refused_from_outside() -> None:
    """A part of them in each recording."""
    chance, tried, refused = random.Random(29), Counter[str](), Counter[str]()
    for path in EVERY[::4]:
        by_kind: dict[str, list[Corruption]] = defaultdict(list)
        recording = see_from_outside(read_recording(path))
        for each in (*change_values(recording, chance, is_shown), *change_events(recording)):
            if not find_reason(each) and not each.name.endswith(HIDDEN):
                by_kind[each.name].append(each)
        for kind, found in by_kind.items():
            for each in chance.sample(found, min(SAMPLE, len(found))):
                tried[kind] += 1
                refused[kind] += is_refused(each.apply(recording))
    assert refused.total() > REFUSED_SHARE * tried.total() > 400, tried - refused


def is_shown(_: int, path: Place) -> bool:
    """A field of a put or of a link."""
    return path[0] in ("slave_offset", "master_offset", "body_bytes", "wrote_offset", "put_status")


def is_refused(copy: Recording) -> bool:
    """It is no recording, or rejected."""
    try:
        return check_recording(read_again(copy)).verdict == REJECTED
    except TraceError:
        return True
