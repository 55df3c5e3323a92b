"""Ctrl-C and SIGTERM: one line, exit code 130, no process and no temporary folder left."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line.output.descendants import (
    Process,
    ask_ps,
    find_descendants,
    list_processes,
    parse_line,
)
from command_line.output.interruption import SIGNALS
from tests.command_line.interrupted import Ended, Started, list_marked
from tests.command_line.run import ROOT

BEFORE = ["rmqspec: interrupted before anything was done; the same command begins again"]

PROGRAM = """
import os, signal, subprocess, sys, tempfile, time
from multiprocessing import get_context
from command_line.output import interruption
from spark_fuzz.processes import deaf_to_ctrl_c

def work(started):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    words = ["sh", "-c", "trap '' TERM; cat"]
    subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)
    started.set()
    time.sleep(600)

def main():
    interruption.end_when_interrupted()
    {setting}
    folder = tempfile.TemporaryDirectory(dir=sys.argv[1])
    started = get_context("spawn").Event()
    worker = get_context("spawn").Process(target=work, args=(started,))
    with deaf_to_ctrl_c():
        worker.start()
    started.wait()
    open(sys.argv[1] + "/is_ready", "w").close()
    try:
        {waiting}
    except BaseException as lost:
        print("this is lost", file=sys.stderr)
    signal.raise_signal(signal.SIGTERM)

if __name__ == "__main__":
    main()
"""
"""A worker that ignores SIGTERM, a program of its own in a session of its own, and a folder."""


def start(folder: Path, setting: str = "pass", waiting: str = "time.sleep(600)") -> Started:
    """Start the program, and come back when all of it runs."""
    path = folder / "program.py"
    path.write_text(PROGRAM.format(setting=setting, waiting=waiting))
    started = Started([sys.executable, path, folder])
    while started.process.poll() is None and not (folder / "is_ready").exists():
        time.sleep(0.005)
    assert started.process.poll() is None
    return started


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("is_to_group", [False, True])
def test_nothing_is_left(tmp_path: Path, number: signal.Signals, is_to_group: bool) -> None:
    """Whatever the other processes do with the signal, and in whatever group they are."""
    started = start(tmp_path)
    assert len(list_marked(started.mark)) >= 4
    started.send(number, is_to_group=is_to_group)
    assert Ended(130, BEFORE, []) == started.wait()
    assert {"program.py", "is_ready"} == {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("setting", "waiting", "said"),
    [
        (
            "interruption.say_when_interrupted(lambda: 'two\\nlines')",
            "time.sleep(600)",
            "rmqspec: two lines",
        ),
        (
            "interruption.say_when_interrupted(lambda: 1 / 0)",
            "time.sleep(600)",
            "rmqspec: interrupted",
        ),
        (
            "class Lost:\n        def __del__(self): time.sleep(600)",
            "lost = Lost(); del lost",
            BEFORE[0],
        ),
        (
            "def complain(): [print('broken', file=sys.stderr) for _ in iter(int, 1) "
            "if not worker.is_alive()]",
            "import threading; threading.Thread(target=complain, daemon=True).start(); "
            "time.sleep(600)",
            BEFORE[0],
        ),
        ("pass", "sys.stderr.write(''); signal.raise_signal(signal.SIGINT)", BEFORE[0]),
    ],
    ids=[
        "a text",
        "a text that fails",
        "where exceptions are lost",
        "where a thread complains",
        "by itself",
    ],
)
def test_the_line(tmp_path: Path, setting: str, waiting: str, said: str) -> None:
    """It is the verb's own, and always one; nothing can catch an interruption."""
    started = start(tmp_path, setting, waiting)
    started.send(signal.SIGTERM, is_to_group=False)
    assert Ended(130, [said], []) == started.wait()


def test_a_signal_that_was_held_back(tmp_path: Path) -> None:
    """It came before the program could answer."""
    path = tmp_path / "program.py"
    path.write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
        "from command_line.output.interruption import end_when_interrupted\n"
        "end_when_interrupted()\n"
    )
    assert Ended(130, BEFORE, []) == Started([sys.executable, path]).wait()


def test_many_signals(tmp_path: Path) -> None:
    """The line is written once, however impatient somebody is."""
    started = start(tmp_path)
    for _ in range(20):
        started.send(random.Random(3).choice(SIGNALS), is_to_group=True)
    assert Ended(130, BEFORE, []) == started.wait()


def test_raised_where_something_is_undone(tmp_path: Path) -> None:
    """Inside the context a signal is an exception, and after it no more."""
    waiting = (
        "with interruption.raised_when_interrupted():\n"
        "            signal.raise_signal(signal.SIGTERM)"
    )
    assert Ended(130, ["this is lost", *BEFORE], []) == start(tmp_path, waiting=waiting).wait()


def test_the_script_ends_with_one_line(tmp_path: Path) -> None:
    """Before it has found an interpreter: here, while the one it looks at sleeps."""
    program = tmp_path / "rmqspec"
    shutil.copy(ROOT / "rmqspec", program)
    for name in ("constraints.txt", "pyproject.toml"):
        (tmp_path / name).write_text("")
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ntouch {tmp_path}/is_ready; exec sleep 600\n")
    python.chmod(0o700)
    for number in SIGNALS:
        (tmp_path / "is_ready").unlink(missing_ok=True)
        started = Started([program], is_deaf=False, RMQSPEC_PYTHON=str(python))
        while started.process.poll() is None and not (tmp_path / "is_ready").exists():
            time.sleep(0.005)
        started.send(number, is_to_group=True)
        assert Ended(130, BEFORE, []) == started.wait()


def test_descendants() -> None:
    """Children's children, and those whose parents have ended while their group is known."""
    processes = [
        Process(10, 1, 10),
        Process(11, 10, 10),
        Process(12, 11, 12),
        Process(13, 1, 12),
        Process(14, 1, 14),
        Process(15, 14, 10),
    ]
    for seen in (processes, processes[::-1]):
        assert [11, 12, 13] == find_descendants(seen, 10)
    assert [13] == find_descendants(processes[3:5], 10, known={12})


def test_lines_of_processes() -> None:
    """A name may have blanks and brackets; what has ended is none."""
    assert Process(7, 1, 7) == parse_line("7 (a (b) c) S 1 7 7 0 -1")
    assert parse_line("7 (sh) Z 1 7 7") is None
    assert parse_line("") is None
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True) as child:
        asked = [process for line in ask_ps() if (process := parse_line(line)) is not None]
        for processes in (list_processes(), asked or list_processes()):
            assert Process(child.pid, os.getpid(), child.pid) in processes
        child.kill()
