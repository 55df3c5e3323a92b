"""Long recordings: the checker takes as long for the last thousand events as for the first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from reference.recordings.judging import check_recording
from reference.recordings.kinds import COMMON_FIELDS
from reference.recordings.reading import Event, Recording, read_recording

HEALTHY = Path(__file__).parents[2] / "data" / "traces" / "a_sync_healthy.jsonl"

MESSAGE_BYTES = 399
EVENTS_PER_SECOND_MIN = 1000
"""What the checker has to manage on any machine."""


def make_long(puts: int) -> Recording:
    """A healthy pair that goes on with puts of one size, one after another, file after file."""
    recording = read_recording(HEALTHY)
    place = next(i for i, e in enumerate(recording.events) if e.data.get("msg_id") == "m0")
    events = [*recording.events[: place + 1]]
    events += continue_puts(recording, events[-1], puts)
    return evolve(recording, events=tuple(events))


def continue_puts(recording: Recording, put: Event, puts: int) -> Iterator[Event]:
    """Frame, report and put, again and again."""
    size = recording.config["nodes"]["master"]["store_config"]["mapedFileSizeCommitLog"]
    report = next(e for e in recording.events if e.kind == "ha_report")
    link = {"link": report["link"], "conn": report["conn"]}
    end, seq, now = put["wrote_offset"] + put["wrote_bytes"], put.seq, put.t_ms + 5
    for number in range(1, puts + 1):
        begin, before, ranges = now, end, []
        file_end = (end // size + 1) * size
        if end + MESSAGE_BYTES + 8 > file_end:
            ranges, end = [(end, file_end - end)], file_end
        for start, length in (*ranges, (end, MESSAGE_BYTES)):
            body = {"master_offset": start, "body_bytes": length}
            yield make_event(seq + 1, now + 0.2, "ha_frame", **link, **body)
            yield make_event(seq + 2, now + 0.4, "ha_report", **link, slave_offset=start + length)
            seq, now = seq + 2, now + 0.4
        end, seq, now = end + MESSAGE_BYTES, seq + 1, now + 0.2
        changes = {
            "t_begin_ms": begin,
            "duration_ms": now - begin,
            "msg_id": f"long{number}",
            "wrote_offset": end - MESSAGE_BYTES,
            "wrote_bytes": MESSAGE_BYTES,
            "body_bytes": 200,
            "queue_offset": put["queue_offset"] + number,
            "push2_slave_before": before,
            "push2_slave_after": end,
            "max_offset_after": end,
        }
        common = {name: value for name, value in put.data.items() if name not in COMMON_FIELDS}
        yield make_event(seq, now, "put", **{**common, **changes})
        now += 1


def make_event(seq: int, t_ms: float, kind: str, **fields: Any) -> Event:
    """One line."""
    data = {**fields, "seq": seq, "t_ms": t_ms, "ev": kind}
    return Event(seq + 1, seq, t_ms, kind, data)


def test_a_long_recording_conforms_and_its_end_is_judged() -> None:
    """Messages and boundaries are found again after many files; a wrong last answer is refused."""
    recording = make_long(400)
    assert check_recording(recording).reason == ""
    last = recording.events[-1]
    wrong = evolve(last, data={**last.data, "put_status": "FLUSH_SLAVE_TIMEOUT"})
    verdict = check_recording(evolve(recording, events=(*recording.events[:-1], wrong)))
    assert verdict.first_unexplained_seq == last.seq
    assert len(verdict.cluster.messages) < 10 if verdict.cluster else False


@pytest.mark.nightly
def test_time_grows_with_the_number_of_events() -> None:
    """More than 20,000 events, at a thousand a second of the processor at least."""
    recording = make_long(7000)
    assert len(recording.events) > 20_000
    begin = time.process_time()
    assert check_recording(recording).is_conforming
    assert len(recording.events) / (time.process_time() - begin) > EVENTS_PER_SECOND_MIN
