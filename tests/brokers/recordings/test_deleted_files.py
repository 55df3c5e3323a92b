"""Retention takes the file in which a broker would go on to flush, or to dispatch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import REJECTED, check_recording
from brokers.recordings.reading import Event, Recording, read_recording
from tests.brokers.recordings.shared import FOUND, TRACES, cut_behind, may_stand_at

MASTER = "master_async"
ROLLED, WAITING, LOOK, LAST = 155, 157, 158, 159
"""The put that begins the second file, the next one, a look, and one put more."""
FLUSHED, SECOND_FILE = 7693, 8192
"""Where the last record of the first file ends, and where the second file begins."""


def make(
    *, is_deleted: bool, status: str = "FLUSH_DISK_TIMEOUT", flushed: int = FLUSHED
) -> Recording:
    """A SYNC_FLUSH master whose first file goes before the second one is flushed.

    Nobody waits for the put that begins the second file, so nobody flushes it at once.
    """
    recording = read_recording(TRACES / "o_sync_flush_rollover.jsonl")
    nodes = {MASTER: recording.config["nodes"][MASTER]}
    config = evolve(recording.config, data={**recording.config.data, "nodes": nodes})
    begin = {"min_offset": SECOND_FILE, "mapped_files": 1} if is_deleted else {}
    changes: Mapping[int, Mapping[str, Any]] = {
        ROLLED: {"wait_store_ok": False, "put_status": "PUT_OK"},
        WAITING: {"put_status": status},
        LOOK: {"flushed_offset": flushed, **begin},
        LAST: {"put_status": status},
    }

    def list_events() -> Iterator[Event]:
        for event in recording.events:
            if event.data.get("node") != MASTER or event.seq > LAST or event.seq == ROLLED + 1:
                continue
            yield evolve(event, data={**event.data, **changes.get(event.seq, {})})
            if event.seq == ROLLED and is_deleted:
                kind, t_ms = "delete_expired_files", event.t_ms + 0.2
                data = {"seq": ROLLED + 1, "t_ms": t_ms, "ev": kind, "node": MASTER, "deleted": 1}
                yield Event(event.line + 1, ROLLED + 1, t_ms, kind, data)

    return evolve(recording, config=config, events=tuple(list_events()))


def test_a_time_out_without_a_file_to_flush_takes_no_time() -> None:
    """Two flushes that find no file are over at once, and what is flushed stays so (R-CL-09).

    The dispatch was in the second file by then: it is seen to go on.
    """
    recording = make(is_deleted=True)
    (put,) = (event for event in recording.events if event.seq == WAITING)
    assert put["duration_ms"] < 1
    verdict = check_recording(recording)
    assert verdict.is_conforming, verdict.reason


def test_with_the_file_a_time_out_takes_its_time() -> None:
    """Two flushes find a file each, so everything is flushed afterwards."""
    verdict = check_recording(make(is_deleted=False))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, LOOK)
    assert "flushed_offset" in verdict.reason


def test_without_the_file_nothing_is_flushed() -> None:
    """A put is answered PUT_OK, or a look shows that the flush goes on, and both or neither.

    Before the deletion the flush had left the file then, and a time-out would take its time.
    """
    answered = check_recording(make(is_deleted=True, status="PUT_OK"))
    assert (answered.verdict, answered.first_unexplained_seq) == (REJECTED, LOOK)
    shown = check_recording(make(is_deleted=True, flushed=SECOND_FILE + 2198))
    assert (shown.verdict, shown.first_unexplained_seq) == (REJECTED, LOOK)


@cache
def read_full_disk() -> Recording:
    """A broker with a full disk deletes files that are not flushed, and then loses power."""
    return read_recording(FOUND / "flush_file_gone.jsonl")


DELETED, BEHIND, SURGERY, STARTED, MISSING = 108, 150, 173, 204, 210
"""A look behind the deletion, a later one, the loss of power, the next start, and a read."""
FLUSHED_LOOK = 42
"""The look behind its first flush, from which on everything may have come earlier."""


def is_explained(seq: int, **changes: Any) -> bool:
    """An event of it with these fields changed may stand in its place."""
    event = next(each for each in read_full_disk().events if each.seq == seq)
    return may_stand_at(read_full_disk(), evolve(event, data={**event.data, **changes}))


def test_a_flush_does_not_pass_a_file_that_went_unflushed() -> None:
    """By the line about the file it stood at 1000; nothing is flushed any more (R-CL-09)."""
    assert is_explained(DELETED)
    for flushed in (0, 16384, 50152):
        assert not is_explained(DELETED, flushed_offset=flushed)
        assert not is_explained(BEHIND, flushed_offset=flushed)


@pytest.mark.parametrize(("earlier_ms", "is_possible"), [(80_000, True), (100_000, False)])
def test_no_file_goes_before_the_first_round(earlier_ms: int, is_possible: bool) -> None:
    """A broker looks a minute after its start for the first time (`addScheduleTask`)."""

    def move(event: Event) -> Event:
        data = dict(event.data)
        if "t_begin_ms" in data:
            data["t_begin_ms"] -= earlier_ms
        return evolve(event, t_ms=event.t_ms - earlier_ms, data=data)

    recording = cut_behind(read_full_disk(), DELETED)
    first = (e for e in recording.events if e.seq < FLUSHED_LOOK and e.kind != "log")
    events = (*first, *(move(e) for e in recording.events if e.seq >= FLUSHED_LOOK))
    assert check_recording(evolve(recording, events=events)).is_conforming == is_possible


def test_a_queue_without_messages_keeps_its_begin() -> None:
    """When files were deleted the first queue had none left, and the second had one."""
    queues = next(e for e in read_full_disk().events if e.seq == BEHIND)["queues"]
    assert queues["T0-0"] == [0, 29]
    for begin in (1, 24, 26):
        assert not is_explained(BEHIND, queues={**queues, "T0-0": [begin, 29]})
    assert not is_explained(BEHIND, queues={**queues, "T0-1": [0, 24]})
    assert is_explained(MISSING)
    for status in ("FOUND", "OFFSET_TOO_SMALL", "NO_MATCHED_MESSAGE"):
        assert not is_explained(MISSING, status=status)


def test_a_loss_of_power_takes_what_no_flush_has_written() -> None:
    """Behind a stop in order, too; what was in the files that went is not there to be lost."""
    assert is_explained(SURGERY)
    assert not is_explained(SURGERY, lost_from_offset=1000)
    for end in (0, 50152, 55152):
        ends = dict.fromkeys(("max_offset", "flushed_offset", "dispatched_offset"), end)
        assert not is_explained(STARTED, **ends, slave_fall_behind=end)
