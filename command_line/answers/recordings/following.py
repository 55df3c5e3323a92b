"""A recording that is still being written, explained again and again as it grows.

What is explained is what is there: a line may tell of something that began long before it, so each
look explains the whole recording. A look begins when the file has grown and at least as much time
has gone by as the last one took, so that it takes half of a core at most, whatever the length.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from attrs import define, field

from brokers.recorder.parts import name_part
from brokers.recordings.judging import TraceVerdict
from brokers.recordings.reading import Recording, read_growing
from command_line.answers.recordings.answer import TraceAnswer

LOOK_SECONDS = 0.5
"""How often it is looked whether the file has grown, at most."""

TELL_SECONDS = 5.0
"""How often it is told how far a recording is explained, at most."""

UNSETTLED_MS = 15_000.0
"""A put is noted when it is answered, and a stop when it is over: an event that is not explained so
shortly before the end may still be, by lines that follow."""


@define
class FollowedRecording:
    """One recording, with the later parts of it that come to lie beside its first file."""

    path: Path
    explain: Callable[[Recording], TraceAnswer]
    tell: Callable[[TraceAnswer], None]
    """Is given answers now and then, while the recording grows."""
    idle_seconds: float | None = None
    """How long the file may not grow before the following ends; None: for ever."""
    last: TraceAnswer | None = None
    _seen_bytes: int = -1
    _grown_at: float = field(factory=time.monotonic)
    _next_at: float = 0.0
    _told_at: float = -TELL_SECONDS

    def run(self) -> None:
        """Until an event is not explained for certain, or nobody writes any more.

        Raises:
            TraceError: the file is no recording.
        """
        while True:
            has_looked = self.look()
            if self.is_over():
                return
            if not has_looked:
                time.sleep(LOOK_SECONDS)

    def look(self) -> bool:
        """Explain what is there, if there is more than before and it is time; whether it was."""
        began, size = time.monotonic(), sum(each.stat().st_size for each in self.list_files())
        if size == self._seen_bytes or began < self._next_at:
            return False
        self._seen_bytes, self._grown_at = size, began
        recording = read_growing(self.list_files())
        if recording is not None:
            self.last, before = self.explain(recording), self.last
            is_longer = before is None or self.last.verdict.events > before.verdict.events
            if is_longer and began >= self._told_at + TELL_SECONDS:
                self._told_at = began
                self.tell(self.last)
        ended = time.monotonic()
        self._next_at = ended + (ended - began)
        return True

    def list_files(self) -> list[Path]:
        """The parts that there are, in order."""
        files = [self.path] if self.path.exists() else []
        while files and (part := name_part(self.path, len(files))).exists():
            files.append(part)
        return files

    def is_over(self) -> bool:
        """Nothing that could still be written would change the answer, or nobody writes it."""
        if self.last is not None and is_settled(self.last.verdict):
            return True
        silent = time.monotonic() - self._grown_at
        return self.idle_seconds is not None and silent >= self.idle_seconds


def is_settled(verdict: TraceVerdict) -> bool:
    """An event is not explained, and later lines would not change that."""
    if verdict.is_conforming or not verdict.blocked_event:
        return False
    return bool(verdict.blocked_event["t_ms"] < verdict.end_ms - UNSETTLED_MS)
