"""A file that is no recording is refused with its place, its problem and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brokers.explaining.checking import CHECKS
from brokers.explaining.looks.table import LOOKS
from brokers.recordings.kinds import EXPLAINED_KINDS, IGNORED_KINDS
from brokers.recordings.reading import TraceError, read_recording

TRACES = Path(__file__).parents[2] / "data" / "traces"

NODES = {
    "master": {"role": "SYNC_MASTER", "flush_type": "ASYNC_FLUSH", "store_config": {}},
    "slave1": {"role": "SLAVE", "flush_type": "ASYNC_FLUSH", "store_config": {}},
}
CONFIG = {"t_ms": 0.0, "seq": 0, "ev": "config", "nodes": NODES}
REPORT = {
    "t_ms": 1.5,
    "seq": 1,
    "ev": "ha_report",
    "link": "link_slave1",
    "conn": 1,
    "slave_offset": 0,
}
SCAN = {"t_ms": 1.5, "seq": 1, "ev": "log_scan", "node": "master"}
SNAPSHOT = {
    "t_ms": 1.5,
    "seq": 1,
    "ev": "snapshot",
    "node": "slave1",
    "max_offset": 0,
    "flushed_offset": 0,
    "min_offset": -1,
    "mapped_files": 0,
    "dispatched_offset": 0,
}


def write(path: Path, *events: Any) -> Path:
    """A file of JSON lines; a text stands for itself."""
    lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_reads_recordings(path: Path) -> None:
    """Every line becomes an event, and knows its place."""
    recording = read_recording(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert recording.file == str(path)
    assert recording.config["scenario"] == path.stem
    assert len(recording.events) == len(lines) - 1
    assert [event.line for event in recording.events] == list(range(2, len(lines) + 1))


@pytest.mark.parametrize(
    ("events", "line", "problem"),
    [
        ((), 1, "the file is empty"),
        (("{",), 1, "not JSON"),
        (("[" * 100_000,), 1, "not JSON"),
        ((CONFIG, "[1]"), 2, "not a JSON object"),
        ((CONFIG, "\x00\x01"), 2, "not JSON"),
        ((CONFIG, '{"t_ms": NaN, "seq": 1, "ev": "log"}'), 2, "not JSON"),
        ((CONFIG, '{"t_ms": 1e999, "seq": 1, "ev": "log"}'), 2, "'t_ms' is of another kind"),
        ((CONFIG, {"seq": 1, "ev": "log"}), 2, "event has no field 't_ms'"),
        ((CONFIG, {"t_ms": 1, "seq": True, "ev": "log"}), 2, "'seq' is of another kind"),
        ((CONFIG, {"t_ms": 1, "seq": 2**70, "ev": "log"}), 2, "'seq' is of another kind"),
        ((REPORT, CONFIG), 1, "the first event is 'ha_report', not 'config'"),
        (({**CONFIG, "nodes": 1},), 1, "'nodes' is of another kind"),
        (({**CONFIG, "format": 2},), 1, "format is 2; this reader knows format 1"),
        ((CONFIG, {**SCAN, "entries": [{"offset": 0}]}), 2, "entries has no field 'kind'"),
        ((CONFIG, {**SCAN, "entries": [0]}), 2, "'entries' is of another kind"),
        (({**CONFIG, "nodes": {"master": 1}},), 1, "'master' is of another kind"),
        (({**CONFIG, "nodes": {"master": {"role": "A"}}},), 1, "no field 'flush_type'"),
        (
            ({**CONFIG, "nodes": {"master": {**NODES["master"], "role": "KING"}}},),
            1,
            "role is 'KING'",
        ),
        ((CONFIG, {**CONFIG, "seq": 1}), 2, "a second event is 'config'"),
        ((CONFIG, REPORT, REPORT), 3, "seq 1 follows 1"),
        ((CONFIG, {**REPORT, "slave_offset": "0"}), 2, "'slave_offset' is of another kind"),
        ((CONFIG, {**REPORT, "slave_offset": 0.5}), 2, "'slave_offset' is of another kind"),
        ((CONFIG, SNAPSHOT), 2, "snapshot has no field 'ha_client_connected'"),
        ((CONFIG, {**SNAPSHOT, "node": "master"}), 2, "no field 'push2_slave_max_offset'"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_refuses_other_files(tmp_path: Path, events: Any, line: int, problem: str) -> None:
    """The message names file, line, problem and advice on one line."""
    path = write(tmp_path / "trace.jsonl", *events) if events else tmp_path / "trace.jsonl"
    path.touch()
    with pytest.raises(TraceError) as error:
        read_recording(path)
    message = str(error.value)
    assert message.startswith(f"{path}:{line}: ")
    assert problem in message
    assert "; " in message
    assert "\n" not in message


def test_refuses_what_is_no_text(tmp_path: Path) -> None:
    """A binary file is told from a recording."""
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"\x89PNG\r\n\xff\xfe")
    with pytest.raises(TraceError, match="not a text in UTF-8; name a recording"):
        read_recording(path)


@pytest.mark.parametrize("name", [".", "nothing.jsonl", "two\nlines.jsonl"])
def test_refuses_what_cannot_be_read(tmp_path: Path, name: str) -> None:
    """Folders, missing files and strange names give one line, too."""
    with pytest.raises(TraceError, match=r"[^:].: cannot be read .*; check the path") as error:
        read_recording(tmp_path / name)
    assert "\n" not in str(error.value)


def test_every_kind_is_of_one_sort() -> None:
    """A kind of event is ignored, or it is looked at or held against what is known."""
    assert not IGNORED_KINDS & set(EXPLAINED_KINDS)
    assert {*LOOKS, *CHECKS} - {"call"} == set(EXPLAINED_KINDS)
