"""The lines that a broker writes to its own logs, as it writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

from brokers.broker_logs.folders import BELOW, LOGS
from brokers.broker_logs.lines import LINE
from brokers.broker_logs.recording import hide_places
from brokers.recorder.following import Follower
from brokers.recorder.line import Line

AGAIN_MS = 1000.0
"""Lines that differ in their numbers only are written so often at most; the others are counted."""
TEXTS_MAX = 1000
"""So many different lines are remembered for that."""
DIGITS = re.compile(r"\d+")


@define
class Written:
    """Lines that differ in their numbers only."""

    at_ms: float
    """When one was written the last time."""
    count: int = 1
    """How many there have been."""


@define
class BrokerLogFiles:
    """The logs of one broker, from now on: what they had before is for ``rmqspec logs``."""

    node: str
    folder: Path
    followers: list[Follower] = field(init=False)
    known: dict[str, Written] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        paths = (self.folder / place / f"{log}.log" for place in BELOW for log in LOGS)
        self.followers = [Follower(path, is_from_end=True) for path in paths]

    def read(self, now_ms: float) -> Iterator[Line]:
        """What was written since the last look, stamped with this one."""
        for follower in self.followers:
            for data in follower.read():
                found = LINE.fullmatch(data.decode("utf-8", "replace").rstrip("\r"))
                if found is not None:
                    yield from self._make(now_ms, *(found[n] or "" for n in (2, 3, 4)))

    def _make(self, now_ms: float, level: str, thread: str, text: str) -> Iterator[Line]:
        """A line, unless one like it was written just before."""
        fields = {"node": self.node, "level": level or "INFO", "thread": thread}
        msg = hide_places(text)
        key = DIGITS.sub("", f"{thread} {msg}")
        if len(self.known) >= TEXTS_MAX:
            self.known.clear()
        before = self.known.get(key)
        if before is None:
            self.known[key] = Written(now_ms)
            yield Line(now_ms, "log", {**fields, "msg": msg})
            return
        before.count += 1
        if now_ms - before.at_ms >= AGAIN_MS:
            before.at_ms = now_ms
            yield Line(now_ms, "log", {**fields, "msg": msg, "repeat": before.count})
