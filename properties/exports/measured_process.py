"""A program run in a folder: its output, its exit code, and its peak memory."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

POLL_SECONDS = 0.01


@frozen
class MeasuredRun:
    """One run of a program."""

    output: str
    """Its standard output."""
    code: int
    """Its exit code; 0 is success."""
    memory_bytes: int
    """The peak memory of its process; 0 if the system does not report it."""


def run_measured(command: Sequence[str], folder: Path) -> MeasuredRun:
    """Run a program to its end."""
    output = folder / "output"
    memory_bytes = 0
    with output.open("w") as file, subprocess.Popen(command, cwd=folder, stdout=file) as process:
        while process.poll() is None:
            memory_bytes = max(memory_bytes, read_peak_bytes(process.pid))
            time.sleep(POLL_SECONDS)
    return MeasuredRun(output.read_text(errors="replace"), process.returncode, memory_bytes)


def read_peak_bytes(process: int | str) -> int:
    """The peak memory of a running process so far; 0 if the system (not Linux) hides it."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0
