"""``rmqspec replay`` of a trace in a file: drawn, shortened, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from properties.exports.itf import ItfTrace, encode_itf
from tests.command_line.run import assert_one_line, run
from tests.properties.refutations import KnownSchedule, find_known


@pytest.fixture
def known() -> KnownSchedule:
    """One of delayed delivery."""
    return find_known("delay")


@pytest.fixture
def file(known: KnownSchedule, tmp_path: Path) -> Path:
    """Its trace."""
    trace = ItfTrace(known.structure, known.parameters, known.schedule, known.guarantee)
    path = tmp_path / "01 trace.itf.json"
    path.write_text(json.dumps(encode_itf(trace)))
    return path


def test_a_trace_is_drawn(known: KnownSchedule, file: Path) -> None:
    """Step by step, and what it violates; nothing of it is needless."""
    result = run("replay", file)
    assert 0 == result.returncode, result.stderr
    assert str(file) == result.stdout.splitlines()[1]
    assert f"      ✗ {known.guarantee}\n" in result.stdout
    assert result.stdout == run("replay", file, "--guarantee", known.guarantee).stdout


def test_a_trace_as_json(known: KnownSchedule, file: Path) -> None:
    """The file instead of an identifier."""
    answer = json.loads(run("replay", file, "--json").stdout)
    assert str(file) == answer["file"]
    assert len(known.schedule) == len(answer["schedule"])
    assert len(known.schedule) == answer["violating_steps"][known.guarantee]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "trace.json"),
        (b"{", "trace.json"),
        (b"[]", "no trace"),
        (b'{"#meta": {}, "states": []}', "no trace"),
        (b"\xff\xfe", "trace.json"),
        (b"[" * 100_000, "trace.json"),
    ],
)
def test_files_that_are_no_traces(content: bytes, word: str, tmp_path: Path) -> None:
    """One line that names the file."""
    path = tmp_path / "trace.json"
    path.write_bytes(content)
    assert word in assert_one_line(run("replay", path), 3)


def test_a_trace_of_other_rules(file: Path) -> None:
    """A state that is not the model's, and a file that is not there."""
    file.write_text(file.read_text().replace('"has_copy": true', '"has_copy": false'))
    assert "is not what the reference comes to" in assert_one_line(run("replay", file), 3)
    assert "nowhere" in assert_one_line(run("replay", "nowhere.itf.json"), 3)
