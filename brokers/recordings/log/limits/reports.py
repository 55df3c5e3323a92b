"""What a slave may report at all: its log ends where a frame of its connection has ended.

HAClient#dispatchReadRequest appends a frame as a whole, and reports the log's end then (R-HC-10).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import field, frozen

from brokers.recordings.ahead.plan import Plan
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.log.limits.connections import UNSET
from brokers.recordings.reading import Event
from reference.worlds.replication.changes.controller_mode.variant import VARIANT as CONTROLLED

Connection: TypeAlias = tuple[str, int]
"""A link by its name, and the number of its connection."""


@frozen
class Reports:
    """The reports of the slaves of one recording."""

    plan: Plan
    read_ms: Mapping[Connection, Mapping[int, float]] = field(init=False)
    """By connection: the offsets that were reported, with when that was first."""
    possible: frozenset[int] = field(init=False)
    """The ``seq`` of each report that may have been sent."""

    @read_ms.default
    def _see_first(self) -> Mapping[Connection, Mapping[int, float]]:
        found: dict[Connection, dict[int, float]] = defaultdict(dict)
        for event in self.plan.recording.events:
            if event.kind == "ha_report":
                at = found[event["link"], event["conn"]]
                at.setdefault(event["slave_offset"], event.t_ms)
        return found

    @possible.default
    def _follow_all(self) -> frozenset[int]:
        size = int(self.plan.parameters.mapped_file_size_bytes)
        shown: dict[Connection, list[Event]] = defaultdict(list)
        for event in self.plan.recording.events:
            if event.kind in ("ha_report", "ha_frame"):
                shown[event["link"], event["conn"]].append(event)
        return frozenset(seq for each in shown.values() for seq in list_possible(each, size))

    def may_be(self, event: Event) -> bool:
        """A slave may have sent this."""
        return event.seq in self.possible

    def find_reports(self, slave: int, connection: int) -> Mapping[int, float]:
        """The offsets that were reported on a connection of a slave, with when that was first."""
        return self.read_ms.get((LINK_PREFIX + self.plan.slaves[slave], connection), {})

    def may_be_read(self, slave: int, connection: int, offset: int, t_ms: float) -> bool:
        """The master may have read this on a connection of a slave by then, or nothing."""
        first_ms = self.find_reports(slave, connection).get(offset, math.inf)
        is_unknown = self.plan.links[slave].is_traffic_hidden or offset == UNSET
        return is_unknown or first_ms <= t_ms + JITTER_MS

    def may_begin_at(self, slave: int, connection: int, offset: int) -> bool:
        """A transfer may begin here: with what was asked for, or a file for 0 (R-HA-11).

        Under a controller a handshake decides.
        """
        asked = self.find_reports(slave, connection)
        is_file = offset % int(self.plan.parameters.mapped_file_size_bytes) == 0
        is_unknown = self.plan.links[slave].is_traffic_hidden or self.plan.version.has(CONTROLLED)
        return is_unknown or offset in asked or (is_file and 0 in asked)


def list_possible(events: Sequence[Event], file_size_bytes: int) -> Iterator[int]:
    """The reports of one connection that may be, by ``seq``: the first, and ends that come then.

    A later one is no lower. It tells an end that a frame has brought, or the begin of a file that a
    heartbeat may have made (R-HC-09).
    """
    ends: set[int] = set()
    latest: int | None = None
    taken, base = 0, None
    for event in events:
        if event.kind == "ha_frame":
            begin, size = event["master_offset"], event["body_bytes"]
            base = begin - begin % file_size_bytes if base is None else base
            taken += size
            # A log that ends at 0 takes whatever comes first, there or in its file (R-HC-20).
            ends |= {begin + size, taken, base + taken}
            continue
        offset = event["slave_offset"]
        is_end = offset in ends or offset == latest or offset % file_size_bytes == 0
        if latest is None or (is_end and offset >= latest):
            yield event.seq
        latest = offset if latest is None else max(latest, offset)
