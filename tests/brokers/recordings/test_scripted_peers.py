"""Masters of our own with slaves that a script plays: explained, and refused if they did other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from brokers.recordings.judging import CONFORMS, REJECTED, check_recording
from brokers.recordings.reading import Event, Recording
from tests.brokers.recordings.edits import change_event
from tests.brokers.recordings.outside import see_from_outside
from tests.brokers.recordings.scripted import Scripted, Step

FAR = 2**40
END: Sequence[Step] = ((300, "look", 0),)
SCRIPTS: Mapping[str, Sequence[Step]] = {
    "ahead of its master": (
        (100, "connect", 1),
        (1200, "report", (1, 5000)),
        (50, "put", 300),
        (300, "look", 0),
        (50, "put", 300),
        (1500, "look", 0),
    ),
    "empty, and then in time": (
        (100, "connect", 1),
        (200, "report", (1, 0)),
        (50, "put", 300),
        (300, "report", (1, 393)),
        (300, "put", 300),
        (200, "report", (1, 786)),
        (1500, "look", 0),
    ),
    "lower than before": (
        (100, "connect", 1),
        (100, "report", (1, 0)),
        (50, "put", 300),
        (300, "report", (1, 393)),
        (50, "look", 0),
        (100, "report", (1, 100)),
        (100, "look", 0),
        (10, "put", 200),
        (4200, "look", 0),
        (10, "report", (1, 9000)),
        (100, "look", 0),
        (10, "put", 200),
        (300, "look", 0),
    ),
    "several at once": (
        (100, "connect", 1),
        (100, "report", (1, 10, 20, 0)),
        (50, "put", 300),
        (300, "look", 0),
        (500, "report", (1, 5, 393)),
        (200, "look", 0),
    ),
    "inside a message, and again": (
        (100, "put", 300),
        (1500, "put", 300),
        (1500, "connect", 1),
        (100, "report", (1, 100)),
        (300, "look", 0),
        (200, "cut", 1),
        (500, "look", 0),
        (100, "connect", 1),
        (100, "report", (1, 700)),
        (500, "look", 0),
    ),
    "beyond everything, and again": (
        (100, "connect", 1),
        (100, "report", (1, FAR)),
        (100, "look", 0),
        (50, "put", 300),
        (500, "report", (1, FAR)),
        (600, "look", 0),
        (600, "put", 300),
        (1000, "look", 0),
    ),
    "never": ((100, "connect", 1), (100, "put", 300), (4500, "look", 0)),
}
TWO: Sequence[Step] = (
    (100, "connect", 1),
    (10, "connect", 2),
    (100, "report", (1, 0)),
    (10, "report", (2, 700)),
    (50, "put", 300),
    (100, "put", 300),
    (300, "report", (1, 786)),
    (500, "look", 0),
)
RELEASES = ("4.4.0", "4.9.8", "5.3.3", "5.3.3-quorum")


def play(folder: Path, name: str, release: str = "4.4.0") -> Recording:
    """A script against a master of a release."""
    return Scripted(folder, release).play((*SCRIPTS[name], *END))


def check_both(recording: Recording) -> None:
    """It is explained with and without what is inside the master."""
    for each in (recording, see_from_outside(recording, has_statuses=True)):
        verdict = check_recording(each)
        assert verdict.verdict == CONFORMS, verdict


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_master_does_is_explained(tmp_path: Path, name: str) -> None:
    """Whatever its slave reports."""
    check_both(play(tmp_path, name))


@pytest.mark.nightly
@pytest.mark.parametrize("release", RELEASES[1:])
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_master_of_a_later_release_is_explained(tmp_path: Path, name: str, release: str) -> None:
    """One that compares reports closes the connection."""
    check_both(play(tmp_path, name, release))


@pytest.mark.parametrize("release", ["4.4.0", "5.3.3-quorum"])
def test_two_slaves_are_explained(tmp_path: Path, release: str) -> None:
    """Each reports for itself."""
    check_both(Scripted(tmp_path, release, slaves=2).play((*TWO, *END)))


def find(recording: Recording, kind: str, number: int = 0, **told: Any) -> int:
    """Where the so-and-so-manyth event of a kind stands that has these fields."""

    def has_all(event: Event) -> bool:
        return event.kind == kind and all(event.data.get(k) == v for k, v in told.items())

    return [place for place, event in enumerate(recording.events) if has_all(event)][number]


CHANGES = (
    ("ahead of its master", "ha_frame", {}, {"master_offset": 0}),
    ("ahead of its master", "put", {}, {"put_status": "SLAVE_NOT_AVAILABLE"}),
    ("ahead of its master", "put", {}, {"put_status": "FLUSH_SLAVE_TIMEOUT"}),
    ("ahead of its master", "snapshot", {}, {"push2_slave_max_offset": 393}),
    ("lower than before", "snapshot", {}, {"push2_slave_max_offset": 100}),
    ("lower than before", "put", {"put_status": "FLUSH_SLAVE_TIMEOUT"}, {"put_status": "PUT_OK"}),
    ("several at once", "ha_frame", {}, {"master_offset": 30}),
    ("inside a message, and again", "ha_frame", {}, {"master_offset": 101}),
    ("inside a message, and again", "ha_frame", {}, {"body_bytes": 600}),
    ("beyond everything, and again", "ha_frame", {}, {"master_offset": 393}),
)


@pytest.mark.parametrize(("name", "kind", "which", "changes"), CHANGES, ids=str)
def test_a_master_that_does_other_is_refused(
    tmp_path: Path, name: str, kind: str, which: dict[str, Any], changes: dict[str, Any]
) -> None:
    """A position that nobody asked for, or an answer that no report gives."""
    recording = play(tmp_path, name)
    changed = change_event(recording, find(recording, kind, **which), **changes)
    assert check_recording(changed).verdict == REJECTED


def test_a_master_may_close_only_for_a_report(tmp_path: Path) -> None:
    """4.4.0 takes any report; the same end is refused that 4.9.8 explains."""
    recording = play(tmp_path, "beyond everything, and again", "4.9.8")
    place = find(recording, "ha_link_close")
    assert check_recording(recording).verdict == CONFORMS
    event = recording.events[place]
    head = {**recording.config.data, "rocketmq": "4.4.0"}
    earlier = Recording("", Event(1, 0, 0.0, "config", head), recording.events)
    verdict = check_recording(earlier)
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, event.seq)


def test_nobody_plays_both_ends(tmp_path: Path) -> None:
    """Said in one line."""
    recording = play(tmp_path, "never")
    nodes = {name: {**node, "scripted": True} for name, node in recording.config["nodes"].items()}
    head = {**recording.config.data, "nodes": nodes}
    played = Recording("", Event(1, 0, 0.0, "config", head), recording.events)
    verdict = check_recording(played)
    assert (verdict.verdict, "nobody plays both ends" in verdict.reason) == (REJECTED, True)
