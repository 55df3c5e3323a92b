"""The watch: it is told every line in order, and tells what begins and what ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import define, evolve, field

from brokers.recorder.line import Line
from brokers.recorder.watch.acknowledged import (
    find_false_acknowledgement,
    find_positioned_above_put,
)
from brokers.recorder.watch.ahead import find_slave_ahead, find_slave_outrun
from brokers.recorder.watch.alarms import Alarm, AlarmFacts
from brokers.recorder.watch.known import WatchedRecording
from brokers.recorder.watch.late import find_order_unknown
from brokers.recorder.watch.stuck import find_dispatch_stuck

FINDERS = (
    find_slave_ahead,
    find_positioned_above_put,
    find_false_acknowledgement,
    find_dispatch_stuck,
)
"""What looks at each line that came in time; positions are looked at as time passes, too."""

Key = tuple[str, str]
"""Name and subject of an alarm."""


@define
class Watch:
    """Alarms of one recording."""

    tell: Callable[[Alarm], None]
    known: WatchedRecording = field(factory=WatchedRecording)
    active: dict[Key, Alarm] = field(factory=dict)
    """Those that last."""
    counts: dict[Key, int] = field(factory=dict)
    """How often each was raised."""

    def describe(self, nodes: Mapping[str, Mapping[str, Any]], release: str) -> None:
        """Which brokers there are."""
        self.known.describe(nodes, release)

    def feed(self, line: Line) -> None:
        """One more line."""
        self.known.see(line)
        if not line.late_ms:
            for find in FINDERS:
                self._take(find(self.known, line))
        self._look()

    def tick(self, now_ms: float) -> None:
        """No line before this comes any more."""
        self.known.now_ms = max(self.known.now_ms, now_ms)
        self._look()

    def _look(self) -> None:
        self._take(find_slave_outrun(self.known))
        self._take(find_order_unknown(self.known))

    def _take(self, findings: Iterable[AlarmFacts]) -> None:
        for finding in findings:
            key = (finding.definition.name, finding.subject)
            if not finding.text:
                self._end(key)
            elif key not in self.active:
                self._raise(key, finding)

    def _raise(self, key: Key, finding: AlarmFacts) -> None:
        self.counts[key] = self.counts.get(key, 0) + 1
        definition, subject, text, since_ms = finding
        count, now_ms = self.counts[key], self.known.now_ms
        alarm = Alarm(definition, subject, text, since_ms, now_ms, count=count)
        if not definition.is_event:
            self.active[key] = alarm
        self.tell(alarm)

    def _end(self, key: Key) -> None:
        alarm = self.active.pop(key, None)
        if alarm is not None:
            text, now_ms = alarm.definition.over, self.known.now_ms
            self.tell(evolve(alarm, text=text, raised_ms=now_ms, is_over=True))
