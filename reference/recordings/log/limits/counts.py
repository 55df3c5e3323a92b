"""How many connections a master may count at all, as what opens and ends meanwhile tells."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right

from attrs import field, frozen

from reference.recordings.ahead.plan import Plan
from reference.recordings.clock import JITTER_MS, NOTICE_MS, SLACK_MS

LOSSES = frozenset(
    {
        *("ha_link_close", "link_cut", "link_cut_mid_frame", "proxy_target_down"),
        *("node_kill9", "node_stop_begin", "node_stop_clean", "process_exit"),
    }
)
"""Kinds of events by which a connection may end, or of which its end is only noted later."""


@frozen
class Counts:
    """The connections of the master of one recording."""

    plan: Plan
    losses_ms: tuple[float, ...] = field(init=False)
    """When a connection may have been lost: something ended, stopped or was cut."""
    is_recorded: bool = field(init=False)
    """Proxies show all connections."""

    @losses_ms.default
    def _see_losses(self) -> tuple[float, ...]:
        return tuple(event.t_ms for event in self.plan.recording.events if event.kind in LOSSES)

    @is_recorded.default
    def _see_connections(self) -> bool:
        return not any(link.is_connection_hidden for link in self.plan.links)

    def are_kept(self, begin_ms: float, end_ms: float) -> bool:
        """No connection that counts at the begin of a time ceases to count until its end.

        What counts does so until something ends (R-HA-04, R-HA-07).
        """
        first = bisect_left(self.losses_ms, begin_ms - SLACK_MS)
        is_lost = first < bisect_right(self.losses_ms, end_ms + NOTICE_MS)
        return self.is_recorded and not is_lost

    def may_count(self, connections: int, process: int, t_ms: float) -> bool:
        """A process of the master may count so many: no more than were opened by this time.

        Never less than none: each end of a connection takes one away that counted (R-HA-04).
        """
        if connections < 0 or not self.is_recorded:
            return connections >= 0
        begin_ms = self.plan.processes[process - 1].end_ms if process else -math.inf
        return connections <= self.count_opened(begin_ms, t_ms + JITTER_MS)

    def may_become(self, before: int, after: int, begin_ms: float, end_ms: float) -> bool:
        """Of the connections that counted at the begin of a time, so many count at its end.

        Where none is lost, those that were opened meanwhile, or just before, may have come to them.
        """
        if not self.are_kept(begin_ms, end_ms):
            return True
        opened = self.count_opened(begin_ms - SLACK_MS, end_ms + JITTER_MS)
        return before <= after <= before + opened

    def count_opened(self, begin_ms: float, end_ms: float) -> int:
        """How many connections were opened after one moment and until another."""
        times = [link.openings_ms for link in self.plan.links]
        return sum(bisect_right(each, end_ms) - bisect_right(each, begin_ms) for each in times)
