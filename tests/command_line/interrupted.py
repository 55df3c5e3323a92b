"""The program in a process of its own, to be interrupted, with all that it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from command_line.output.interruption import SIGNALS
from tests.command_line.run import ROOT, leave_out_progress

MARK = "RMQSPEC_TEST_MARK"
"""A variable of the environment by which the processes of one start are found."""

OF_JAVA = "WARNING: Using incubator modules"
"""A line that Java itself writes."""


class Ended(NamedTuple):
    """What an interrupted program leaves."""

    code: int
    said: list[str]
    """The lines on standard error, without progress."""
    left: list[int]
    """Processes that it started, or that those started, and that run still."""


class Started:
    """A program that runs; it has a process group of its own, as in a terminal.

    If ``is_deaf``, a signal waits until the program can answer it, as ``./rmqspec`` has it. A shell
    that runs tests in its background has them ignore SIGINT; the program does not inherit that.
    """

    def __init__(self, words: list[object], *, is_deaf: bool = True, **variables: str) -> None:
        self.mark = uuid4().hex
        environment = {**os.environ, "PYTHONPATH": str(ROOT), MARK: self.mark, **variables}
        usual = [] if is_deaf else ["env", f"--default-signal={','.join(s.name for s in SIGNALS)}"]
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS if is_deaf else ())
        try:
            self.process = subprocess.Popen(
                [*usual, *map(str, words)],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def send(self, number: signal.Signals, *, is_to_group: bool) -> None:
        """Send a signal as ``kill`` does, or as a terminal does."""
        if self.process.poll() is None:
            (os.killpg if is_to_group else os.kill)(self.process.pid, number)

    def wait(self) -> Ended:
        """Wait for the end; what is left is killed afterwards."""
        errors = self.process.stderr
        assert errors is not None
        code = self.process.wait()
        left = list_marked(self.mark)
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        said = [x for x in leave_out_progress(errors.read()).splitlines() if OF_JAVA not in x]
        errors.close()
        return Ended(code, said, left)


def start_rmqspec(*arguments: object, **variables: str) -> Started:
    """``rmqspec ARGUMENTS``."""
    return Started([sys.executable, "-P", "-m", "command_line", *arguments], **variables)


def list_marked(mark: str) -> list[int]:
    """The processes that run with this mark."""
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and is_marked(p, mark)]


def is_marked(process: Path, mark: str) -> bool:
    """Whether a process runs with this mark; one that has ended does not."""
    with suppress(OSError):
        return f"{MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0")
    return False


def get_names(mark: str) -> Mapping[int, str]:
    """The names of the programs that run with this mark."""
    found = {}
    for pid in list_marked(mark):
        with suppress(OSError):
            found[pid] = Path("/proc", str(pid), "comm").read_text().strip()
    return found
