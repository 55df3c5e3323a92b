"""How many connections a master may count at all, as what opens and ends meanwhile tells."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from attrs import field, frozen

from brokers.recordings.ahead.links import FutureValues
from brokers.recordings.ahead.plan import Plan
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.clock import JITTER_MS, NOTICE_MS, SHUTDOWN_MS, SLACK_MS
from brokers.recordings.kinds import END_KINDS
from brokers.recordings.reading import Event

LOSSES = frozenset(
    {
        *("ha_link_close", "link_cut", "link_cut_mid_frame", "proxy_target_down"),
        *("node_kill9", "node_stop_begin", "node_stop_clean", "process_exit"),
    }
)
"""Kinds of events by which a connection may end, or of which its end is only noted later."""

CHANGES = frozenset({"store_surgery", "store_wiped", "update_ha_master_address"})
"""Kinds of events behind which a slave's log may be another than the begin of its master's."""


@frozen
class Counts:
    """The connections of the master of one recording."""

    plan: Plan
    losses_ms: tuple[float, ...] = field(init=False)
    """When a connection may have been lost at the earliest: something ended or was cut."""
    is_recorded: bool = field(init=False)
    """Proxies show all connections."""
    is_steady: bool = field(init=False)
    """No frame is refused: each slave's log is the begin of its master's, in one file."""

    seen: FutureValues = field(init=False)
    """How many the master is seen to count; -1 at the end of each of its processes."""

    @losses_ms.default
    def _see_losses(self) -> tuple[float, ...]:
        events = [event for event in self.plan.recording.events if event.kind in LOSSES]
        return tuple(sorted(find_loss_ms(event, self.plan.master) for event in events))

    @seen.default
    def _see_counts(self) -> FutureValues:
        found: list[tuple[float, int]] = []
        for event in self.plan.recording.events:
            if event.data.get("node") != self.plan.master:
                continue
            for name, t_ms in list_count_fields(event):
                if name in event.data:
                    found.append((t_ms, event[name]))
            if event.kind in END_KINDS:
                found.append((event.t_ms, -1))
        found.sort()
        return FutureValues(tuple(t_ms for t_ms, _ in found), tuple(value for _, value in found))

    @is_recorded.default
    def _see_connections(self) -> bool:
        return not any(link.is_connection_hidden for link in self.plan.links)

    @is_steady.default
    def _see_logs(self) -> bool:
        is_kept = all(event.kind not in CHANGES for event in self.plan.recording.events)
        size = self.plan.parameters.mapped_file_size_bytes
        return is_kept and max(self.plan.end_observations.values, default=0) <= size

    def are_kept(self, begin_ms: float, end_ms: float) -> bool:
        """No connection that counts at the begin of a time ceases to count until its end.

        What counts does so until something ends (R-HA-04, R-HA-07).
        """
        first = bisect_left(self.losses_ms, begin_ms - NOTICE_MS - SLACK_MS)
        is_lost = first < bisect_right(self.losses_ms, end_ms)
        return (self.is_recorded or self.is_steady) and not is_lost

    def is_any_kept(self, put: RecordedPut) -> bool:
        """Some connection counts from the call of a put until its answer.

        As its producer has seen before the call; where nobody looked, one that was opened so long
        before it that its master has accepted it (R-HA-04).
        """
        if put.connections_before is not None:
            return put.connections_before > 0 and self.are_kept(put.begin_ms, put.end_ms)
        latest_ms = put.begin_ms - SLACK_MS
        before = (t_ms for link in self.plan.links for t_ms in link.openings_ms)
        return any(t_ms <= latest_ms and self.are_kept(t_ms, put.end_ms) for t_ms in before)

    def may_count(self, connections: int, process: int, event: Event) -> bool:
        """A process of the master may count so many: no more than were opened by this time.

        Never less than none: each end of a connection takes one away that counted (R-HA-04). And
        as many as it was seen to count before, if nothing has happened since.
        """
        begin_ms = self.plan.processes[process - 1].end_ms if process else -math.inf
        most = self.count_opened(begin_ms, event.t_ms + JITTER_MS)
        if connections < 0 or (self.is_recorded and connections > most):
            return False
        called_ms = float(event.data.get("t_begin_ms", event.t_ms))
        place = bisect_left(self.seen.times_ms, called_ms - JITTER_MS)
        before = self.seen.values[place - 1] if place else -1
        since_ms = self.seen.times_ms[place - 1] if place else 0.0
        return before < 0 or self.may_become(before, connections, since_ms, event.t_ms)

    def may_become(self, before: int, after: int, begin_ms: float, end_ms: float) -> bool:
        """Of the connections that counted at the begin of a time, so many count at its end.

        Where none is lost, those that were opened meanwhile, or just before, may have come to them;
        where that is hidden, those of slaves that had none.
        """
        if not self.are_kept(begin_ms, end_ms):
            return True
        opened = self.count_opened(begin_ms - SLACK_MS, end_ms + JITTER_MS)
        most = before + opened if self.is_recorded else max(before, len(self.plan.slaves))
        return before <= after <= most

    def count_opened(self, begin_ms: float, end_ms: float) -> int:
        """How many connections were opened after one moment and until another."""
        times = [link.openings_ms for link in self.plan.links]
        return sum(bisect_right(each, end_ms) - bisect_right(each, begin_ms) for each in times)


def list_count_fields(event: Event) -> Iterator[tuple[str, float]]:
    """The fields in which an event may show a master's connections, and of when they are."""
    yield "connection_count", event.t_ms
    if event.kind == "put":
        yield "connection_count_before", float(event["t_begin_ms"])
        yield "connection_count_after", event.t_ms


def find_loss_ms(event: Event, master: str) -> float:
    """When an event may have taken a connection from the master at the earliest.

    A master that stops sleeps before it ends its connections (R-RC-02); who looks at it tells of
    its stop, too. What others do is noted by a proxy, or by another process.
    """
    if event.data.get("node") != master:
        return event.t_ms - NOTICE_MS
    return event.t_ms + (SHUTDOWN_MS - JITTER_MS if event.kind == "node_stop_begin" else 0.0)
