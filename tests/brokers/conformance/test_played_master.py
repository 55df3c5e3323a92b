"""A master that a script plays: what it sends, and what the engine asks of its slave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from brokers.conformance.catalogue import SLAVE_CASES
from brokers.conformance.strangers import MESSAGE_BYTES, make_file
from brokers.recordings.judging import (
    CONFORMS,
    REJECTED,
    UNDECIDED,
    check_exactly,
    check_recording,
)
from brokers.recordings.reading import Event, Recording
from reference.store.records import BLANK_MAGIC_CODE, MAGIC_CODE_POSITION
from tests.brokers.conformance.simulated_broker import play_case

FILE_BYTES = 16384
CASES = {case.name: case for case in SLAVE_CASES}


def test_a_file_has_whole_messages_and_a_blank() -> None:
    """Each record tells its length; the last one is a blank up to the file's end."""
    data, at, lengths = make_file(FILE_BYTES, FILE_BYTES), 0, []
    while at < len(data):
        lengths.append(int.from_bytes(data[at : at + 4], "big"))
        magic = data[at + MAGIC_CODE_POSITION : at + MAGIC_CODE_POSITION + 4]
        at += lengths[-1]
    count, rest = divmod(FILE_BYTES, MESSAGE_BYTES)
    assert lengths == [MESSAGE_BYTES] * count + [rest]
    assert int.from_bytes(magic, "big", signed=True) == BLANK_MAGIC_CODE
    assert len(data) == FILE_BYTES


def play(folder: Path, name: str, release: str = "4.4.0") -> Recording:
    """A case against our own slave."""
    return play_case(CASES[name], folder, release).recording


def leave_out_end(recording: Recording) -> Recording:
    """Without the slave's close, and what follows on other connections."""
    first = [e for e in recording.events if e.data.get("conn", 1) == 1]
    kept = [e for e in first if e.kind != "ha_link_close"]
    late = evolve(kept[-1], t_ms=kept[-1].t_ms + 1500.0)
    report = next(e for e in reversed(kept) if e.kind == "ha_report")
    return evolve(recording, events=(*kept, evolve(report, seq=late.seq + 1, t_ms=late.t_ms)))


def close_early(recording: Recording) -> Recording:
    """The slave closes before the frame that it refuses."""
    events = list(recording.events)
    at = next(n for n, e in enumerate(events) if e.kind == "ha_link_close")
    frame = max(n for n, e in enumerate(events[:at]) if e.kind == "ha_frame")
    end = evolve(events[at], t_ms=events[frame].t_ms - 50.0)
    return evolve(recording, events=(*events[:frame], end, *events[frame:at], *events[at + 1 :]))


def take_all(recording: Recording) -> Recording:
    """The slave reports the frame that it has refused."""

    def change(event: Event) -> Event:
        is_first = event.kind == "ha_report" and event["conn"] == 2
        data = {**event.data, "slave_offset": 3 * MESSAGE_BYTES}
        return evolve(event, data=data) if is_first else event

    return evolve(recording, events=tuple(map(change, recording.events)))


@pytest.mark.parametrize("change", [leave_out_end, close_early, take_all])
def test_a_slave_that_does_other_is_refused(
    tmp_path: Path, change: Callable[[Recording], Recording]
) -> None:
    """It closes when a frame does not begin where its log ends, and takes none of it."""
    recording = play(tmp_path, "a frame beyond the slave's end")
    assert check_recording(recording).verdict == CONFORMS
    assert check_exactly(change(recording)).verdict == REJECTED


def test_nobody_plays_a_master_with_a_handshake(tmp_path: Path) -> None:
    """Under a controller that is said in one line."""
    recording = play(tmp_path, "a frame, and then silence", "5.3.3")
    head = {**recording.config.data, "rocketmq": "5.3.3-controller"}
    verdict = check_recording(evolve(recording, config=evolve(recording.config, data=head)))
    assert (verdict.verdict, "has a handshake" in verdict.reason) == (UNDECIDED, True)
