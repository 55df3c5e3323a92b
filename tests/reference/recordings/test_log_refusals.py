"""What the search refuses by clocks: silence, closings without a reason, time that goes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from reference.recordings.log.judging import judge, search_recording

from reference.recordings.judging import check_recording
from reference.recordings.reading import read_recording
from reference.releases.versions import parse_version

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize(
    ("name", "version", "seq", "reason"),
    [
        ("traces/s_idle_500_3000", "4.8.0", 29, "the slave is connected, but has reported nothing"),
        ("traces_498/v498_n_clean_restart", "4.5.2", 141, "closing a connection that is silent"),
        ("traces_498/v498_n_clean_restart", "4.9.8", None, ""),
    ],
)
def test_clocks_of_another_release(name: str, version: str, seq: int | None, reason: str) -> None:
    """Both ways refuse the same event; under the own release neither does."""
    recording = read_recording(DATA / f"{name}.jsonl")
    planned = check_recording(recording, version=parse_version(version))
    (found,) = search_recording(recording, version)
    assert (planned.first_unexplained_seq, found.seq) == (seq, seq)
    assert reason in planned.reason
    assert reason in found.reason


def test_time_does_not_go_back() -> None:
    """Whatever the search would say of the events, which it takes as they stand."""
    recording = read_recording(DATA / "traces" / "a_sync_healthy.jsonl")
    first = recording.events[0]
    copy = evolve(recording, events=(evolve(first, t_ms=-9_000.0), *recording.events[1:]))
    assert not judge(copy, is_searched=True).verdict.is_conforming
