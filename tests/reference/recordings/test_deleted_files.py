"""Retention takes the file in which a broker would go on to flush, or to dispatch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from reference.recordings.judging import REJECTED, check_recording
from reference.recordings.reading import Event, Recording, read_recording
from tests.reference.recordings.shared import TRACES

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
    assert (shown.verdict, shown.first_unexplained_seq) == (REJECTED, WAITING)
