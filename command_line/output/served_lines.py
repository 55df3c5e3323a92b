"""Lines of a verb that serves sockets: no reader of them holds the sockets up, or ends the verb.

A thread of its own writes each stream. Where the reader is slow, lines wait, and more than
`WAITING_MAX` are left out; where it has gone, all are, which a line on the other stream says once.
"""

from __future__ import annotations

import os
import queue
import re
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from attrs import define, field

WAITING_MAX = 1000
"""So many lines wait for a reader who is slow."""
END_SECONDS = 1.0
"""So long the last lines may take."""
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""Characters that would end a line, or move a terminal's cursor; a peer may have sent them."""


def write_to(stream: TextIO | None) -> Callable[[str], None]:
    """How lines get to a stream: past its buffer, whose lock a writer that waits would keep."""
    if stream is None:  # Closed by the parent process.
        return lambda _: None
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # No file, but a text in memory.
        return lambda line: print(line, file=stream)
    encoding = stream.encoding or "utf-8"

    def write(line: str) -> None:
        data = f"{line}\n".encode(encoding, "backslashreplace")
        while data:
            try:
                data = data[os.write(number, data) :]
            except BlockingIOError:  # Another program that has the stream made it so.
                select.select([], [number], [])

    return write


@define(eq=False)
class Outlet:
    """One stream."""

    name: str
    write: Callable[[str], None]
    on_gone: Callable[[str], None] = lambda _: None
    """Is told once why nothing more can be written."""
    left_out: int = 0
    is_gone: bool = False
    _waiting: queue.Queue[str | None] = field(factory=lambda: queue.Queue(WAITING_MAX))
    _thread: threading.Thread = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __call__(self, line: str) -> None:
        """One line, soon."""
        try:
            self._waiting.put_nowait(line)
        except queue.Full:
            self.left_out += 1

    def _run(self) -> None:
        while (line := self._waiting.get()) is not None:
            self._write(line)
            left_out, self.left_out = self.left_out, 0
            if left_out:
                self._write(f"rmqspec: {left_out} lines are left out here: they were not read")

    def _write(self, line: str) -> None:
        if self.is_gone:
            return
        try:
            self.write(CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", line))
        except (OSError, ValueError) as problem:
            self.is_gone = True
            reason = problem.strerror if isinstance(problem, OSError) else problem
            self.on_gone(f"rmqspec: {self.name} cannot be written: {reason}; its lines are lost")

    def end(self) -> None:
        """Write what waits, unless that takes long."""
        with suppress(queue.Full):
            self._waiting.put(None, timeout=END_SECONDS)
        self._thread.join(END_SECONDS)


@define
class ServedLines:
    """Where a verb that serves puts its lines."""

    out: Outlet
    err: Outlet


@contextmanager
def serve_lines() -> Iterator[ServedLines]:
    """Inside, lines may be written at any time, also in callbacks."""
    out = Outlet("standard output", write_to(sys.stdout))
    err = Outlet("standard error", write_to(sys.stderr))
    out.on_gone, err.on_gone = err, out
    try:
        yield ServedLines(out, err)
    finally:
        out.end()
        err.end()
