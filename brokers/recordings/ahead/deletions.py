"""What a broker's own log tells of files of its commit log that it has deleted while it ran.

``MappedFile#destroy`` names the file, and up to where it was written and flushed. Where the flush
had not passed it, it never will: it finds no file there any more (R-CL-09).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from attrs import frozen

from brokers.recordings.kinds import END_KINDS, START_KINDS
from brokers.recordings.reading import Event

DELETED = re.compile(r"delete file\[REF:-?\d+\] .*commitlog/(\d{20}) OK, W:(\d+) M:(\d+)")
"""What it writes, by the file's name, its written and its flushed position."""

UP = frozenset(START_KINDS)
DOWN = frozenset({"node_stop_begin", *END_KINDS})
"""Between these a broker that deletes a file lets retention do so, and nothing else."""


@frozen
class StuckFlush:
    """The flush of one process that its files' deletion has left behind."""

    begin_ms: float
    """When the process had started."""
    end_ms: float
    """When it began to stop, or ended; infinite where nothing tells."""
    offset: int
    """``flushedWhere`` did not go beyond this."""


def list_stuck_flushes(events: Iterable[Event], node: str) -> Iterator[StuckFlush]:
    """The processes of a broker in which a file was deleted that had not been flushed."""
    begin_ms, offset = math.inf, -1
    for event in events:
        if event.data.get("node") != node:
            continue
        if event.kind in UP:
            begin_ms = event.t_ms
        found = DELETED.search(str(event.data.get("msg", ""))) if event.kind == "log" else None
        if found is not None and event.t_ms >= begin_ms:
            base, wrote, flushed = map(int, found.groups())
            if flushed < wrote:
                offset = base + flushed if offset < 0 else min(offset, base + flushed)
        if event.kind in DOWN and offset >= 0:
            yield StuckFlush(begin_ms, event.t_ms, offset)
        if event.kind in DOWN:
            begin_ms, offset = math.inf, -1
    if offset >= 0:
        yield StuckFlush(begin_ms, math.inf, offset)
