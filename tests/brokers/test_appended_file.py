"""Whole lines at the end of a file, or nothing of them; and what ends a program that serves."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from brokers import appended_file
from brokers.appended_file import WriteFailedError, open_appended
from brokers.recorder.line import Line
from brokers.recorder.parts import RecordingFiles, continue_parts, name_part
from brokers.recorder.watch.live import LiveWatch
from brokers.wire.serving import Failures
from tests.brokers.recorder.test_parts import DESCRIPTION, begin, list_offsets, make_lines
from tests.brokers.recorder.test_watch import OPEN, look, report


class Disk:
    """A disk with so many bytes left."""

    def __init__(self, left: int) -> None:
        self.left, self.write = left, os.write

    def __call__(self, handle: int, data: bytes) -> int:
        """As much as there is room for, and then no more."""
        if not self.left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = self.write(handle, data[: self.left])
        self.left -= count
        return count


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A large one, until a test fills it."""
    found = Disk(1 << 30)
    monkeypatch.setattr(appended_file.os, "write", found)
    return found


@pytest.mark.parametrize("left", [0, 1, 7])
def test_what_does_not_fit_leaves_the_file_as_it_was(tmp_path: Path, disk: Disk, left: int) -> None:
    """And the next line follows a whole one."""
    path = tmp_path / "lines"
    file = open_appended(path)
    file.append(b"first\n")
    disk.left = left
    with pytest.raises(WriteFailedError, match="lines cannot be written: No space left on device"):
        file.append(b"another\n")
    disk.left = 100
    file.append(b"third\n")
    file.close()
    assert "first\nthird\n" == path.read_text()


def test_a_full_device_is_one_line() -> None:
    """It has no size, and takes nothing."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(WriteFailedError, match="/dev/full cannot be written: No space left"):
        open_appended(full).append(b"x\n")


@pytest.mark.parametrize("rotate_bytes", [0, 600])
def test_a_full_disk_leaves_a_recording(tmp_path: Path, disk: Disk, rotate_bytes: int) -> None:
    """After any number of bytes: it is read, and continued."""
    for left in range(1, 2500, 97):
        base = tmp_path / f"pair{left}.jsonl"
        parts = begin(base, rotate_bytes)
        disk.left = left
        with pytest.raises(WriteFailedError):
            write_each(parts, make_lines(40))
        disk.left = 1 << 30
        again, _ = continue_parts(base, rotate_bytes)
        there = again.position.own
        again.write(make_lines(40 - there, first=there))
        again.close()
        assert list(range(40)) == list_offsets(base)


def write_each(parts: RecordingFiles, lines: Iterable[Line]) -> None:
    """One after the other, as they come."""
    for line in lines:
        parts.write([line])


def test_a_recording_without_room_for_its_first_line_is_not_begun(
    tmp_path: Path, disk: Disk
) -> None:
    """No file is left."""
    base = tmp_path / "pair.jsonl"
    parts, _ = continue_parts(base, 0)
    disk.left = 10
    with pytest.raises(WriteFailedError):
        parts.begin(DESCRIPTION, 1000.0)
    assert not name_part(base, 0).exists()


def test_alarms_that_cannot_be_written_do_not_end_the_recording(tmp_path: Path, disk: Disk) -> None:
    """One line says so, alarms still are lines, and at the end it is known how many are lost."""
    path, alarms, notes = tmp_path / "alarms.jsonl", list[str](), list[str]()
    watch = LiveWatch(alarms.append, notes.append, open_appended(path), tmp_path / "no" / "metrics")
    nodes = {"master": {"role": "ASYNC_MASTER", "store_config": {}}}
    watch.describe({**nodes, "slave1": {"role": "SLAVE", "store_config": {}}}, "4.4.0")
    disk.left = 0
    for line in (OPEN, report(10, 101), look(2050, "master", 100), look(2060, "master", 101)):
        watch.feed(line)
        watch.tick(line.wall_ms)
    assert 2 == len(alarms)
    assert 2 == len(notes)
    assert "metrics cannot be written: No such file" in notes[0]
    assert "alarms.jsonl cannot be written: No space left on device; recording goes on" in notes[1]
    watch.stop()
    ends = [each.rpartition(":")[2] for each in watch.list_problems()]
    assert [" No such file or directory", " No space left on device; it lacks 2 alarms"] == ends


def test_a_socket_ends_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same trouble is one line a minute; a defect, or a file, ends the program."""
    lines, ends = list[str](), list[None]()
    failures = Failures(lines.append, lambda: ends.append(None))
    loop = asyncio.new_event_loop()
    failures.watch(loop)
    no_files = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    for _ in range(3):
        loop.call_exception_handler({"message": "socket.accept()", "exception": no_files})
    assert ["socket.accept(): Too many open files; others are served on"] == lines
    assert [] == ends
    defect = ValueError("a defect")
    for problem in (defect, WriteFailedError("later")):
        loop.call_exception_handler({"message": "a callback", "exception": problem})
    loop.close()
    assert [None] == ends
    assert defect is failures.first
