"""Recordings of real brokers conform, and the verdict on others says what stands in the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from reference.trace.checking import (
    CONFORMS,
    REJECTED,
    TraceVerdict,
    check_recording,
    check_trace,
)
from reference.trace.clock import TIMER_RANGES, Timers, may_wake_ups_end_wait
from reference.trace.reading import IGNORED_KINDS, Recording, TraceError, read_recording

TRACES = Path(__file__).parents[2] / "data" / "traces"
MORE_TRACES = Path(__file__).parents[4] / "shared" / "traces"

HEALTHY = TRACES / "a_sync_healthy.jsonl"
NO_SLAVE = TRACES / "b_sync_no_slave.jsonl"
STALLED = TRACES / "c_sync_stall_heal.jsonl"
AHEAD = TRACES / "h_slave_ahead_master_empty.jsonl"

MORE_CONFORMING = (
    "b2_slave_node_rejects_put",
    "big_message_acks",
    "big_message_acks_slow_link",
    "d2_fallbehind_exact",
    "h_slave_ahead_aligned",
    "h_slave_ahead_misaligned",
    "l_wait_store_false",
    "s_idle_500_3000",
    "s_idle_default_5000_20000",
    "u2_control_no_rollover",
)
"""Recordings without a second mapped file, of which there is no copy here."""

OUTSIDE = {
    "o_sync_flush_rollover": "the model covers one master",
    "j_rollover": "is_size_bytes_in_range does not hold",
    "x1_pull_decision_table": "the model has no rule for namesrv_started yet",
}
"""Recordings of what the model does not have yet, and how the verdict says so."""


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


@pytest.mark.parametrize("path", [HEALTHY, NO_SLAVE, STALLED, AHEAD], ids=lambda path: path.stem)
def test_conforms(path: Path) -> None:
    """Every event is explained or only looks, and no line is forgotten in between."""
    verdict = check_trace(path)
    assert verdict.reason == ""
    assert verdict.verdict == CONFORMS
    assert verdict.is_conforming
    events = read_recording(path).events
    assert verdict.ignored == sum(event.kind in IGNORED_KINDS for event in events)
    assert verdict.explained + verdict.ignored == verdict.events == len(events)
    assert verdict.fields_checked > 3 * verdict.explained
    assert verdict.first_unexplained_seq is None
    assert not verdict.candidates


@pytest.mark.skipif(not MORE_TRACES.is_dir(), reason="the other recordings are not here")
@pytest.mark.parametrize("name", MORE_CONFORMING)
def test_more_recordings_conform(name: str) -> None:
    """What the rules cover they explain in other recordings as well."""
    verdict = check_trace(MORE_TRACES / f"{name}.jsonl")
    assert (verdict.first_unexplained_seq, verdict.reason) == (None, "")


@pytest.mark.skipif(not MORE_TRACES.is_dir(), reason="the other recordings are not here")
@pytest.mark.parametrize("name", OUTSIDE)
def test_says_what_is_outside_of_the_model(name: str) -> None:
    """A recording of what has no rule yet is rejected with a reason, not with a crash."""
    verdict = check_trace(MORE_TRACES / f"{name}.jsonl")
    assert verdict.verdict == REJECTED
    assert OUTSIDE[name] in verdict.reason


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
    ]
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
        (NO_SLAVE, 14, "SLAVE_NOT_AVAILABLE", "refuse_slave_wait[5]", "has_slave_wait"),
        (STALLED, 34, "PUT_OK", "answer_slave_wait[3]", "is_reported"),
        (STALLED, 34, "SLAVE_NOT_AVAILABLE", "refuse_slave_wait[3]", "is_slave_not_ok"),
        (AHEAD, 90, "SLAVE_NOT_AVAILABLE", "refuse_slave_wait[6]", "is_slave_not_ok"),
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
    assert "takes 5000 to 6000 ms" in check_recording(early).reason
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


@pytest.mark.parametrize(
    "kind", ["delete_expired_files", "set_config", "store_wiped", "broker_started", "tables"]
)
def test_what_the_model_does_not_cover_is_rejected(kind: str) -> None:
    """An event that exists in recordings, but has no rule, is named in the reason."""
    verdict = check_recording(change(HEALTHY, 37, ev=kind))
    assert blocked_at(verdict) == 37
    assert verdict.reason == f"the model has no rule for {kind} yet"


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        (0, "not 0 with 0"),
        (2, "not 2 with 0"),
    ],
)
def test_other_groups_are_rejected(nodes: int, reason: str) -> None:
    """The model has structures for one master only."""
    recording = read_recording(NO_SLAVE)
    node = recording.config["nodes"]["master"]
    data = {**recording.config.data, "nodes": {f"master{i}": node for i in range(nodes)}}
    other = evolve(recording, config=evolve(recording.config, data=data))
    verdict = check_recording(other)
    assert blocked_at(verdict) == 0
    assert reason in verdict.reason


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


def test_five_wake_ups_end_a_wait() -> None:
    """Four rises in vain and a remembered notification use up the five iterations."""
    assert not may_wake_ups_end_wait(rises=3)
    assert may_wake_ups_end_wait(rises=4)  # and one that was remembered
