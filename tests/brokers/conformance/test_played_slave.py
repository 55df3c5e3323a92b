"""A slave that a script plays: what its master does is explained, and anything else is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.broker.broker import Broker
from brokers.broker.settings import Settings
from brokers.conformance.cases.master_strangers import CASES
from brokers.recordings.judging import CONFORMS, REJECTED, check_recording
from brokers.recordings.reading import Recording, number_lines
from tests.brokers.broker.simulated.network import SimulatedHost
from tests.brokers.conformance.simulated_broker import play_case
from tests.brokers.recordings.changes.edits import change_event

BY_NAME = {case.name: case for case in CASES}
AHEAD, INSIDE, FAR, FALLS, THREE = (
    "a request ahead is taken as it is",
    "a request inside a message",
    "a report far beyond the master's end acknowledges",
    "a report that falls takes nothing back",
    "of three reports in one piece the last one counts",
)
LOOK_MS = 470.0


def play(folder: Path, name: str, release: str = "4.4.0") -> Recording:
    """A case against a master of our own, which is looked at again and again."""
    looks: list[dict[str, Any]] = []

    def make_broker(settings: Settings, host: SimulatedHost) -> Broker:
        def take(line: bytes) -> None:
            told = json.loads(line)
            if told["ev"] == "snapshot":
                looks.append({**told, "t_ms": round(host.now_ms(), 3)})

        def look() -> None:
            broker.events.write_snapshot()
            host.after(LOOK_MS, look)

        broker = Broker(settings, host, take, "master")
        host.after(LOOK_MS, look)
        return broker

    recording = play_case(BY_NAME[name], folder, release, make_broker=make_broker).recording
    lines = sorted([*(e.data for e in recording.events), *looks], key=lambda line: line["t_ms"])
    return number_lines(name, [recording.config.data, *lines])


def find(recording: Recording, kind: str, number: int = 0) -> int:
    """Where the so-and-so-manyth event of a kind stands."""
    return [place for place, e in enumerate(recording.events) if e.kind == kind][number]


@pytest.mark.parametrize(
    "release", ["4.4.0", *(pytest.param(r, marks=pytest.mark.nightly) for r in ("4.9.8", "5.3.3"))]
)
@pytest.mark.parametrize("name", BY_NAME)
def test_what_a_master_does_is_explained(tmp_path: Path, name: str, release: str) -> None:
    """Whatever is reported, also where the master shows what it counts."""
    recording = play(tmp_path, name, release)
    assert any(event.kind == "snapshot" for event in recording.events)
    verdict = check_recording(recording)
    assert verdict.verdict == CONFORMS, verdict.reason


CHANGES = (
    (AHEAD, "ha_frame", 0, {"master_offset": 0}),
    (FAR, "put", -1, {"put_status": "SLAVE_NOT_AVAILABLE"}),
    (FAR, "put", -1, {"put_status": "FLUSH_SLAVE_TIMEOUT"}),
    (FAR, "ha_frame", 0, {"master_offset": 1616}),
    (FAR, "snapshot", -1, {"push2_slave_max_offset": 2402}),
    (FALLS, "snapshot", -1, {"push2_slave_max_offset": 5}),
    (FALLS, "put", -1, {"put_status": "FLUSH_SLAVE_TIMEOUT"}),
    ("half of a report is none", "put", -1, {"put_status": "PUT_OK"}),
    (THREE, "ha_frame", -1, {"master_offset": 404}),
    (INSIDE, "ha_frame", 0, {"master_offset": 501}),
    (INSIDE, "ha_frame", 1, {"body_bytes": 1012}),
)
"""The case, the event by kind and number, and what is another value there."""


@pytest.mark.parametrize(("name", "kind", "number", "changes"), CHANGES)
def test_a_master_that_does_other_is_refused(
    tmp_path: Path, name: str, kind: str, number: int, changes: Mapping[str, Any]
) -> None:
    """A position that nobody asked for, or an answer that no report gives."""
    recording = play(tmp_path, name)
    changed = change_event(recording, find(recording, kind, number), **changes)
    assert check_recording(changed).verdict == REJECTED


def with_head(recording: Recording, **fields: Any) -> Recording:
    """The recording with another first line."""
    head = {**recording.config.data, **fields}
    return evolve(recording, config=evolve(recording.config, data=head))


def test_a_master_may_close_only_for_a_report(tmp_path: Path) -> None:
    """4.4.0 takes any report; the same end is refused that 4.9.8 explains."""
    recording = play(tmp_path, THREE, "4.9.8")
    assert check_recording(recording).verdict == CONFORMS
    event = recording.events[find(recording, "ha_link_close")]
    verdict = check_recording(with_head(recording, rocketmq="4.4.0"))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, event.seq)


def test_nobody_plays_both_ends(tmp_path: Path) -> None:
    """Said in one line."""
    recording = play(tmp_path, "a slave that only connects is left")
    nodes = {name: {**node, "scripted": True} for name, node in recording.config["nodes"].items()}
    verdict = check_recording(with_head(recording, nodes=nodes))
    assert (verdict.verdict, "nobody plays both ends" in verdict.reason) == (REJECTED, True)
