"""How far a recording has come: what whoever continues it has to know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from attrs import define, field

from brokers.recorder.line import Line
from brokers.recordings.kinds import END_KINDS, START_KINDS

STOPPED = "node_stop_clean"
LIFE_KINDS = {*START_KINDS, *END_KINDS, STOPPED}


@define
class Position:
    """Counts over all files of a recording."""

    own: int = 0
    """Lines that the recorder has seen itself."""
    followed: dict[str, int] = field(factory=dict)
    """By node: lines that came from its file of events."""
    connections: dict[str, int] = field(factory=dict)
    """By link: the number of its latest connection."""
    is_open: dict[str, list[int]] = field(factory=dict)
    """By link: its connections that have not ended."""
    lives: dict[str, str] = field(factory=dict)
    """By node: the kind of the latest line about a start or an end of it."""

    def see(self, line: Line) -> None:
        """One more line is in the recording."""
        if line.kind in LIFE_KINDS:
            self.lives[str(line.fields.get("node", ""))] = line.kind
        if not line.is_own:
            node = str(line.fields.get("node", ""))
            self.followed[node] = self.followed.get(node, 0) + 1
            return
        self.own += 1
        link = line.fields.get("link", "")
        if line.kind == "ha_link_open":
            self.connections[link] = line.fields["conn"]
            self.is_open.setdefault(link, []).append(line.fields["conn"])
        elif line.kind == "link_cut":
            self.is_open.pop(link, None)
        elif line.kind == "ha_link_close" and line.fields["conn"] in self.is_open.get(link, ()):
            self.is_open[link].remove(line.fields["conn"])

    def as_json(self) -> dict[str, Any]:
        """For the first line of a file."""
        return {
            "own": self.own,
            "followed": dict(self.followed),
            "connections": dict(self.connections),
            "lives": dict(self.lives),
            "open": {link: list(each) for link, each in self.is_open.items() if each},
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """As `as_json` has written it."""
        opened = {link: list(each) for link, each in told["open"].items()}
        counts = dict(told["followed"]), dict(told["connections"])
        return cls(told["own"], *counts, opened, dict(told["lives"]))
