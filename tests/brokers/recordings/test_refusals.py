"""What no real broker can have done is refused, and the verdict says what stands in the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import (
    CONFORMS,
    REJECTED,
    TraceVerdict,
    check_recording,
    check_trace,
)
from brokers.recordings.reading import read_recording
from reference.releases.versions import parse_version
from tests.brokers.recordings.changes.edits import change_event, move
from tests.brokers.recordings.shared import DATA, TRACES, change, rewrite

HEALTHY = TRACES / "a_sync_healthy.jsonl"
NO_SLAVE = TRACES / "b_sync_no_slave.jsonl"
STALLED = TRACES / "c_sync_stall_heal.jsonl"
AHEAD = TRACES / "h_slave_ahead_master_empty.jsonl"
MISALIGNED = TRACES / "h_slave_ahead_misaligned.jsonl"
THREE_MASTERS = TRACES / "o_sync_flush_rollover.jsonl"
SAMPLED = TRACES / "p_slave_behind_master_min.jsonl"
KILLED = TRACES / "m_master_kill9_page_cache.jsonl"
STOPPED = TRACES / "n_clean_restart.jsonl"


@pytest.mark.parametrize(
    ("path", "seq", "status", "instance", "condition"),
    [
        (NO_SLAVE, 9, "PUT_OK", "request_slave_wait[0]", "is_slave_ok"),
        (NO_SLAVE, 9, "FLUSH_SLAVE_TIMEOUT", "time_out_slave_wait[0]", "is_waiting_for_slave"),
        (NO_SLAVE, 14, "SLAVE_NOT_AVAILABLE", "refuse_slave_wait[0]", "has_slave_wait"),
        (STALLED, 34, "PUT_OK", "answer_slave_wait[0]", "is_reported"),
        (AHEAD, 90, "SLAVE_NOT_AVAILABLE", "refuse_slave_wait[0]", "is_slave_not_ok"),
    ],
)
def test_names_the_condition_that_blocks(
    path: Path, seq: int, status: str, instance: str, condition: str
) -> None:
    """A false answer is refused by a named condition of the rule that would have to give it."""
    verdict = check_recording(change(path, seq, put_status=status))
    assert verdict.first_unexplained_seq == seq
    assert verdict.blocked_instance == instance
    assert condition in verdict.blocked_conditions
    assert condition in verdict.candidates[instance]
    assert condition in verdict.reason


def blocked_at(verdict: TraceVerdict) -> int | None:
    """Where a recording is refused."""
    assert (verdict.verdict == CONFORMS) == (verdict.first_unexplained_seq is None)
    return verdict.first_unexplained_seq


def test_time_is_judged_by_the_clock() -> None:
    """A time-out after 62 ms and a report after 13 ms are none."""
    early = change(STALLED, 34, t_begin_ms=6800.0, duration_ms=62.3)
    assert blocked_at(check_recording(early)) == 34
    # A slave that has asked for the put's bytes is there: nobody refuses to wait for it.
    waited = check_recording(change(STALLED, 34, put_status="SLAVE_NOT_AVAILABLE"))
    assert blocked_at(waited) == 34
    assert "not answered SLAVE_NOT_AVAILABLE yet" in waited.reason
    long = check_recording(change(STALLED, 42, t_begin_ms=6871.0, duration_ms=5002.0))
    assert blocked_at(long) == 42
    assert "the put took 5002.0 ms" in long.reason
    late = check_recording(change(AHEAD, 82, t_ms=7781.2))
    assert blocked_at(late) == 82
    assert "the first report after the connect" in late.reason


def test_time_does_not_run_backwards() -> None:
    """Lines out of order are refused where the order breaks."""
    verdict = check_recording(change(HEALTHY, 52, t_ms=2400.0))
    assert blocked_at(verdict) == 52
    assert "t_ms goes back" in verdict.reason


def test_threads_may_note_late_what_they_saw() -> None:
    """Two puts at a time: the later one may have looked at the master before the other one did."""
    assert check_recording(change(HEALTHY, 83, push2_slave_before=5729)).is_conforming
    # One producer after another cannot have done so.
    assert blocked_at(check_recording(change(HEALTHY, 44, push2_slave_before=1018))) == 44


def test_a_heartbeat_or_a_look_may_be_missing() -> None:
    """What shows nothing new is not needed to explain the rest."""

    def edit(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        is_left_out = data["ev"] == "snapshot" or data.get("body_bytes") == 0
        return None if is_left_out else data

    for path in (HEALTHY, NO_SLAVE, STALLED, AHEAD):
        assert check_recording(rewrite(path, edit)).is_conforming


def test_a_group_needs_a_master() -> None:
    """The model has no structure for slaves alone, nor for more of them than it can tell apart."""
    recording = read_recording(HEALTHY)
    slave = recording.config["nodes"]["slave1"]
    for names, reason in ((("slave1",), "not 0 with 1"), (("a", "b", "c", "d"), "not 0 with 4")):
        data = {**recording.config.data, "nodes": dict.fromkeys(names, slave)}
        verdict = check_recording(evolve(recording, config=evolve(recording.config, data=data)))
        assert blocked_at(verdict) == 0
        assert reason in verdict.reason


def test_masters_are_judged_one_by_one() -> None:
    """Three masters in one recording: a false answer of the second one is found at its line."""
    recording = read_recording(THREE_MASTERS)
    answered = next(e for e in recording.events if e.kind == "put" and e["node"] == "master_async")
    verdict = check_recording(change(THREE_MASTERS, answered.seq, put_status="SLAVE_NOT_AVAILABLE"))
    assert blocked_at(verdict) == answered.seq
    assert "SLAVE_NOT_AVAILABLE" in verdict.reason


def test_a_put_without_a_line_is_missed() -> None:
    """Where a recorder keeps every tenth put it leaves puts out, elsewhere it does not."""

    def leave_out(name: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any] | None]:
        return lambda data: None if data.get("msg_id") == name else data

    assert check_trace(SAMPLED).is_conforming
    for name in ("a3", "b30", "c0"):
        assert not check_recording(rewrite(SAMPLED, leave_out(name))).is_conforming, name
    assert not check_recording(rewrite(HEALTHY, leave_out("m3"))).is_conforming


@pytest.mark.parametrize("delay_ms", [pytest.param(2.0, marks=pytest.mark.nightly), 30.0])
def test_what_was_sent_may_come_after_the_end(delay_ms: float) -> None:
    """A killed master's last frame is forwarded late: the slave takes it, and tells nobody."""
    recording = read_recording(KILLED)
    kill = next(e for e in recording.events if e.kind == "node_kill9")
    seen = [e for e in recording.events if e.seq not in (58, 59)]  # Looks between frame and kill.
    seen = [e for e in seen if e.kind != "snapshot" or not 0 < e.t_ms - kill.t_ms < delay_ms]
    late = evolve(recording, events=tuple(seen))
    # Its proxy tells of the end of both sides after that.
    for number, seq in enumerate((55, 57, 61, 62)):
        place = next(i for i, e in enumerate(late.events) if e.line == seq + 1)
        late = move(late, place, kill.t_ms + delay_ms + number)
    assert check_recording(late).reason == ""
    place = next(i for i, e in enumerate(late.events) if e.line == 58)
    assert not check_recording(change_event(late, place, slave_offset=24000)).is_conforming


def test_equal_checksums_mean_equal_bytes() -> None:
    """The CRC of other bytes is another one, that of the same bytes the same one."""
    recording = read_recording(AHEAD)
    first, second = (e for e in recording.events if e.kind == "log_crc" and e.seq < 100)
    assert first["files"] != second["files"]
    assert blocked_at(check_recording(change(AHEAD, second.seq, files=first["files"]))) is not None
    healthy = [e for e in read_recording(STOPPED).events if e.kind == "log_crc"]
    files = [dict(each) for each in healthy[1]["files"]]
    files[0]["crc32"] = "00000000"
    assert blocked_at(check_recording(change(STOPPED, healthy[1].seq, files=files))) == (
        healthy[1].seq
    )


def test_foreign_bytes_stop_the_scan() -> None:
    """A slave that was ahead holds the middle of a message: no record begins there (R-HC-18)."""
    scan = next(
        e
        for e in read_recording(MISALIGNED).events
        if e.kind == "log_scan" and e["node"] == "slave1" and e["entries"][-1]["kind"] != "msg"
    )
    assert scan["entries"][-1]["kind"] == "bad_magic"
    verdict = check_recording(change(MISALIGNED, scan.seq, entries=scan["entries"][:-2]))
    assert blocked_at(verdict) == scan.seq


@pytest.mark.nightly
def test_foreign_bytes_stop_the_dispatch() -> None:
    """The same slave shows nothing behind them."""
    looks = [
        e
        for e in read_recording(MISALIGNED).events
        if e.kind == "snapshot" and e["node"] == "slave1"
    ]
    stuck = next(e for e in looks if e["dispatched_offset"] < e["max_offset"] and e.t_ms > 20_000)
    moved = change(MISALIGNED, stuck.seq, dispatched_offset=stuck["max_offset"])
    assert blocked_at(check_recording(moved)) == stuck.seq


def test_unknown_names_are_rejected() -> None:
    """A node or a link that the configuration does not have explains nothing."""
    assert blocked_at(check_recording(change(HEALTHY, 37, node="slave7"))) == 37
    assert blocked_at(check_recording(change(HEALTHY, 39, link="link_slave7"))) == 39


@pytest.mark.parametrize(
    ("name", "version", "seq", "reason"),
    [
        ("traces/s_idle_500_3000", "4.8.0", 29, "the slave is connected, but has reported nothing"),
        ("traces_498/v498_n_clean_restart", "4.5.2", 141, "closing a connection that is silent"),
        ("traces_498/v498_n_clean_restart", "4.9.8", None, ""),
    ],
)
def test_clocks_of_another_release(name: str, version: str, seq: int | None, reason: str) -> None:
    """Silence, and closings without a reason; under the own release there is none."""
    recording = read_recording(DATA / f"{name}.jsonl")
    verdict = check_recording(recording, version=parse_version(version))
    assert verdict.first_unexplained_seq == seq
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("name", "seq", "changes", "reason"),
    [
        ("traces_498/v498_e_async_lag_catchup", 207, {"slave_offset": 50152}, "50152 is reported"),
        ("traces_498/v498_q_master_restart_fallbehind_window", 189, {"mapped_files": 1}, "is 1"),
        ("traces_498/v498_h_slave_ahead_async", 292, {"slave_fall_behind": -3537}, "is -3537"),
        (
            "traces/a_sync_healthy",
            66,
            {"ha_client_connected": False},
            "ha_client_connected of slave1 is 0",
        ),
    ],
)
def test_what_no_state_can_show_is_refused(
    name: str, seq: int, changes: Mapping[str, Any], reason: str
) -> None:
    """Reports that fall, numbers that contradict others, a connection that ends unseen."""
    verdict = check_recording(change(DATA / f"{name}.jsonl", seq, **changes))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, seq)
    assert reason in verdict.reason


def test_time_does_not_go_back_from_the_first_event() -> None:
    """There is nothing to explain before it."""
    recording = read_recording(HEALTHY)
    first = recording.events[0]
    copy = evolve(recording, events=(evolve(first, t_ms=-9_000.0), *recording.events[1:]))
    verdict = check_recording(copy)
    assert (verdict.first_unexplained_seq, verdict.explained) == (first.seq, 0)


def test_the_first_refusal_counts() -> None:
    """An event that is refused before time goes back is the one that is named."""
    recording = change(HEALTHY, 44, push2_slave_before=1018)
    place = next(i for i, e in enumerate(recording.events) if e.seq == 52)
    moved = evolve(recording.events[place], t_ms=2400.0)
    copy = evolve(
        recording, events=(*recording.events[:place], moved, *recording.events[place + 1 :])
    )
    assert blocked_at(check_recording(copy)) == 44
