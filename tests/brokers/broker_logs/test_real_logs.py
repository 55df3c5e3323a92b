"""Logs of real brokers show the signs that are true of them, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brokers.broker_logs.folders import find_brokers
from brokers.broker_logs.reading import LogReport, read_logs
from brokers.broker_logs.recording import make_recording
from brokers.recordings.judging import CONFORMS, UNDECIDED, check_trace
from tests.brokers.broker_logs.real_logs import LOGGED, unpack_logs, write_recorded_logs

TORN_ROLL = {
    ("file_not_created", "master"),
    ("next_file_missing", "master"),
    ("next_file_missing", "slave1"),
    ("put_without_file", "master"),
    ("put_slow", "master"),
    ("abnormal_start", "master"),
    ("service_failed", "master"),
    ("link_ended", "master"),
}
"""A master that could not create its next file, and was killed then."""

SIGNS = {
    "delay_promotion_keep": {("flapping", "master"), ("link_ended", "master")},
    "empty_first_file": {
        ("last_file_only", "master"),
        ("frame_refused", "slave1"),
        ("wrong_first_file", "master"),
        ("link_ended", "master"),
        ("link_ended", "slave1"),
    },
    "equal_versions": {
        ("disk_unknown", "master"),
        ("disk_unknown", "slave1"),
        ("idle_slave_dropped", "master"),
        ("table_not_copied", "slave1"),
        ("link_ended", "master"),
        ("abnormal_start", "master"),
    },
    "full_file_skipped": {
        ("file_not_created", "master"),
        ("service_failed", "master"),
        ("next_file_missing", "master"),
        ("put_without_file", "master"),
        ("put_slow", "master"),
        ("last_file_only", "master"),
        ("idle_slave_dropped", "master"),
        ("dispatch_outrun", "slave1"),
        ("flush_outrun", "slave1"),
        ("stopped_behind", "slave1"),
    },
    "group_skip_old": {("link_ended", "master"), ("answer_not_sent", "slave1")},
    "operators_torn_roll_advice": {*TORN_ROLL, ("disk_wait_failed", "master")},
    "topic_answer": {("abnormal_start", "master")},
    "torn_roll_control": {
        ("disk_wait_failed", "master"),
        ("abnormal_start", "master"),
        ("link_ended", "master"),
    },
    "torn_roll_kill": {*TORN_ROLL, ("torn_roll", "master"), ("queue_misses_entry", "slave1")},
}
"""What is true of each pair, by ``tests/data/stores/NOTICE.md``, as far as logs show it."""

UNDECIDED_PAIRS = ("torn_roll_control",)
"""Pairs with a recovery whose result depends on puts."""

WITHOUT_RELEASE = "empty_first_file"
"""The pair all of whose lines 4.9.8 would write too."""

RECORDED = {
    "traces/a_sync_healthy": set(),
    "traces/h_slave_ahead_misaligned": {
        ("abnormal_start", "master"),
        ("tail_lost", "master"),
        ("slave_ahead", "master"),
        ("dispatch_stuck", "slave1"),
        ("stopped_behind", "slave1"),
        ("abnormal_start", "slave1"),
        ("log_shorter", "slave1"),
        ("link_ended", "master"),
        ("link_ended", "slave1"),
    },
    "traces/p_slave_behind_master_min": {
        ("flapping", "master"),
        ("flush_outrun", "master"),
        ("abnormal_start", "slave1"),
        ("slave_outrun", "master"),
        ("slave_wait_failed", "master"),
        ("put_slow", "master"),
        ("store_emptied", "slave1"),
        ("link_ended", "master"),
        ("last_file_only", "master"),
        ("dispatch_outrun", "slave1"),
    },
    "traces/s_idle_500_3000": {("flapping", "master"), ("idle_slave_dropped", "master")},
    "traces/x2_consumer_offsets_and_sync": {
        ("progress_moved_back", "master"),
        ("link_ended", "master"),
        ("topic_not_known", "slave1"),
    },
    "traces_498/v498_h_slave_ahead_aligned": {
        ("abnormal_start", "master"),
        ("tail_lost", "master"),
        ("slave_ahead", "master"),
        ("flapping", "master"),
        ("flapping", "slave1"),
        ("link_ended", "master"),
    },
    "traces_498/v498_n_clean_restart": {("link_ended", "master")},
    "traces_5x/v533_controller_d2_power_loss_same_epoch": {
        ("abnormal_start", "master"),
        ("tail_lost", "master"),
        ("confirm_offset_stands", "master"),
        ("no_consistent_point", "slave1"),
        ("set_shrank", "master"),
        ("link_ended", "master"),
        ("link_ended", "slave1"),
        ("error_line", "master"),
    },
    "traces_5x/v533_quorum_h_slave_ahead_aligned": {
        ("abnormal_start", "master"),
        ("tail_lost", "master"),
        ("slave_ahead", "master"),
    },
    "traces_5x/v533_u_rollover_while_slave_joins": {
        ("last_file_only", "master"),
        ("dispatch_outrun", "slave1"),
        ("flush_outrun", "slave1"),
    },
}
"""Recordings of other releases and failures, whose log lines are written to files again."""


@pytest.fixture(name="reports", scope="module")
def read_reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LogReport]:
    """The logs of every pair, read once."""
    folder = tmp_path_factory.mktemp("logs")
    return {name: read_logs(find_brokers([unpack_logs(name, folder)])) for name in LOGGED}


def list_signs(report: LogReport) -> set[tuple[str, str]]:
    """Which signs which brokers have."""
    return {(each.sign, each.broker) for each in report.findings}


@pytest.mark.parametrize("name", LOGGED)
def test_signs_of_pairs(name: str, reports: dict[str, LogReport]) -> None:
    """Those that are true of the pair; and its release."""
    report = reports[name]
    assert SIGNS[name] == list_signs(report)
    assert report.release == "4.4.0"
    assert report.is_told is (name != WITHOUT_RELEASE)
    assert () == report.notes


def test_details_are_those_of_the_stores(reports: dict[str, LogReport]) -> None:
    """Offsets that the stores beside the logs have too."""
    found = {(n, each.sign): each for n, report in reports.items() for each in report.findings}
    ahead = found["torn_roll_kill", "torn_roll"]
    assert "the slave has 16384, the master recovered 14000" == ahead.detail
    wrong = found["empty_first_file", "wrong_first_file"]
    assert "3000 bytes from 16384 of the master lie at 0 of the slave" == wrong.detail
    outrun = found["full_file_skipped", "dispatch_outrun"]
    assert "asks for 0; files from 16384 to 32768" == outrun.detail
    assert outrun.count == 8075


@pytest.mark.parametrize("name", RECORDED)
def test_signs_of_recordings(name: str, tmp_path: Path) -> None:
    """Other releases; the release is told by the lines."""
    folder, _, recording = name.partition("/")
    report = read_logs(find_brokers([write_recorded_logs(folder, recording, tmp_path)]))
    assert RECORDED[name] == list_signs(report)
    release = {"traces": "4.4.0", "traces_498": "4.9.8", "traces_5x": "5.3.3"}[folder]
    assert release == report.release


@pytest.mark.parametrize("name", LOGGED)
def test_recordings_from_logs_are_never_rejected(
    name: str, reports: dict[str, LogReport], tmp_path: Path
) -> None:
    """They conform, or what their puts did would have to be guessed."""
    file = tmp_path / f"{name}.jsonl"
    events = list(make_recording(reports[name]))
    file.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    verdict = check_trace(file)
    assert (UNDECIDED if name in UNDECIDED_PAIRS else CONFORMS) == verdict.verdict, verdict.reason
    assert verdict.explained
    starts = sum(event["ev"] == "node_started" for event in events)
    assert starts == sum("has loaded" in entry.says for entry in reports[name].entries) - (
        name == "delay_promotion_keep"
    )


def test_a_promotion_ends_a_recording(reports: dict[str, LogReport]) -> None:
    """The slave starts as a master, and the last line says so."""
    last = list(make_recording(reports["delay_promotion_keep"]))[-1]
    assert last["ev"] == "note"
    assert last["text"].startswith("slave1 starts as ASYNC_MASTER next")
