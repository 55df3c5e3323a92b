"""The process that appends to a file: it tells its start, and cannot tell that it was killed.

Linux only, and only for processes that may be looked at; elsewhere nobody is found.
"""

from __future__ import annotations

import os
from pathlib import Path

from attrs import define

PROCESSES = Path("/proc")
GONE_STATES = "ZX"
"""Of a process that has ended and that its parent has not heard of."""


@define
class WritingProcess:
    """A process."""

    number: int
    node: str
    seen_ms: float
    """When it was seen to run the last time."""

    def is_alive(self, now_ms: float) -> bool:
        """It runs."""
        try:
            text = (PROCESSES / str(self.number) / "stat").read_text(encoding="latin-1")
        except OSError:
            return False
        if text.rpartition(")")[2].split()[0] in GONE_STATES:
            return False
        self.seen_ms = now_ms
        return True


def find_writer(path: Path, node: str, now_ms: float) -> WritingProcess | None:
    """Whoever has this file open, but for this process."""
    try:
        wanted = path.stat()
        numbers = [int(each.name) for each in PROCESSES.iterdir() if each.name.isdecimal()]
    except OSError:
        return None
    for number in numbers:
        if number != os.getpid() and has_open(number, (wanted.st_dev, wanted.st_ino)):
            return WritingProcess(number, node, now_ms)
    return None


def has_open(number: int, wanted: tuple[int, int]) -> bool:
    """A process has this file open for writing."""
    folder = PROCESSES / str(number)
    try:
        for link in (folder / "fd").iterdir():
            found = link.stat()
            if (found.st_dev, found.st_ino) == wanted:
                flags = (folder / "fdinfo" / link.name).read_text().split("flags:")[1].split()[0]
                return bool(int(flags, 8) & (os.O_WRONLY | os.O_RDWR))
    except (OSError, IndexError, ValueError):
        return False
    return False
