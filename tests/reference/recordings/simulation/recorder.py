"""What a recorder makes of it: lines that are late, and in nobody's exact order."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from typing import Any

from attrs import define, field

from reference.recordings.reading import Event, Recording

LATE_MS = (0.0, 0.25)
"""What usually lies between an event and its stamp."""

VERY_LATE_MS = (0.25, 2.0)
"""The same on a thread that has lost its processor."""

VERY_LATE_SHARE = 0.04


@define(eq=False)
class Recorder:
    """Collects lines; those of one thread keep their order, those of others pass them."""

    chance: random.Random
    config: dict[str, Any]
    _lines: list[tuple[float, int, dict[str, Any]]] = field(factory=list)
    _latest_ms: dict[str, float] = field(factory=lambda: defaultdict(float))

    def __len__(self) -> int:
        return len(self._lines)

    def stamp(self, source: str, t_ms: float) -> float:
        """When a thread notes what has happened now: later, and never before its last note."""
        is_very_late = self.chance.random() < VERY_LATE_SHARE
        late_ms = self.chance.uniform(*(VERY_LATE_MS if is_very_late else LATE_MS))
        noted_ms = round(max(self._latest_ms[source], t_ms + late_ms), 3)
        self._latest_ms[source] = noted_ms
        return noted_ms

    def write(self, source: str, now_ms: float, kind: str, **data: Any) -> None:
        """A line by a thread."""
        noted_ms = self.stamp(source, now_ms)
        self._lines.append((noted_ms, len(self._lines), {"ev": kind, **data}))

    def list_lines(self, count: int) -> list[dict[str, Any]]:
        """The first lines, with their numbers and stamps, the configuration first."""
        ordered = sorted(self._lines, key=lambda line: line[:2])[:count]
        lines = [{"t_ms": t_ms, **data} for t_ms, _, data in ordered]
        return [{"seq": seq, **line} for seq, line in enumerate([self.config, *lines])]

    def make_recording(self, name: str, count: int) -> Recording:
        """The same as a reader has it."""
        events = [
            Event(line["seq"] + 1, line["seq"], float(line["t_ms"]), line["ev"], line)
            for line in self.list_lines(count)
        ]
        return Recording(name, events[0], tuple(events[1:]))

    def dump(self, count: int) -> str:
        """The same as a file."""
        return "".join(f"{json.dumps(line)}\n" for line in self.list_lines(count))
