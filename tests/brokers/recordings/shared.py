"""The shared recordings of real brokers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Event, Recording, read_recording
from tests.compressed import unpack

DATA = Path(__file__).parents[2] / "data"
TRACES = DATA / "traces"
LATER = DATA / "traces_498"
LATEST = DATA / "traces_5x"
FOUND = unpack(DATA / "traces_by_search")

ALL = tuple(path for f in (TRACES, LATER, LATEST, FOUND) for path in sorted(f.glob("*.jsonl")))
"""Every recording that the repository has: all of them conform."""


def list_recordings(folder: Path) -> list[Path]:
    """The recordings of a folder."""
    return [path for path in ALL if path.parent == folder]


def list_cases(paths: Iterable[Path], slow: tuple[str, ...]) -> list[Any]:
    """One case for each recording; those whose names begin so are tried nightly only."""
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.nightly] * path.stem.startswith(slow))
        for path in paths
    ]


def cut_behind(recording: Recording, seq: int) -> Recording:
    """The recording up to an event: a later one has nothing to do with what is tried."""
    return evolve(recording, events=tuple(e for e in recording.events if e.seq <= seq))


def change(path: Path, seq: int, **fields: Any) -> Recording:
    """A recording with some fields of one event changed."""
    return rewrite(path, lambda data: {**data, **fields} if data["seq"] == seq else data)


def rewrite(path: Path, edit: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]) -> Recording:
    """A recording with every event edited; None leaves it out."""
    recording = read_recording(path)
    edited = [(event, edit(event.data)) for event in recording.events]
    events = tuple(
        evolve(event, kind=data["ev"], t_ms=data["t_ms"], data=data)
        for event, data in edited
        if data is not None
    )
    return evolve(recording, events=events)


def may_stand_at(recording: Recording, event: Event) -> bool:
    """The recording conforms with this event in the place of the one of the same ``seq``."""
    events = tuple(event if each.seq == event.seq else each for each in recording.events)
    return check_recording(evolve(recording, events=events)).is_conforming
