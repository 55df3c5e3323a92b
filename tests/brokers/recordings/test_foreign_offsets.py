"""A slave that has the bytes of a later file at the begin of its log (R-HC-20)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import check_exactly
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.recordings.shared import FOUND, cut_behind, may_stand_at

UNCONNECTED, OPENED, FIRST, LOOK, SCAN, CHECKSUMS, READ = 74, 75, 83, 115, 116, 142, 145
"""A look at the slave behind the cut, its next connect, the frame that comes to 0, and what is
shown of its log afterwards."""
CUT, MASTERS_CHECKSUMS = 42, 141


@cache
def read() -> Recording:
    """The recording."""
    return read_recording(FOUND / "empty_first_file.jsonl")


def get(seq: int) -> Event:
    """One of its events."""
    return next(event for event in read().events if event.seq == seq)


def is_explained(seq: int, **changes: Any) -> bool:
    """The event with these fields changed may stand in its place."""
    return may_stand_at(read(), evolve(get(seq), data={**get(seq).data, **changes}))


def conforms(change: Callable[[Event], Event | None]) -> bool:
    """The search, which knows how long a slave waits, explains it up to the connect so changed."""
    events = (change(event) for event in cut_behind(read(), OPENED).events)
    kept = tuple(event for event in events if event is not None)
    return check_exactly(evolve(read(), events=kept)).is_conforming


def test_a_slave_waits_behind_a_connect_that_failed() -> None:
    """Five seconds, where a look has shown that it did not come through at once (R-HC-01)."""
    assert conforms(lambda event: event)
    assert not conforms(lambda event: None if event.seq == UNCONNECTED else event)


@pytest.mark.parametrize("later_ms", [-3500, -2000, -500])
def test_it_waits_no_less(later_ms: float) -> None:
    """Either it comes at once, or five seconds later."""
    assert not conforms(lambda e: evolve(e, t_ms=e.t_ms + later_ms) if e.seq == OPENED else e)


def test_it_does_not_wait_if_nobody_has_cut_the_link() -> None:
    """A proxy that has not ended the connection takes the next one, too."""
    closed = {"closed_by": "slave"}

    def change(event: Event) -> Event | None:
        if event.seq == CUT:
            return None
        is_end = event.kind == "ha_link_close"
        return evolve(event, data={**event.data, **closed}) if is_end else event

    assert not conforms(change)


@pytest.mark.parametrize("name", ["offset", "size", "queue_offset", "recorded_phy_offset"])
@pytest.mark.parametrize("number", [0, 2, 3, 15])
def test_its_records_are_those_of_the_frame(number: int, name: str) -> None:
    """Below the end of the first frame those of the later file, behind it its own."""
    entries = [dict(entry) for entry in get(SCAN)["entries"]]
    assert is_explained(SCAN, entries=entries)
    entries[number][name] += 1
    assert not is_explained(SCAN, entries=entries)


def test_its_records_are_all_there() -> None:
    """None is left out, and none comes behind the end."""
    entries = get(SCAN)["entries"]
    for changed in (entries[:-1], entries[1:], [*entries, {**entries[-1], "offset": 19384}]):
        assert not is_explained(SCAN, entries=changed)


def test_its_queues_begin_with_the_later_messages() -> None:
    """What comes behind them names places that are taken, up to the next new one."""
    queues = get(LOOK)["queues"]
    assert queues == {"T0-0": [8, 10], "T0-1": [8, 9]}
    for changed in ([8, 11], [8, 9], [0, 10], [7, 10]):
        assert not is_explained(LOOK, queues={**queues, "T0-0": changed})
    assert not is_explained(READ, min_offset=0)
    assert not is_explained(READ, max_offset=16)


def test_its_first_file_has_other_bytes_than_its_masters() -> None:
    """The second one has the same."""
    files = [dict(each) for each in get(CHECKSUMS)["files"]]
    first, second = get(MASTERS_CHECKSUMS)["files"]
    assert is_explained(CHECKSUMS, files=files)
    assert not is_explained(CHECKSUMS, files=[{**files[0], "crc32": first["crc32"]}, files[1]])
    assert second["crc32"] == files[1]["crc32"]
    assert not is_explained(CHECKSUMS, files=[files[0], {**files[1], "crc32": first["crc32"]}])


def test_the_first_frame_goes_to_the_begin() -> None:
    """It is as large as it was, and comes from the last file."""
    for changes in ({"master_offset": 0}, {"body_bytes": 2000}):
        assert not is_explained(FIRST, **changes)
