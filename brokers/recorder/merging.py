"""Lines of several sources in the order of time, within a bound and a short delay."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from attrs import define, field

from brokers.recorder.line import Line

DELAY_MS = 250.0
"""So long a line waits for earlier ones: twelve looks at the files that are followed."""
LINES_MAX = 100_000
"""So many lines wait at most; one more makes the oldest leave early."""


@define
class MergeBuffer:
    """Holds lines until no earlier one is to be expected."""

    delay_ms: float = DELAY_MS
    lines_max: int = LINES_MAX
    late_lines: int = 0
    """How many came after a later one had left."""
    left_ms: float = 0.0
    """The stamp of the latest line that has left."""
    _heap: list[tuple[float, int, Line]] = field(factory=list)
    _added: int = 0

    def __len__(self) -> int:
        return len(self._heap)

    @property
    def is_full(self) -> bool:
        """Whoever can wait with reading more should."""
        return len(self._heap) >= self.lines_max

    def add(self, line: Line) -> None:
        """One more line; equal times keep their order."""
        self._added += 1
        heapq.heappush(self._heap, (line.wall_ms, self._added, line))

    def take(self, now_ms: float) -> Iterator[Line]:
        """The lines whose time has come, in order; none is stamped earlier than the one before.

        A line that came too late for that has the stamp of the one before, and says so.
        """
        until_ms = now_ms - self.delay_ms
        while self._heap and (self._heap[0][0] <= until_ms or len(self._heap) > self.lines_max):
            _, _, line = heapq.heappop(self._heap)
            if line.wall_ms < self.left_ms:
                self.late_lines += 1
                line = line._replace(wall_ms=self.left_ms, late_ms=self.left_ms - line.wall_ms)
            self.left_ms = line.wall_ms
            yield line
