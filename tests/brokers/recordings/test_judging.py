"""Recordings of real brokers conform, and their verdicts tell what was looked at."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from attrs import evolve

from brokers.recordings.clock import TIMER_RANGES, Timers, compute_first_report_ms
from brokers.recordings.judging import (
    CONFORMS,
    REJECTED,
    check_recording,
    check_trace,
)
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import TraceError, read_recording
from brokers.recordings.roles.places import begin_with_first_roles
from tests.brokers.recordings.recordings_page import FOLDERS, PAGE, render_row
from tests.brokers.recordings.shared import ALL, TRACES

AHEAD = TRACES / "h_slave_ahead_master_empty.jsonl"
HEALTHY = TRACES / "a_sync_healthy.jsonl"
NO_SLAVE = TRACES / "b_sync_no_slave.jsonl"


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_conforms(path: Path) -> None:
    """Every event is explained or only looks, and no line is forgotten in between."""
    verdict = check_trace(path)
    assert (verdict.reason, verdict.verdict) == ("", CONFORMS)
    assert verdict.is_conforming
    events = read_recording(path).events
    assert verdict.ignored == sum(event.kind in IGNORED_KINDS for event in events)
    assert verdict.explained + verdict.ignored == verdict.events == len(events)
    assert verdict.fields_checked >= verdict.explained
    assert verdict.first_unexplained_seq is None
    assert not verdict.candidates
    assert verdict.cluster is not None
    assert path.parent not in FOLDERS.values() or render_row(path, verdict) in PAGE.read_text()


def cut_at(path: Path, length: int) -> None:
    """A recording that stops earlier is explained as well.

    Some have a first line that was written last, with the roles of later starts; had they stopped
    earlier, it would tell those of the first starts.
    """
    recording = begin_with_first_roles(read_recording(path))
    if recording.events[length - 1].kind not in IGNORED_KINDS:
        verdict = check_recording(evolve(recording, events=recording.events[:length]))
        assert verdict.is_conforming, (length, verdict.reason)


EARLY_STRIDE = 3
"""Of so many recordings one is cut with every change; all of them nightly, at many places."""


@pytest.mark.parametrize("path", ALL[::EARLY_STRIDE], ids=lambda path: path.stem)
def test_a_recording_may_stop_early(path: Path) -> None:
    """What is under way when a recording ends is no contradiction; one place is tried."""
    count = len(read_recording(path).events)
    cut_at(path, random.Random(path.stem).randrange(1, count // 3))


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("v498_e_async_lag_catchup", 112),
        ("big_message_acks", 471),
        ("v533_controller_h_slave_power_loss_below_epoch", 112),
        ("v533_controller_w_two_slaves_one_lags", 103),
        ("v498_big_message_acks_slow_link", 149),
        ("r_random_seed11", 186),
        ("o_sync_flush_rollover", 249),
        ("full_file_skipped", 149),
        ("torn_roll_kill", 221),
        ("big_message_acks_slow_link", 144),
        ("r_random_seed202", 112),
        ("p_slave_behind_master_min", 112),
        pytest.param("v498_o_sync_flush_rollover", 241, marks=pytest.mark.nightly),
    ],
)
def test_a_recording_may_stop_while_much_is_under_way(name: str, length: int) -> None:
    """In a burst of frames, between two puts that are noted late, before a connection is noted.

    Inside a message that goes over a link in whole batches, before a put that waits for its file is
    answered, before frames are noted that the master has sent, before the end of a connection that
    the next one has followed, between two puts that a recorder keeps.
    """
    cut_at(next(path for path in ALL if path.stem == name), length)


@pytest.mark.parametrize(
    ("name", "seq", "length"),
    [("v498_big_message_acks_slow_link", 112, 127), ("p_slave_behind_master_min", 115, 140)],
)
def test_what_was_answered_is_not_under_way(name: str, seq: int, length: int) -> None:
    """A put without a line that a slave has long reported, or that no stride leaves out."""
    recording = read_recording(next(path for path in ALL if path.stem == name))
    events = tuple(event for event in recording.events[:length] if event.seq != seq)
    assert not check_recording(evolve(recording, events=events)).is_conforming


@pytest.mark.nightly
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_recording_may_stop_anywhere(path: Path) -> None:
    """The same at each 37th place."""
    for length in range(1, len(read_recording(path).events), 37):
        cut_at(path, length)


def test_final_state_is_that_of_the_last_events() -> None:
    """The verdict carries the state: here the two logs differ from their first byte on."""
    verdict = check_trace(AHEAD)
    cluster = verdict.cluster
    assert verdict.is_conforming
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
        "acknowledged",
    ]
    assert content["rocketmq_version"] == "4.4.0"
    assert content["file"] == str(path)
    assert content["verdict"] == REJECTED
    assert content["first_unexplained_seq"] == 9
    assert content["explained"] + content["ignored"] == 8
    assert verdict.blocked_event["msg_id"] == "m0"


def test_what_is_explained_is_kept() -> None:
    """How to tell the steps at an event, for whoever wants to see them."""
    verdict = check_trace(HEALTHY)
    (group,) = verdict.groups
    assert group.word == CONFORMS
    assert group.tell is not None
    assert group.tell(27) is not None


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
    """Who wants to know how far the explanation has come is told."""
    told: list[tuple[int, int]] = []
    check_recording(
        read_recording(TRACES / "r_random_seed11.jsonl"),
        lambda done, total: told.append((done, total)),
    )
    assert told
    assert all(0 < done <= total for done, total in told)
