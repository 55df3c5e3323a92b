"""A file to which whole lines are appended, or nothing of them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from attrs import define


class WriteFailedError(Exception):
    """A file that cannot be written, and why: one line.

    No OSError, because asyncio takes those that a callback raises for errors of its socket.
    """


@define
class AppendedFile:
    """An open file. What does not fit into it as a whole leaves it as it was."""

    path: Path
    handle: int
    size: int
    """In bytes."""

    def append(self, data: bytes) -> None:
        """Append whole lines. Raises WriteFailedError."""
        written = 0
        try:
            while written < len(data):
                written += os.write(self.handle, data[written:])
        except OSError as problem:
            with suppress(OSError):  # A device or a pipe has no size.
                os.ftruncate(self.handle, self.size)
            raise explain(self.path, problem) from problem
        self.size += len(data)

    def truncate(self, size: int) -> None:
        """Keep so many bytes. Raises WriteFailedError."""
        try:
            os.ftruncate(self.handle, size)
        except OSError as problem:
            raise explain(self.path, problem) from problem
        self.size = size

    def close(self) -> None:
        """No more lines."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def open_appended(path: Path, more_flags: int = 0) -> AppendedFile:
    """Open a file to append, or make it. Raises WriteFailedError."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | more_flags, 0o644)
        return AppendedFile(path, handle, os.fstat(handle).st_size)
    except OSError as problem:
        raise explain(path, problem) from problem


def explain(path: Path, problem: OSError) -> WriteFailedError:
    """The line of a failure."""
    return WriteFailedError(f"{path} cannot be written: {problem.strerror}")
