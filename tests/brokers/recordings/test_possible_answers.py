"""Which answers, reports, counts and ends may be seen at all, whatever nobody saw."""

from __future__ import annotations

from functools import cache

import pytest
from attrs import evolve
from brokers.recordings.log.limits.answers import Answers
from brokers.recordings.log.limits.counts import Counts
from brokers.recordings.log.limits.landmarks import Landmarks
from brokers.recordings.log.limits.reports import Reports, list_possible

from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.judging import REJECTED, check_recording, find_version
from brokers.recordings.reading import Recording, read_recording
from tests.brokers.recordings.edits import change_event
from tests.brokers.recordings.shared import ALL

BIG = "v498_big_message_acks_slow_link"

GIVEN = {
    "b_sync_no_slave": "SLAVE_NOT_AVAILABLE",
    "o_sync_flush_rollover": "FLUSH_DISK_TIMEOUT",
    "v498_c_sync_stall_heal": "FLUSH_SLAVE_TIMEOUT",
    BIG: "PUT_OK",
}
"""Recordings, with an answer that their puts have got."""


@cache
def see(name: str) -> tuple[Recording, Answers]:
    """A recording, and the answers that its puts may have got."""
    recording = read_recording(next(path for path in ALL if path.stem == name))
    version = find_version(recording)
    assert version is not None
    plan = make_plan(recording, version)
    return recording, Answers(plan, Counts(plan), Reports(plan))


def find_put(answers: Answers, seq: int) -> RecordedPut:
    """The put of an event."""
    return answers.plan.put_by_seq[seq]


@pytest.mark.parametrize(("name", "status"), GIVEN.items())
def test_every_recorded_answer_is_possible(name: str, status: str) -> None:
    """And what no put is answered that was appended is not."""
    _, answers = see(name)
    assert status in {put.status for put in answers.plan.puts}
    assert [put.seq for put in answers.plan.puts if not answers.may_be(put)] == []
    refused = evolve(answers.plan.puts[0], status="SERVICE_NOT_AVAILABLE")
    assert not answers.may_be(refused)


@pytest.mark.parametrize("status", ["FLUSH_DISK_TIMEOUT", "FLUSH_SLAVE_TIMEOUT"])
def test_another_answer_to_a_big_message_is_refused(status: str) -> None:
    """Its slave is connected, its disk is not waited for, and its clock has not run out."""
    recording, answers = see(BIG)
    put = find_put(answers, 308)
    assert not answers.may_be(evolve(put, status=status))
    place = next(i for i, event in enumerate(recording.events) if event.seq == put.seq)
    verdict = check_recording(change_event(recording, place, put_status=status))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, put.seq)


def test_a_slave_is_there_as_long_as_nothing_ends() -> None:
    """It may be lacking if none counts before the call, if it is far behind, or if one ends."""
    _, answers = see(BIG)
    put = find_put(answers, 308)
    lacking = evolve(put, status="SLAVE_NOT_AVAILABLE")
    assert not answers.may_be(lacking)
    assert answers.may_be(evolve(lacking, connections_before=0))
    assert answers.may_be(evolve(lacking, size_bytes=1 << 30))
    assert answers.counts.losses_ms == ()
    _, restarted = see("h_slave_ahead_aligned")
    end_ms = restarted.counts.losses_ms[0]
    assert restarted.may_be(evolve(lacking, begin_ms=end_ms, end_ms=end_ms))
    assert not restarted.may_be(evolve(lacking, begin_ms=end_ms - 2_000, end_ms=end_ms - 2_000))
    _, asynchronous = see("f_slave_restart_resume")
    assert not asynchronous.may_be(evolve(lacking, connections_before=0))


def test_a_wait_is_given_up_after_five_wake_ups() -> None:
    """Each is a report that raises what was reported, and is not enough."""
    _, answers = see("a_sync_healthy")
    first = find_put(answers, 84)
    assert not answers.may_be(evolve(first, status="FLUSH_SLAVE_TIMEOUT"))
    last = evolve(find_put(answers, 89), status="FLUSH_SLAVE_TIMEOUT")
    assert answers.may_be(last)  # Four reports in between, and one notification from before.
    assert not answers.may_be(evolve(last, push2_before=5729))
    assert answers.may_be(evolve(last, push2_before=5729, duration_ms=1_000.0))
    assert not answers.may_be(evolve(last, waits_for_store=False))


def test_a_disk_wait_fails_early_in_a_file_of_which_nothing_was_flushed() -> None:
    """The second flush is not checked: seq 116 has failed so, in a file that begins with it."""
    _, answers = see("o_sync_flush_rollover")
    assert answers.may_be(find_put(answers, 116))
    behind = evolve(find_put(answers, 122), status="FLUSH_DISK_TIMEOUT")
    assert not answers.may_be(behind)
    assert answers.may_be(evolve(behind, duration_ms=60_000.0))
    assert not answers.may_be(evolve(find_put(answers, 116), waits_for_store=False))


def test_what_is_reported_covers_a_put_that_has_waited_for_it() -> None:
    """And does not fall during a call."""
    _, answers = see("a_sync_healthy")
    put = find_put(answers, 80)
    assert answers.may_see(put, put.end_offset)
    assert not answers.may_see(put, put.end_offset - 1)
    hurried = evolve(put, waits_for_store=False)
    assert answers.may_see(hurried, put.push2_before)
    assert not answers.may_see(hurried, put.push2_before - 1)


def test_connections_count_as_long_as_nothing_ends() -> None:
    """The master of this recording loses power, and has one slave."""
    recording, answers = see("h_slave_ahead_aligned")
    counts, shown = answers.counts, [e for e in recording.events if "connection_count" in e.data]
    assert all(counts.may_count(e["connection_count"], e.seq > 99, e) for e in shown)
    later = next(event for event in shown if event.seq == 121)
    assert [number for number in range(-1, 4) if counts.may_count(number, 1, later)] == [1]
    loss_ms = counts.losses_ms[0]
    assert counts.may_become(1, 0, loss_ms - 10, loss_ms)
    assert not counts.may_become(1, 0, later.t_ms, later.t_ms)


def test_reports_tell_ends_of_frames() -> None:
    """None falls, and all that were recorded are possible."""
    recording, answers = see("a_sync_healthy")
    reports = Reports(answers.plan)
    told = [event for event in recording.events if event.kind == "ha_report"]
    assert all(map(reports.may_be, told))
    assert reports.may_be_read(0, 1, 4832, told[-1].t_ms)
    assert not reports.may_be_read(0, 1, 4832, told[0].t_ms)
    assert not reports.may_be_read(0, 1, 4833, told[-1].t_ms)
    shown = [event for event in recording.events if event.kind in ("ha_frame", "ha_report")]
    later = next(number for number, event in enumerate(shown) if event.seq == 76)
    for offset in (6328, 4832):  # Where no frame has ended; less than before.
        wrong = evolve(shown[later], data={**shown[later].data, "slave_offset": offset})
        changed = [*shown[:later], wrong, *shown[later + 1 :]]
        assert 76 not in list_possible(changed, 16384)


def test_frames_end_with_a_message_a_batch_or_a_file() -> None:
    """At most one file, and no more than a batch."""
    _, answers = see(BIG)
    marks = Landmarks(answers.plan)
    frames = answers.plan.links[0].frames[1]
    assert all(marks.may_be_sent(f.start_offset, f.size_bytes, f.t_ms) for f in frames)
    frame = frames[0]
    for size in (0, frame.size_bytes + 1, 1 << 20):
        assert not marks.may_be_sent(frame.start_offset, size, frame.t_ms)


def test_a_life_of_a_log_that_was_cut_tells_no_end_above_the_cut() -> None:
    """The master of this recording loses its whole log, and writes another one."""
    _, answers = see("h_slave_ahead_master_empty")
    marks = Landmarks(answers.plan)
    before, after = marks.lives
    assert marks.may_be_written(4806, before.begin_ms + 1)
    assert not marks.may_be_written(4807, before.begin_ms + 1)
    assert not marks.may_be_written(4806, after.begin_ms + 1)
    assert marks.may_be_written(801, after.begin_ms + 1)
    assert marks.may_stand_at(4806)
