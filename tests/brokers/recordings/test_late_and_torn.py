"""Late stamps, looks at a master that goes on meanwhile, and records of which properties are torn.

`tests/data/traces_edge` has recordings of real brokers for it.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from brokers.recordings.ahead.puts import RecordedPut, make_put
from brokers.recordings.judging import CONFORMS, REJECTED, check_recording, check_trace
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.recordings.changes.edits import move
from tests.brokers.recordings.shared import DATA, LATER, TRACES, change

EDGE = DATA / "traces_edge"
SHORT, QUEUED = EDGE / "short_heartbeat_440.jsonl", EDGE / "queued_puts_480.jsonl"


def test_a_record_is_whole_without_its_properties() -> None:
    """The slave has all but five bytes of 43 of its properties, and starts behind them."""
    assert check_trace(SHORT).verdict == CONFORMS


def test_a_start_decides_what_the_link_before_it_found() -> None:
    """The slave connects before its start is noted; its first report ends a wait of 6.6 s."""
    verdict = check_trace(QUEUED)
    assert verdict.first_unexplained_seq is None or verdict.first_unexplained_seq > 118
    assert "recovery" not in verdict.reason


def test_a_recovery_cuts_no_record_that_it_takes_for_whole() -> None:
    """Nor does it keep what lacks a byte of its body."""
    offsets = dict.fromkeys(("max_offset", "flushed_offset", "dispatched_offset"), 31_268)
    cut = check_recording(change(SHORT, 107, **offsets, ha_client_reported_offset=31_268))
    assert (cut.verdict, cut.first_unexplained_seq) == (REJECTED, 107)
    assert "recovery leaves a log up to 33273" in cut.reason
    kept = check_recording(change(SHORT, 115, body_bytes=1_869 + 39))
    assert (kept.verdict, kept.first_unexplained_seq) == (REJECTED, 107)
    assert "recovery leaves a log up to 31268" in kept.reason


def make_torn(properties_bytes: int, delay_level: int = 0) -> RecordedPut:
    """A message with so many bytes of properties, from 1000 on, with a body of 100 bytes."""
    topic_bytes = len("SCHEDULE_TOPIC_XXXX" if delay_level else "T0")
    data = {
        **{"put_status": "PUT_OK", "append_status": "PUT_OK", "wait_store_ok": True},
        **{"topic": "T0", "queue": 1, "delay_level": delay_level, "body_bytes": 100},
        **{"t_begin_ms": 1.0, "duration_ms": 1.0, "queue_offset": 0, "wrote_offset": 1000},
        "wrote_bytes": 91 + topic_bytes + 100 + properties_bytes,
    }
    return make_put(0, Event(1, 1, 2.0, "put", data), 0, 0, 0)


@pytest.mark.parametrize(
    ("properties_bytes", "least_missing", "most_missing"), [(43, 0, 43), (256, 0, 257), (0, 0, 2)]
)
def test_how_much_of_a_record_may_be_missing(
    properties_bytes: int, least_missing: int, most_missing: int
) -> None:
    """Its properties, and the last bytes of their length if these are zeros."""
    for put in (make_torn(properties_bytes), make_torn(properties_bytes, delay_level=3)):
        assert put.properties_bytes == properties_bytes
        for missing in (least_missing, most_missing):
            assert put.passes_torn_at(put.end_offset - missing)
        assert not put.passes_torn_at(put.end_offset - most_missing - 1)


LOOKS = (
    ("traces/f_slave_restart_resume", 34),
    ("traces/h_slave_ahead_misaligned", 107),
    ("traces/m_master_kill9_page_cache", 102),
    ("traces/x4_send_codes_sync_master", 45),
    ("traces_498/v498_h_slave_ahead_async", 91),
)
"""A report has just come, or none is recorded: a master might have read it within the look."""


@pytest.mark.parametrize(("name", "seq"), LOOKS)
def test_a_look_that_contradicts_itself_is_refused(name: str, seq: int) -> None:
    """``slave_fall_behind`` was computed from the very report that is said to be none."""
    verdict = check_recording(change(DATA / f"{name}.jsonl", seq, push2_slave_max_offset=0))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, seq)
    assert "slave_fall_behind is" in verdict.reason


@pytest.mark.parametrize(("more", "is_possible"), [(400, True), (399, False), (800, False)])
def test_a_log_may_grow_within_a_look(more: int, is_possible: bool) -> None:
    """By the message of 400 bytes whose put has begun by then, and by nothing else."""
    stalled = TRACES / "c_sync_stall_heal.jsonl"
    look = next(event for event in read_recording(stalled).events if event.seq == 43)
    later = {"t_ms": look.t_ms + 0.6, "slave_fall_behind": look["slave_fall_behind"] + more}
    assert check_recording(change(stalled, 43, **later)).is_conforming == is_possible
    later["slave_fall_behind"] = look["slave_fall_behind"] - more
    assert not check_recording(change(stalled, 43, **later)).is_conforming


def test_a_connection_counts_before_it_is_listed() -> None:
    """For a moment, while the master accepts it."""
    joining = LATER / "v498_q_master_restart_fallbehind_window.jsonl"
    assert check_recording(change(joining, 170, connections=[])).is_conforming
    settled = TRACES / "c_sync_stall_heal.jsonl"
    assert not check_recording(change(settled, 43, connections=[])).is_conforming


def list_beats(recording: Recording) -> list[int]:
    """The places of the heartbeats whose neighbours on their link are heartbeats, too."""
    frames = [i for i, event in enumerate(recording.events) if event.kind == "ha_frame"]
    beats: Mapping[int, bool] = {i: not recording.events[i]["body_bytes"] for i in frames}
    triples = zip(frames, frames[1:], frames[2:], strict=False)
    return [here for before, here, after in triples if all(map(beats.get, (before, here, after)))]


def test_a_late_stamp_makes_no_heartbeat_early() -> None:
    """What comes half an interval after a late one is no earlier; an early one is refused."""
    recording = read_recording(TRACES / "s_idle_500_3000.jsonl")
    place = list_beats(recording)[0]
    beat = recording.events[place]
    late = move(recording, place, beat.t_ms + 250)
    assert check_recording(late).reason == ""
    early = check_recording(move(recording, place, beat.t_ms - 250))
    assert "a heartbeat after the frame before it took" in early.reason


def test_a_master_beats_by_its_present_interval() -> None:
    """It is set to 12 s and to 400 ms while the master runs."""
    changed = EDGE / "heartbeat_changed.jsonl"
    assert check_trace(changed).is_conforming
    verdict = check_recording(change(changed, 115, props={}))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, 120)
