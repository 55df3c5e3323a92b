"""Progress on standard error: the current stage, the time it has taken, and the time left.

On a terminal it is one line that is overwritten. Elsewhere a line is written whenever a verb has
been silent. A thread repeats the current stage, so that a long one is not silent either. Standard
output never holds progress.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from attrs import define, frozen

from command_line.output.interruption import silence_when_interrupted
from command_line.output.standard_streams import OutputClosedError

SILENT_SECONDS = 1.25
"""A verb that has been silent for so long writes a line; after two seconds it would seem stuck."""
SETTLED_SECONDS = 0.5
"""On a terminal a stage without new reports is repeated so often."""
DRAWN_SECONDS = 0.1
"""A line on a terminal is overwritten at most so often."""
BEAT_SECONDS = 0.25
"""How often the thread looks whether something is due."""
COLUMNS = 80
"""Width of a terminal that does not say how wide it is."""
BEGUN_SECONDS = 0.5
"""How long the interpreter has been silent before a verb is watched, about."""
PREFIX = "... "
"""How a line of progress begins where standard error is no terminal."""


@frozen
class StageProgress:
    """A stage of which so much is done."""

    began_seconds: float
    """When its first report came, by the clock."""
    done_at_first: int
    now_seconds: float
    done: int
    total: int

    def estimate_left(self, now: float) -> float | None:
        """Seconds until it is finished; None where too little is known."""
        done = self.done - self.done_at_first
        if done <= 0:
            return None
        pace = (self.now_seconds - self.began_seconds) / done
        return max(0.0, pace * (self.total - self.done) - (now - self.now_seconds))


@define(slots=False)
class ProgressLine:
    """What is being done, said on a stream.

    ``clock`` gives seconds. Where ``is_quiet`` nothing is said at all.
    """

    stream: TextIO
    base: str = ""
    """What is said while no stage is named: the verb."""
    clock: Callable[[], float] = time.monotonic
    is_quiet: bool = False

    def __attrs_post_init__(self) -> None:
        """Begin now, in silence."""
        self.lock = threading.RLock()
        self.is_watched = self.stream.isatty()
        self.began_seconds = self.said_seconds = self.clock()
        self.length = 0
        self.is_inside_line = False
        self.text = self.base
        self.course: StageProgress | None = None

    def __call__(self, text: str) -> None:
        """Name the current stage."""
        self.report(text)

    def advance(self, done: int, total: int, text: str) -> None:
        """Name the current stage, of which ``done`` out of ``total`` are done."""
        now = self.clock()
        old = self.course
        if old is None or old.total != total or done < old.done:
            self.report(text, StageProgress(now, done, now, done, total))
        else:
            self.report(text, StageProgress(old.began_seconds, old.done_at_first, now, done, total))

    def report(self, text: str, course: StageProgress | None = None) -> None:
        """Name the current stage and its course, and say it if that is due."""
        with self.lock:
            self.text, self.course = text, course
            self.say_after(DRAWN_SECONDS if self.length else 0.0)

    def beat(self) -> None:
        """Say the current stage again if it has been silent for long; a thread calls this."""
        with self.lock:
            self.say_after(SETTLED_SECONDS)

    def say_after(self, seconds: float) -> None:
        """Say the current stage, on a terminal after so many silent seconds."""
        due = self.said_seconds + (seconds if self.is_watched else SILENT_SECONDS)
        now = self.clock()
        if self.is_quiet or not self.text or now < due:
            return
        if self.is_watched and self.is_inside_line:
            return
        self.said_seconds = now
        text = self.describe(now)
        if not self.is_watched:
            self.write(f"{PREFIX}{text}\n")
            return
        shown = text[: self.get_columns() - 1]
        self.write("\r" + shown.ljust(self.length))
        self.length = len(shown)

    def describe(self, now: float) -> str:
        """The current stage, how long the verb has run, and how long the stage still takes."""
        left = self.course.estimate_left(now) if self.course else None
        more = "" if left is None else f", about {format_seconds(left)} left"
        return f"{' '.join(self.text.split())} ({format_seconds(now - self.began_seconds)}{more})"

    def clear(self) -> None:
        """Remove the line from a terminal, so that something else can be written."""
        with self.lock:
            if self.length:
                self.write("\r" + " " * self.length + "\r")
                self.length = 0

    def conclude(self, text: str) -> None:
        """Say something about the answer that stays on the screen, below it."""
        with self.lock:
            self.clear()
            if not self.is_quiet:
                self.write(f"{PREFIX}{text}\n")

    def fall_silent(self) -> None:
        """Say nothing any more, whatever another thread is doing with the stream."""
        self.is_quiet = True
        if self.lock.acquire(timeout=BEAT_SECONDS):
            with suppress(RuntimeError):
                self.clear()
            self.lock.release()

    def hear(self, text: str) -> None:
        """Take note that another text is written now; inside its line nothing is drawn."""
        with self.lock:
            self.clear()
            self.said_seconds = self.clock()
            self.is_inside_line = not text.endswith("\n") if text else self.is_inside_line

    def write(self, text: str) -> None:
        """Write, and give up what cannot be written: progress is no reason to fail."""
        with suppress(OSError, ValueError):
            self.stream.write(text)
            self.stream.flush()

    def get_columns(self) -> int:
        """How wide the terminal is."""
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or COLUMNS
        except (OSError, ValueError):
            return COLUMNS


def format_seconds(seconds: float) -> str:
    """For example ``34 s``, ``12 min`` or ``3.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class HeardStream:
    """A stream whose writes remove the line of progress first; all else is the stream's own.

    Raises OutputClosedError where nobody reads it any more.
    """

    def __init__(self, stream: TextIO, line: ProgressLine) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        """Write to the stream itself."""
        self._line.hear(text)
        try:
            return self._stream.write(text)
        except BrokenPipeError as problem:
            raise OutputClosedError from problem

    def writelines(self, lines: Iterable[str]) -> None:
        """Write to the stream itself."""
        self.write("".join(lines))

    def flush(self) -> None:
        """Flush the stream itself."""
        try:
            self._stream.flush()
        except BrokenPipeError as problem:
            raise OutputClosedError from problem

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_watched: list[ProgressLine] = []
"""The line of the running verb; empty where a command is called by itself."""


@contextmanager
def watch(base: str, *, is_quiet: bool = False) -> Iterator[ProgressLine]:
    """Inside, no stage is silent: a thread repeats what is being done, ``base`` at first.

    ``sys.stdout`` and ``sys.stderr`` remove the line of progress before they write.
    """
    out, err = sys.stdout, sys.stderr
    if out is None or err is None:  # Closed by who started the program.
        yield ProgressLine(open(os.devnull, "w"), is_quiet=True)  # noqa: PTH123, SIM115
        return
    line = ProgressLine(err, base, is_quiet=is_quiet)
    line.said_seconds -= BEGUN_SECONDS
    is_over = threading.Event()
    thread = threading.Thread(target=_repeat, args=(line, is_over), daemon=True)
    _watched.append(line)
    silence_when_interrupted(line.fall_silent)
    sys.stdout, sys.stderr = HeardStream(out, line), HeardStream(err, line)
    thread.start()
    try:
        yield line
    finally:
        is_over.set()
        thread.join()
        line.clear()
        sys.stdout, sys.stderr = out, err
        _watched.pop()


def _repeat(line: ProgressLine, is_over: threading.Event) -> None:
    while not is_over.wait(BEAT_SECONDS):
        line.beat()


@contextmanager
def show_progress() -> Iterator[ProgressLine]:
    """The line of the running verb, for stages; none of them is left afterwards.

    A command that is called by itself has no such line, and its stages are not shown.
    """
    line = _watched[-1] if _watched else ProgressLine(sys.stderr, is_quiet=True)
    try:
        yield line
    finally:
        line.text, line.course = line.base, None
        line.clear()


@contextmanager
def pause_progress() -> Iterator[None]:
    """Inside, nothing is said: another program writes to the terminal."""
    with show_progress() as line:
        before = line.is_quiet
        line.clear()
        line.is_quiet = True
        try:
            yield
        finally:
            line.is_quiet = before
