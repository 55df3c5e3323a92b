"""What a recorder writes down: lines, sorted by stamps that are good to a millisecond.

The threads of one process keep their true order, and a proxy takes its stamp before it forwards.
What a thread notes late, the simulation lets it do late. Only the clocks of processes differ.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from reference.recordings.reading import Event, Recording


@define(eq=False)
class Recorder:
    """Collects lines."""

    config: dict[str, Any]
    skews_ms: Mapping[str, float] = field(factory=dict)
    """How far the clock of a process is ahead."""
    _lines: list[tuple[float, int, dict[str, Any]]] = field(factory=list)

    def __len__(self) -> int:
        return len(self._lines)

    def stamp(self, process: str, t_ms: float) -> float:
        """What the clock of a process shows."""
        return round(t_ms + self.skews_ms.get(process, 0.0), 3)

    def write(self, process: str, now_ms: float, kind: str, **data: Any) -> None:
        """A line by a thread of a process."""
        noted_ms = self.stamp(process, now_ms)
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
