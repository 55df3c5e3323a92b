"""A broker's own account of itself: a file of events with the time of day, as it grows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.recorder.following import Follower
from brokers.recorder.line import DERIVED, OWN_KINDS, Line
from brokers.recorder.nodes import Nodes
from brokers.recorder.position import LIFE_KINDS, STOPPED
from brokers.recorder.writer import WritingProcess, find_writer
from brokers.recordings.kinds import END_KINDS, EXPLAINED_KINDS, START_KINDS
from reference.roles import FlushDiskType, Role

CONFIG_NODE = "config_node"
"""The first event of each start: the broker's name, release, role and settings."""


class EventProblem(ValueError):  # noqa: N818
    """A line that is no event of a broker: the reason, for a note."""


def read_event(data: bytes) -> Line:
    """The event of a line. Raises EventProblem."""
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise EventProblem("a line is not JSON") from problem
    if not isinstance(event, dict) or not isinstance(event.get("ev"), str):
        raise EventProblem("a line is no event")
    wall_ms = event.pop("wall_ms", None)
    is_number = isinstance(wall_ms, int | float) and not isinstance(wall_ms, bool)
    if not is_number or not math.isfinite(wall_ms) or wall_ms < 0:
        raise EventProblem("an event has no wall_ms")
    kind = event.pop("ev")
    event.pop("seq", None)
    event.pop("t_ms", None)
    if kind != CONFIG_NODE and kind not in EXPLAINED_KINDS:
        raise EventProblem(f"an event is of the kind {kind[:40]!r}")
    if kind in OWN_KINDS:
        raise EventProblem(f"an event is of the kind {kind!r}, which the recorder sees itself")
    if not isinstance(event.get("node"), str):
        raise EventProblem(f"a {kind} names no node")
    return Line(float(wall_ms), kind, event)


@define
class EventsFile:
    """One file: its events become lines, and what it tells of settings goes to the nodes."""

    path: Path
    nodes: Nodes
    note: Callable[[str], None]
    """What is told where a line cannot be used."""
    skipped: dict[str, int] = field(factory=dict)
    """By node: so many of its events are in the recording already."""
    lives: dict[str, str] = field(factory=dict)
    """By node: the kind of the latest event of a start or an end that is in the recording."""
    bad_lines: int = 0
    last_ms: float = 0.0
    """The stamp of the latest event."""
    follower: Follower = field(init=False)
    writer: WritingProcess | None = None
    """The process that appends, while it is seen to run."""

    def __attrs_post_init__(self) -> None:
        self.follower = Follower(self.path)

    def read(self, now_ms: float) -> Iterator[Line]:
        """The events that are there now and were not before, and ends that nobody tells."""
        writer = self.writer
        is_gone = writer is not None and not writer.is_alive(now_ms)
        for data in self.follower.read():
            yield from self._read_line(data)
        if is_gone and writer is not None and writer is self.writer and self.follower.is_at_end:
            self.writer = None
            yield from self._derive_end(writer.node, max(writer.seen_ms, self.last_ms))

    def _read_line(self, data: bytes) -> Iterator[Line]:
        try:
            line = read_event(data)
            self.last_ms = line.wall_ms
            if line.kind == CONFIG_NODE:
                self._tell(line.fields)
                yield from self._begin(line)
            elif not self._is_skipped(line):
                if line.kind in LIFE_KINDS:
                    self.lives[line.fields["node"]] = line.kind
                yield line
        except EventProblem as problem:
            self.bad_lines += 1
            if self.bad_lines == 1:
                self.note(f"{self.path.name}: {problem}; such lines are left out")

    def _tell(self, fields: dict[str, Any]) -> None:
        role, flush = fields.get("role"), fields.get("flush_type")
        config, broker_id = fields.get("store_config"), fields.get("broker_id", 0)
        if role not in Role.__members__ or flush not in FlushDiskType.__members__:
            raise EventProblem("a config_node has no role or no flush_type")
        if not isinstance(config, dict) or not isinstance(broker_id, int):
            raise EventProblem("a config_node has no store_config")
        node = {"role": role, "flush_type": flush, "broker_id": broker_id, "store_config": config}
        name, release = fields["node"], str(fields.get("rocketmq", ""))
        if not self.nodes.tell(name, node, release):
            self.note(f"{name} has other settings than before: the first line keeps the old ones")

    def _begin(self, line: Line) -> Iterator[Line]:
        """A process begins, so the one before has ended, whoever has noticed it."""
        name = line.fields["node"]
        if self.skipped.get(name, 0) == 0:
            yield from self._derive_end(name, line.wall_ms)
        self.writer = find_writer(self.path, name, line.wall_ms)

    def _derive_end(self, node: str, at_ms: float) -> Iterator[Line]:
        """The end of a process that no event tells: after a stop in order, or by a kill."""
        before = self.lives.get(node)
        if before is None or before in END_KINDS:
            return
        kind = "process_exit" if before == STOPPED else "node_kill9"
        self.lives[node] = kind
        yield Line(at_ms, kind, {"node": node, DERIVED: True})

    def _is_skipped(self, line: Line) -> bool:
        """It is in the recording already. A first start tells whether a log was there before."""
        name = line.fields["node"]
        if name not in self.nodes.are_started:
            is_begin = line.kind in START_KINDS and line.fields.get("max_offset") == 0
            self.nodes.are_started[name] = is_begin
        if self.skipped.get(name, 0) > 0:
            self.skipped[name] -= 1
            return True
        return False
