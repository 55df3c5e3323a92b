"""Which answers a put may have got at all, whatever nobody saw."""

from __future__ import annotations

from functools import cache

import pytest
from attrs import evolve

from reference.recordings.ahead.plan import make_plan
from reference.recordings.judging import REJECTED, check_recording, find_version
from reference.recordings.log.limits.answers import Answers
from reference.recordings.reading import Recording, read_recording
from tests.reference.recordings.corruptions import change_event
from tests.reference.recordings.shared import ALL

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
    return recording, Answers(make_plan(recording, version))


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
    put = next(each for each in answers.plan.puts if each.seq == 308)
    assert not answers.may_be(evolve(put, status=status))
    place = next(i for i, event in enumerate(recording.events) if event.seq == put.seq)
    verdict = check_recording(change_event(recording, place, put_status=status))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, put.seq)


def test_a_slave_is_there_as_long_as_nothing_ends() -> None:
    """It may be lacking if none counts before the call, if it is far behind, or if one ends."""
    _, answers = see(BIG)
    put = next(each for each in answers.plan.puts if each.seq == 308)
    lacking = evolve(put, status="SLAVE_NOT_AVAILABLE")
    assert not answers.may_be(lacking)
    assert answers.may_be(evolve(lacking, connections_before=0))
    assert answers.may_be(evolve(lacking, size_bytes=1 << 30))
    assert answers.losses_ms == ()
    _, restarted = see("f_slave_restart_resume")
    end_ms = restarted.losses_ms[0]
    assert restarted.may_be(evolve(lacking, begin_ms=end_ms, end_ms=end_ms))
    assert not restarted.may_be(evolve(lacking, begin_ms=end_ms - 5_000, end_ms=end_ms - 5_000))
