"""A watch beside a recorder: it tells alarms as lines, as JSON, and its figures to Prometheus."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.appended_file import AppendedFile, WriteFailedError, explain
from brokers.recorder.line import Line
from brokers.recorder.watch.alarms import Alarm
from brokers.recorder.watch.metrics_port import serve_metrics
from brokers.recorder.watch.output import (
    Metric,
    as_json,
    describe_alarm,
    list_watch_metrics,
    render_metrics,
)
from brokers.recorder.watch.watch import Key, Watch

LINE_MS = 1000.0
"""An alarm of one kind and subject is told as a line so often at most; JSON has each of them."""
FILE_MS = 1000.0
"""How often the file for Prometheus is written."""


@define(eq=False)
class LiveWatch:
    """Everything that tells.

    A file of its own that cannot be written does not end the recording: a line says so.
    """

    write_line: Callable[[str], None]
    """For alarms."""
    note: Callable[[str], None]
    """For what goes wrong here."""
    json_file: AppendedFile | None = None
    metrics_file: Path | None = None
    metrics_address: tuple[str, int] | None = None
    list_more: Callable[[], Iterable[Metric]] = field(default=tuple)
    """Figures of the recorder itself."""
    watch: Watch = field(init=False)
    server: asyncio.Server | None = None
    told_ms: dict[Key, float] = field(factory=dict)
    written_ms: float = 0.0
    lost_alarms: int = 0
    """How many are not in the file of alarms."""
    problems: dict[Path, str] = field(factory=dict)
    """By file: why it could not be written; of the file of figures as long as that lasts."""

    def __attrs_post_init__(self) -> None:
        self.watch = Watch(self.tell)

    async def start(self) -> None:
        """Listen for Prometheus, if asked for. Raises OSError."""
        if self.metrics_address is not None:
            self.server = await serve_metrics(*self.metrics_address, self.render)

    def describe(self, nodes: dict[str, Any], release: str) -> None:
        """Which brokers there are."""
        self.watch.describe(nodes, release)

    def feed(self, line: Line) -> None:
        """A line."""
        self.watch.feed(line)

    def tick(self, until_ms: float) -> None:
        """Time has passed."""
        self.watch.tick(until_ms)
        now_ms = time.time() * 1000
        if self.metrics_file is not None and now_ms - self.written_ms >= FILE_MS:
            self.written_ms = now_ms
            self._write_file(self.metrics_file)

    def stop(self) -> None:
        """The end of the recording."""
        if self.metrics_file is not None:
            self._write_file(self.metrics_file)
        if self.server is not None:
            self.server.close()

    def _write_file(self, path: Path) -> None:
        """Whole or not at all, as a reader of text files needs it."""
        spare = path.with_name(path.name + ".new")
        try:
            spare.write_text(self.render(), encoding="utf-8")
            spare.replace(path)
        except OSError as problem:
            self._tell_problem(path, str(explain(path, problem)))
        else:
            self.problems.pop(path, None)

    def _tell_problem(self, path: Path, text: str) -> None:
        if path not in self.problems:
            self.note(f"{text}; recording goes on")
        self.problems[path] = text

    def list_problems(self) -> list[str]:
        """What was asked for and is not written, a line for each file."""
        lost = f"; it lacks {self.lost_alarms} alarms" if self.lost_alarms else ""
        json_path = None if self.json_file is None else self.json_file.path
        return [f"{text}{lost * (path == json_path)}" for path, text in self.problems.items()]

    def render(self) -> str:
        """The figures now."""
        return render_metrics([*list_watch_metrics(self.watch), *self.list_more()])

    def tell(self, alarm: Alarm) -> None:
        """An alarm begins or ends."""
        now_ms = time.time() * 1000
        if self.json_file is not None:
            self._append(self.json_file, {**as_json(alarm), "raised_ms": round(now_ms, 3)})
        key = (alarm.definition.name, alarm.subject)
        if not alarm.is_over and now_ms - self.told_ms.get(key, 0.0) < LINE_MS:
            return
        self.told_ms[key] = now_ms
        self.write_line(describe_alarm(alarm))

    def _append(self, file: AppendedFile, told: dict[str, Any]) -> None:
        try:
            file.append((json.dumps(told) + "\n").encode())
        except WriteFailedError as problem:
            self.lost_alarms += 1
            self._tell_problem(file.path, str(problem))
