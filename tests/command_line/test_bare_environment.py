"""What a process says and leaves with where nearly no environment variable is set."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from command_line import logs
from tests.command_line.run import ROOT, assert_one_line, leave_out_progress, run

FULL = Path("/dev/full")

CHECK = ["check", "tests/data/conf/2m-2s-sync", "--timelines", "0"]
"""An answer that comes late."""
ISSUES = ["issues", "--json"]
"""A long one, which fills a pipe."""

BUFFERED: dict[str, str] = {}
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
"""Whether a write fails when it is called, or not before the end."""

both_ways = pytest.mark.parametrize("more", [BUFFERED, UNBUFFERED], ids=["buffered", "unbuffered"])
needs_full_device = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def start(
    arguments: list[str], home: Path, more: Mapping[str, str], **streams: Any
) -> subprocess.Popen[str]:
    """``rmqspec ARGUMENTS`` with an empty home, a path and a locale, and with these variables."""
    bare = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    words = [sys.executable, "-P", "-m", "command_line", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    # The interpreter may know this project by its path alone, as in a checkout of its own.
    environment = {**bare, "PYTHONPATH": str(ROOT), **more}
    return subprocess.Popen(words, cwd=ROOT, env=environment, text=True, **pipes)


@needs_full_device
@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        pytest.param(CHECK, BUFFERED, id="check", marks=pytest.mark.nightly),
        pytest.param(ISSUES, BUFFERED, id="issues"),
        pytest.param(ISSUES, UNBUFFERED, id="issues, unbuffered"),
        pytest.param(["--help"], BUFFERED, id="help"),
        pytest.param(["--help"], UNBUFFERED, id="help, unbuffered"),
    ],
)
def test_a_full_disk_is_one_line(
    arguments: list[str], more: Mapping[str, str], tmp_path: Path
) -> None:
    """Whenever the write fails: one line that says what, and the code of what cannot be used."""
    with FULL.open("w") as full:
        process = start(arguments, tmp_path, more, stdout=full)
        _, said = process.communicate()
    assert "rmqspec: cannot write: No space left on device\n" == leave_out_progress(said)
    assert 3 == process.returncode


@needs_full_device
@both_ways
def test_a_failure_that_cannot_be_told_keeps_its_code(
    more: Mapping[str, str], tmp_path: Path
) -> None:
    """Standard error is full, too."""
    with FULL.open("w") as full:
        process = start(["check", "nowhere"], tmp_path, more, stdout=full, stderr=full)
        process.communicate()
    assert 3 == process.returncode


@needs_full_device
@both_ways
def test_a_failure_is_told_before_the_full_disk(more: Mapping[str, str], tmp_path: Path) -> None:
    """The first reason is the one that is told."""
    with FULL.open("w") as full:
        process = start(["check", "nowhere"], tmp_path, more, stdout=full)
        _, said = process.communicate()
    (line,) = leave_out_progress(said).splitlines()
    assert line.startswith("rmqspec: nowhere: ")
    assert 3 == process.returncode


@both_ways
def test_a_closed_pipe_is_quiet(more: Mapping[str, str], tmp_path: Path) -> None:
    """Who reads no further, as ``| head`` does, is told nothing more."""
    reading, writing = os.pipe()
    os.close(reading)
    process = start(ISSUES, tmp_path, more, stdout=writing)
    os.close(writing)
    _, said = process.communicate()
    assert "" == leave_out_progress(said)
    assert -signal.SIGPIPE == process.returncode


@both_ways
def test_everything_written_arrives(more: Mapping[str, str], tmp_path: Path) -> None:
    """Into a pipe, to its last line; nothing is left behind in the home."""
    process = start(ISSUES, tmp_path, more)
    written, said = process.communicate()
    assert ("", 0) == (leave_out_progress(said), process.returncode)
    assert json.loads(written)
    assert written.endswith("\n")
    assert [] == list(tmp_path.iterdir())


def test_a_pipe_of_another_is_no_silent_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a standard stream without reader ends the program quietly; this one has its line."""

    def fail(_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    monkeypatch.setattr(logs, "find_brokers", fail)
    assert "the other end is closed: Broken pipe" in assert_one_line(run("logs", "x"), 3)
