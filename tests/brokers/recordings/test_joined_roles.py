"""A node that is a slave in one life and the master in the next, in the joined system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brokers.recordings.joined.explain import (
    CONFORMS,
    OUTSIDE,
    REJECTED,
    UNDECIDED,
    JoinedVerdict,
    explain,
    replay,
)
from brokers.recordings.joined.roles import Period, find_roles
from brokers.recordings.reading import Recording, TraceError, read_recording

NODE: dict[str, Any] = {"flush_type": "ASYNC_FLUSH", "store_config": {}}
EMPTY = {"max_offset": 0, "flushed_offset": 0, "min_offset": -1, "mapped_files": 0}
HELD = {"max_offset": 200, "flushed_offset": 200, "min_offset": 0, "mapped_files": 1}
OF_MASTER = {
    "push2_slave_max_offset": 0,
    "connection_count": 0,
    "slave_fall_behind": 0,
    "connections": [],
}
OF_SLAVE = {"ha_client_connected": False, "ha_client_reported_offset": 0}


def start(node: str, role: str, **shown: Any) -> dict[str, Any]:
    """A broker has started in a role."""
    fields = OF_SLAVE if role == "SLAVE" else OF_MASTER
    told = {"ev": "broker_started", "node": node, "role": role, "last_exit_normal": True}
    return {**told, "dispatched_offset": shown["max_offset"], **fields, **shown}


def put(node: str, place: int, offset: int) -> dict[str, Any]:
    """A message of 200 bytes is put."""
    numbers = dict.fromkeys(
        ("push2_slave_before", "push2_slave_after", "connection_count_before"), 0
    )
    answer = {"put_status": "PUT_OK", "append_status": "PUT_OK", "wait_store_ok": True}
    where = {"topic": "T0", "queue": 0, "queue_offset": place, "body_bytes": 100}
    wrote = {"wrote_offset": offset, "wrote_bytes": 200, "max_offset_after": offset + 200}
    times = {"t_begin_ms": 0.0, "duration_ms": 1.0, "connection_count_after": 0}
    return {"ev": "put", "node": node, **numbers, **answer, **where, **wrote, **times}


EVENTS = (
    start("a", "ASYNC_MASTER", **EMPTY),
    start("b", "SLAVE", **EMPTY),
    put("a", 0, 0),
    {"ev": "snapshot", "node": "b", "dispatched_offset": 200, **HELD, **OF_SLAVE},
    put("a", 1, 200),
    {"ev": "process_exit", "node": "a"},
    {"ev": "process_exit", "node": "b"},
    {"ev": "note", "text": "b gets the id of the master"},
    start("b", "ASYNC_MASTER", **HELD),
    put("b", 1, 200),
    {"ev": "process_exit", "node": "b"},
    start("a", "ASYNC_MASTER", **{**HELD, "max_offset": 400, "flushed_offset": 400}),
)
"""b copies one of two messages, is promoted, and gets another second message."""


def record(folder: Path, changes: dict[int, dict[str, Any]], role: str = "SLAVE") -> Recording:
    """The recording with changes of some events; ``role``: how b is configured."""
    nodes = {"a": {**NODE, "role": "ASYNC_MASTER"}, "b": {**NODE, "role": role}}
    events = [{"ev": "config", "nodes": nodes}, *EVENTS]
    lines = [
        json.dumps({"seq": seq, "t_ms": seq * 1000.0, **event, **changes.get(seq, {})})
        for seq, event in enumerate(events)
    ]
    file = folder / "roles.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return read_recording(file)


def judge(folder: Path, **changes: Any) -> JoinedVerdict:
    """The verdict on a recording; ``s9={...}`` changes the event with seq 9."""
    return explain(record(folder, {int(name[1:]): each for name, each in changes.items()}))


@pytest.mark.parametrize("role", ["SLAVE", "ASYNC_MASTER"])
def test_periods(tmp_path: Path, role: str) -> None:
    """They begin when all have ended, whichever part the configuration shows."""
    periods = find_roles(record(tmp_path, {}, role)).periods
    assert periods == (
        Period(-1, "a", "b", is_sync=False),
        Period(8, "b", "a", is_sync=False),
        Period(12, "a", "b", is_sync=False),
    )


def test_promoted_slave_conforms(tmp_path: Path) -> None:
    """Its log goes on where it ended, and the old master comes back with its own."""
    verdict = judge(tmp_path)
    assert (verdict.word, verdict.reason) == (CONFORMS, "")
    assert verdict.initial is not None
    assert len(verdict.turns) == 2
    states = replay(verdict.initial, verdict.schedule, verdict.turns)
    assert states[-1].cluster.master.log.max_offset == 400
    assert states[-1].cluster.slaves[0].log.max_offset == 400
    assert states[-1].cluster.master.ghost_life == 2


def test_place_that_its_queue_does_not_have(tmp_path: Path) -> None:
    """The promoted slave has one message, so the next one has place 1."""
    verdict = judge(tmp_path, s10={"queue_offset": 2})
    assert (verdict.word, verdict.seq) == (REJECTED, 10), verdict.reason


@pytest.mark.nightly
@pytest.mark.parametrize(("seq", "end"), [(9, 600), (12, 200)])
def test_log_that_it_never_had(tmp_path: Path, seq: int, end: int) -> None:
    """A message that nobody put; a log cut in order. The search ends for want of steps."""
    shown = dict.fromkeys(("max_offset", "dispatched_offset", "flushed_offset"), end)
    verdict = judge(tmp_path, **{f"s{seq}": shown})
    assert verdict.word in (REJECTED, UNDECIDED)
    assert verdict.seq == seq


def test_copied_before_its_promotion(tmp_path: Path) -> None:
    """It has the second message too, got before the master ended: its queue goes on behind."""
    shown = {"max_offset": 400, "flushed_offset": 400, "dispatched_offset": 400}
    later = {"wrote_offset": 400, "queue_offset": 2, "max_offset_after": 600}
    verdict = judge(tmp_path, s9=shown, s10=later)
    assert (verdict.word, verdict.reason) == (CONFORMS, "")


def test_promoted_while_the_master_runs(tmp_path: Path) -> None:
    """Two masters at once are another system."""
    verdict = judge(tmp_path, s6={"ev": "note", "text": "a runs on"})
    assert verdict.word == OUTSIDE
    assert "while another broker runs" in verdict.reason


def test_fields_are_those_of_the_latest_start(tmp_path: Path) -> None:
    """A promoted slave shows what a master shows."""
    with pytest.raises(TraceError, match="connection_count"):
        record(tmp_path, {9: {"connection_count": "none"}})
