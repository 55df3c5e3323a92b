"""``rmqspec replay`` of a trace in a file: drawn, shortened, refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from properties.exports.itf import ItfTrace, encode_itf
from tests.command_line.run import assert_one_line, run
from tests.properties.refutations import KNOWN_SCHEDULES

KNOWN = KNOWN_SCHEDULES[-1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A trace of delayed delivery."""
    trace = ItfTrace(KNOWN.structure, KNOWN.parameters, KNOWN.schedule, KNOWN.guarantee)
    path = tmp_path / "01 trace.itf.json"
    path.write_text(json.dumps(encode_itf(trace)))
    return path


def test_a_trace_is_drawn(file: Path) -> None:
    """Step by step, and what it violates; nothing of it is needless."""
    result = run("replay", file)
    assert 0 == result.returncode, result.stderr
    assert str(file) == result.stdout.splitlines()[1]
    assert f"      ✗ {KNOWN.guarantee}\n" in result.stdout
    assert result.stdout == run("replay", file, "--guarantee", KNOWN.guarantee).stdout


def test_a_trace_as_json(file: Path) -> None:
    """The file instead of an identifier."""
    answer = json.loads(run("replay", file, "--json").stdout)
    assert str(file) == answer["file"]
    assert len(KNOWN.schedule) == len(answer["schedule"])
    assert len(KNOWN.schedule) == answer["violating_steps"][KNOWN.guarantee]


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
