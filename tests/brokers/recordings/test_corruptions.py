"""Wrong copies of recordings that somebody has thought of: what no broker can have done."""

from __future__ import annotations

import pytest

from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Recording, read_recording
from tests.brokers.recordings.changes.edits import change_event
from tests.brokers.recordings.changes.events import change_events
from tests.brokers.recordings.shared import TRACES, cut_behind

A, B, H = (
    read_recording(TRACES / f"{name}.jsonl")
    for name in ("a_sync_healthy", "b_sync_no_slave", "h_slave_ahead_master_empty")
)


def find(recording: Recording, seq: int) -> int:
    """The place of an event."""
    return next(i for i, event in enumerate(recording.events) if event.seq == seq)


def is_explained(recording: Recording, seq: int, **fields: object) -> bool:
    """The recording with these fields of an event changed conforms."""
    return check_recording(change_event(recording, find(recording, seq), **fields)).is_conforming


def find_swapped(recording: Recording, seq: int, kind: str) -> Recording:
    """The copy in which an event and the next one of its kind are exchanged."""
    wanted = (kind, "swapped", seq)
    every = change_events(recording)
    return next(e for e in every if (e.name, e.change, e.seq) == wanted).apply(recording)


def test_a_heartbeat_does_not_overtake_a_frame() -> None:
    """Of frames that a stall has held, and that come at once, each keeps its place."""
    recording = read_recording(TRACES / "c_sync_stall_heal.jsonl")
    swapped = find_swapped(recording, 65, "ha_frame")
    assert check_recording(swapped).first_unexplained_seq == 65


def test_reports_do_not_fall_before_a_kill() -> None:
    """Not even where the later one may have come after its connection's end."""
    recording = read_recording(TRACES / "m_master_kill9_page_cache.jsonl")
    assert not check_recording(find_swapped(recording, 56, "ha_report")).is_conforming


def test_a_late_report_tells_nothing_of_a_later_connection() -> None:
    """The first connection of this link has ended, and seq 202 has brought what 205 reports."""
    recording = cut_behind(read_recording(TRACES / "r_random_seed2.jsonl"), 205)
    assert not is_explained(recording, 205, conn=1)


C4 = next(e for e in A.events if e.data.get("msg_id") == "c4")


def test_offsets_that_concurrent_puts_leave_open() -> None:
    """Eight puts at a time: what each producer saw afterwards depends on when it looked.

    The c4 of this recording saw 6626 reported and 6925 written. It may as well have looked after
    another report was read, or another put was appended; but never below what another one had seen
    before its answer, nor below its own end, and never where no report or no message ends.
    """
    event = C4
    end = event["wrote_offset"] + event["wrote_bytes"]
    until = cut_behind(A, event.seq + 12)
    assert not is_explained(until, event.seq, push2_slave_after=end)
    for offset in (6626, 6925):
        assert is_explained(until, event.seq, push2_slave_after=offset)
    for offset in (6925, 7224):
        assert is_explained(until, event.seq, max_offset_after=offset)
    assert not is_explained(until, event.seq, max_offset_after=end - 1)


@pytest.mark.nightly
def test_offsets_at_which_nothing_ends_are_refused() -> None:
    """Of the same put: below what its slave had reported, or within a message."""
    for offset in (4832, 6500):
        assert not is_explained(A, C4.seq, push2_slave_after=offset)
    assert not is_explained(A, C4.seq, max_offset_after=7000)


def test_flushes_that_no_one_saw_are_left_open() -> None:
    """A flush may have happened after any append since the last one; nothing tells after which."""
    until = cut_behind(H, 39)
    for offset in (0, 801, 4806):
        assert is_explained(until, 39, flushed_offset=offset)
    for offset in (802, 4807):
        assert not is_explained(until, 39, flushed_offset=offset)
