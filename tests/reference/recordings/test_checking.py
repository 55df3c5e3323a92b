"""Recordings of real brokers conform, and the verdict on others says what stands in the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from reference.recordings.clock import TIMER_RANGES, Timers, compute_first_report_ms
from reference.recordings.judging import (
    CONFORMS,
    TraceVerdict,
    check_recording,
    check_trace,
)
from reference.recordings.kinds import IGNORED_KINDS
from reference.recordings.reading import Recording, TraceError, read_recording
from tests.reference.recordings.corruptions import change_event, move

TRACES = Path(__file__).parents[2] / "data" / "traces"

ALL = sorted(TRACES.glob("*.jsonl"))
HEALTHY = TRACES / "a_sync_healthy.jsonl"
NO_SLAVE = TRACES / "b_sync_no_slave.jsonl"
STALLED = TRACES / "c_sync_stall_heal.jsonl"
AHEAD = TRACES / "h_slave_ahead_master_empty.jsonl"
MISALIGNED = TRACES / "h_slave_ahead_misaligned.jsonl"
THREE_MASTERS = TRACES / "o_sync_flush_rollover.jsonl"
SAMPLED = TRACES / "p_slave_behind_master_min.jsonl"
KILLED = TRACES / "m_master_kill9_page_cache.jsonl"
STOPPED = TRACES / "n_clean_restart.jsonl"


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


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_conforms(path: Path) -> None:
    """Every event is explained or only looks, and no line is forgotten in between."""
    verdict = check_trace(path)
    assert verdict.reason == ""
    assert verdict.verdict == CONFORMS
    assert verdict.is_conforming
    events = read_recording(path).events
    assert verdict.ignored == sum(event.kind in IGNORED_KINDS for event in events)
    assert verdict.explained + verdict.ignored == verdict.events == len(events)
    assert verdict.fields_checked >= 2 * verdict.explained
    assert verdict.first_unexplained_seq is None
    assert not verdict.candidates


def cut_everywhere(path: Path, stride: int) -> None:
    """A recording that stops earlier conforms as well; each ``stride``-th place is tried."""
    recording = read_recording(path)
    for length in range(1, len(recording.events), stride):
        if recording.events[length - 1].kind in IGNORED_KINDS:
            continue
        verdict = check_recording(evolve(recording, events=recording.events[:length]))
        assert (length, verdict.reason) == (length, "")


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_recording_may_stop_early(path: Path) -> None:
    """What is under way when a recording ends is no contradiction."""
    cut_everywhere(path, stride=37)


@pytest.mark.nightly
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_recording_may_stop_anywhere(path: Path) -> None:
    """The same after every single event."""
    cut_everywhere(path, stride=1)


def test_final_state_is_that_of_the_last_events() -> None:
    """The verdict carries the state: here the two logs differ from their first byte on."""
    cluster = check_trace(AHEAD).cluster
    assert cluster is not None
    assert cluster.master.log.ends == (0, 3602)
    assert cluster.master.push2_slave_max_offset == 4806
    assert cluster.slaves[0].log.ends == (4806, 4806)


def test_verdict_for_other_programs(tmp_path: Path) -> None:
    """The JSON form has exactly the promised names."""
    path = tmp_path / "trace.jsonl"
    lines = NO_SLAVE.read_text(encoding="utf-8").splitlines()
    lines[9] = lines[9].replace("SLAVE_NOT_AVAILABLE", "PUT_OK")
    path.write_text("\n".join(lines), encoding="utf-8")
    verdict = check_trace(path)
    content = json.loads(json.dumps(verdict.as_json()))
    assert list(content) == [
        "file",
        "verdict",
        "events",
        "explained",
        "ignored",
        "fields_checked",
        "first_unexplained_seq",
        "reason",
        "rocketmq_version",
        "explained_by",
    ]
    assert content["rocketmq_version"] == "4.4.0"
    assert content["file"] == str(path)
    assert content["verdict"] == "rejected"
    assert content["first_unexplained_seq"] == 9
    assert content["explained"] + content["ignored"] == 8
    assert verdict.blocked_event["msg_id"] == "m0"


@pytest.mark.parametrize(
    ("path", "seq", "status", "instance", "condition"),
    [
        (NO_SLAVE, 9, "PUT_OK", "request_slave_wait[0]", "is_slave_ok"),
        (NO_SLAVE, 9, "FLUSH_SLAVE_TIMEOUT", "request_slave_wait[0]", "is_slave_ok"),
        (NO_SLAVE, 9, "FLUSH_DISK_TIMEOUT", "time_out_disk_wait[0]", "has_disk_wait"),
        (NO_SLAVE, 14, "SLAVE_NOT_AVAILABLE", "refuse_slave_wait[0]", "has_slave_wait"),
        (STALLED, 34, "PUT_OK", "answer_slave_wait[0]", "is_reported"),
        (STALLED, 34, "SLAVE_NOT_AVAILABLE", "refuse_slave_wait[0]", "is_slave_not_ok"),
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
    verdict = check_recording(early)
    assert blocked_at(verdict) == 34
    # Neither the put's own clock nor five wake-ups can have ended its wait.
    assert verdict.blocked_conditions == ("has_no_wake_up_left",)
    late = change(AHEAD, 82, t_ms=7781.2)
    assert blocked_at(check_recording(late)) == 82
    assert "the first report after the connect" in check_recording(late).reason


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
    assert "has_slave_wait" in verdict.blocked_conditions


def test_a_put_without_a_line_is_missed() -> None:
    """Where a recorder keeps every tenth put it leaves puts out, elsewhere it does not."""

    def leave_out(name: str) -> Callable[[Mapping[str, Any]], Mapping[str, Any] | None]:
        return lambda data: None if data.get("msg_id") == name else data

    assert check_trace(SAMPLED).is_conforming
    for name in ("a3", "b30", "c0"):
        assert not check_recording(rewrite(SAMPLED, leave_out(name))).is_conforming, name
    assert not check_recording(rewrite(HEALTHY, leave_out("m3"))).is_conforming


@pytest.mark.parametrize("delay_ms", [2.0, 30.0, 500.0])
def test_what_was_sent_may_come_after_the_end(delay_ms: float) -> None:
    """A killed master's last frame is forwarded late: the slave takes it, and tells nobody."""
    recording = read_recording(KILLED)
    kill = next(e for e in recording.events if e.kind == "node_kill9")
    seen = [e for e in recording.events if e.seq not in (58, 59)]  # Looks between frame and kill.
    seen = [e for e in seen if e.kind != "snapshot" or not 0 < e.t_ms - kill.t_ms < delay_ms]
    late = evolve(recording, events=tuple(seen))
    for number, seq in enumerate((55, 57)):
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


def test_foreign_bytes_stop_scan_and_dispatch() -> None:
    """A slave that was ahead holds the middle of a message: no record begins there (R-HC-18)."""
    scan = next(
        e
        for e in read_recording(MISALIGNED).events
        if e.kind == "log_scan" and e["node"] == "slave1" and e["entries"][-1]["kind"] != "msg"
    )
    assert scan["entries"][-1]["kind"] == "bad_magic"
    verdict = check_recording(change(MISALIGNED, scan.seq, entries=scan["entries"][:-2]))
    assert blocked_at(verdict) == scan.seq
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


def test_a_missing_file_is_no_verdict(tmp_path: Path) -> None:
    """A file that cannot be read is an error of the caller."""
    with pytest.raises(TraceError):
        check_trace(tmp_path / "nothing.jsonl")


def test_every_timer_has_a_source_and_a_range() -> None:
    """The table is complete, and follows the configured intervals."""
    timers = Timers(ha_send_heartbeat_interval_ms=500, sync_flush_timeout_ms=300)
    for name, make in TIMER_RANGES.items():
        timer_range = make(timers)
        assert timer_range.source.startswith("R-"), name
        assert 0 <= timer_range.low_ms < timer_range.high_ms, name
    assert TIMER_RANGES["slave_time_out"](timers).low_ms == 300
    long = Timers(ha_send_heartbeat_interval_ms=500, sync_flush_timeout_ms=20_000)
    assert TIMER_RANGES["slave_time_out"](long).low_ms == 5000


@pytest.mark.parametrize(
    ("interval_ms", "first_ms"),
    [(400, 1000), (500, 1000), (1500, 2000), (2000, 2000), (5000, 5000)],
)
def test_first_reports_come_with_a_select(interval_ms: int, first_ms: int) -> None:
    """The first select that ends beyond the interval: 1.0 s for 500 ms, 2.0 s for 1500 ms."""
    assert compute_first_report_ms(interval_ms) == first_ms


def test_progress_is_told() -> None:
    """Who wants to know how far the checker has come is told."""
    told: list[tuple[int, int]] = []
    check_recording(
        read_recording(TRACES / "r_random_seed11.jsonl"),
        lambda done, total: told.append((done, total)),
    )
    assert all(0 < done <= total for done, total in told)
