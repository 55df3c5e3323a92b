"""The files of a recording: parts, what a kill leaves, and that ``trace`` reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brokers.recorder.line import Line
from brokers.recorder.parts import RecordingFileError, RecordingFiles, continue_parts, name_part
from brokers.recordings.reading import TraceError, read_parts, read_recording

DESCRIPTION = {
    "format": 1,
    "rocketmq": "4.4.0",
    "nodes": {
        "master": {"role": "ASYNC_MASTER", "flush_type": "ASYNC_FLUSH", "store_config": {}},
        "slave1": {"role": "SLAVE", "flush_type": "ASYNC_FLUSH", "store_config": {}},
    },
}


def make_lines(count: int, first: int = 0) -> list[Line]:
    """Lines of the recorder's own."""
    fields = {"link": "link_slave1", "conn": 1}
    return [
        Line(1000.0 + number, "ha_report", {**fields, "slave_offset": number})
        for number in range(first, first + count)
    ]


def begin(base: Path, rotate_bytes: int = 0) -> RecordingFiles:
    """A new recording."""
    parts, _ = continue_parts(base, rotate_bytes)
    parts.begin(DESCRIPTION, 1000.0)
    return parts


def list_offsets(base: Path) -> list[int]:
    """What the reports of all parts show."""
    files = [base]
    while name_part(base, len(files)).exists():
        files.append(name_part(base, len(files)))
    recording = read_parts(files)
    return [event["slave_offset"] for event in recording.events if event.kind == "ha_report"]


def test_parts_are_read_in_order(tmp_path: Path) -> None:
    """Numbers go on from part to part, and so do times."""
    base = tmp_path / "pair.jsonl"
    parts = begin(base, 600)
    parts.write(make_lines(30))
    parts.close()
    assert 3 < parts.part
    assert list(range(30)) == list_offsets(base)
    with pytest.raises(TraceError, match="is part 1 of a recording"):
        read_recording(tmp_path / "pair.1.jsonl")
    with pytest.raises(TraceError, match="is not part 1"):
        read_parts([base, tmp_path / "pair.2.jsonl"])


@pytest.mark.parametrize(
    ("rotate_bytes", "stride"),
    [
        (0, 41),
        (600, 41),
        pytest.param(0, 1, marks=pytest.mark.nightly),
        pytest.param(600, 1, marks=pytest.mark.nightly),
    ],
)
def test_a_kill_at_any_byte_leaves_a_recording(
    tmp_path: Path, rotate_bytes: int, stride: int
) -> None:
    """The line that was not whole is cut off, and the next one follows the last whole one."""
    base = tmp_path / "pair.jsonl"
    parts = begin(base, rotate_bytes)
    parts.write(make_lines(6))
    parts.close()
    whole = parts.path.read_bytes()
    for end in range(0, len(whole) + 1, stride):
        parts.path.write_bytes(whole[:end])
        again, _ = continue_parts(base, rotate_bytes)
        if not again.description:
            assert b"\n" not in whole[:end]
            assert rotate_bytes == 0
            continue
        there = again.position.own
        again.write(make_lines(2, first=there))
        again.close()
        assert list(range(there + 2)) == list_offsets(base), end
        for number in range(parts.part + 1, again.part + 1):
            name_part(base, number).unlink()
        parts.path.write_bytes(whole)


def test_the_position_counts_over_parts(tmp_path: Path) -> None:
    """Connections too, and those that are open."""
    base = tmp_path / "pair.jsonl"
    parts = begin(base, 400)
    for conn in (1, 2, 3):
        fields = {"link": "link_slave1", "conn": conn}
        parts.write([Line(1000.0, "ha_link_open", fields), *make_lines(4)])
        if conn != 2:
            parts.write([Line(1000.0, "ha_link_close", {**fields, "closed_by": "slave"})] * 2)
    parts.write([Line(1000.0, "put", {"node": "master"})] * 3)
    parts.close()
    again, _ = continue_parts(base, 400)
    assert 0 < again.part
    assert parts.position == again.position
    assert ({"link_slave1": [2]}, {"master": 3}) == (
        {link: each for link, each in again.position.is_open.items() if each},
        again.position.followed,
    )


def test_a_file_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    """Neither a recording of others nor any text is appended to."""
    base = tmp_path / "pair.jsonl"
    for text in (json.dumps({"seq": 0, "t_ms": 0.0, "ev": "config", **DESCRIPTION}), "a note"):
        base.write_text(text + "\n")
        with pytest.raises(RecordingFileError):
            continue_parts(base, 0)
        assert text + "\n" == base.read_text()
