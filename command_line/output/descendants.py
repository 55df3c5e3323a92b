"""The processes that this one has started, and those that they have started: found, and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PATIENCE_SECONDS = 5.0
"""A killed process that hangs in the system's own code is not waited for any longer."""
PAUSE_SECONDS = 0.005
"""Between two looks."""


class Process(NamedTuple):
    """A process that has not ended."""

    pid: int
    parent: int
    group: int
    """The first process of its group. Java has a group of its own, and Spark's workers another."""


def kill_descendants(spared: frozenset[int] = frozenset()) -> None:
    """Kill them, and come back when they have ended.

    A process that has lost its parent is found by its group.
    """
    known: set[int] = set()
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        found = find_descendants(list_processes(), os.getpid(), known)
        alive = [pid for pid in found if pid not in spared]
        if not alive:
            return
        for pid in alive:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        known.update(alive)
        time.sleep(PAUSE_SECONDS)


def find_descendants(
    processes: Iterable[Process], ancestor: int, known: Iterable[int] = ()
) -> list[int]:
    """Those that descend from a process, or that are in the group of one of the ``known``.

    Parents come first: a shell would say that its child was killed.
    """
    found: list[int] = []
    parents, leaders = {ancestor}, {*known}
    left = [each for each in processes if each.pid != ancestor]
    while more := [each for each in left if each.parent in parents or each.group in leaders]:
        left = [each for each in left if each not in more]
        found += [each.pid for each in more]
        parents.update(found)
        leaders.update(found)
    return found


def find_tracker() -> frozenset[int]:
    """Python's own process that knows what the others share: it is needed to remove that."""
    tracking = sys.modules.get("multiprocessing.resource_tracker")
    pid = tracking and tracking._resource_tracker._pid
    return frozenset([pid] if pid else [])


def list_processes() -> list[Process]:
    """All processes of this machine, as far as they are visible."""
    lines = read_proc() if Path("/proc/self/stat").exists() else ask_ps()
    return [process for line in lines if (process := parse_line(line)) is not None]


def parse_line(line: str) -> Process | None:
    """A process of ``PID (NAME) STATE PARENT GROUP``; None for one that has ended."""
    pid, _, rest = line.partition("(")
    words = rest.rpartition(")")[2].split()
    if len(words) < 3 or words[0].startswith(("Z", "X")):
        return None
    return Process(int(pid), int(words[1]), int(words[2]))


def read_proc() -> Iterator[str]:
    """A line for each process, as Linux writes it."""
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            with suppress(OSError):
                yield Path("/proc", name, "stat").read_text(encoding="utf-8", errors="replace")


def ask_ps() -> list[str]:
    """The same lines where there is no /proc; none without ``ps``."""
    words = ["ps", "-A", "-o", "pid=,state=,ppid=,pgid="]
    with suppress(OSError):
        asked = subprocess.run(words, capture_output=True, text=True, check=False)
        return [line.strip().replace(" ", " () ", 1) for line in asked.stdout.splitlines()]
    return []
