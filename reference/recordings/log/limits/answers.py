"""Which answers an appended put may have got at all, as its line and what happens meanwhile tell.

An answer that is none of these is given in no state, whatever hidden steps are taken and whenever,
so nobody need look for them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping

from attrs import field, frozen

from reference.recordings.ahead.plan import Plan
from reference.recordings.ahead.puts import Put
from reference.recordings.clock import GRAIN_MS, NOTICE_MS, SLACK_MS, compute_time_out_ms
from reference.worlds.replication.changes import ack_per_connection, wait_until_deadline
from reference.worlds.replication.changes.controller_mode.variant import VARIANT as CONTROLLED
from reference.worlds.replication.roles import FlushDiskType

UNCHECKED = (ack_per_connection.VARIANT, CONTROLLED)
"""With these ``HAService#isSlaveOK`` has no callers (5.0.0)."""


@frozen
class Answers:
    """The possible answers to the puts of one recording."""

    plan: Plan
    losses_ms: tuple[float, ...] = field(init=False)
    """When a connection may have been lost: something ended, stopped or was cut."""
    is_configured: bool = field(init=False)
    """No setting changes while the brokers run."""

    @losses_ms.default
    def _see_losses(self) -> tuple[float, ...]:
        return tuple(event.t_ms for event in self.plan.recording.events if event.kind in LOSSES)

    @is_configured.default
    def _see_settings(self) -> bool:
        return all(event.kind != "set_config" for event in self.plan.recording.events)

    def may_be(self, put: Put) -> bool:
        """The put may be answered as it is."""
        check = CHECKS.get(put.status)
        return check is not None and check(self, put)

    def may_miss_disk(self, _put: Put) -> bool:
        """FLUSH_DISK_TIMEOUT: only a put that waits for the disk (CommitLog#handleDiskFlush)."""
        return self.plan.structure.flush_disk_type is FlushDiskType.SYNC_FLUSH

    def may_time_out(self, put: Put) -> bool:
        """FLUSH_SLAVE_TIMEOUT: where waits have a deadline, by a clock alone; else by wake-ups too.

        ``GroupTransferService#doWaitTransfer`` (R-HA-20, R-HA-21, V-08).
        """
        is_by_clock = self.plan.version.has(wait_until_deadline.VARIANT) and self.is_configured
        shortest_ms = compute_time_out_ms(self.plan.timers) - GRAIN_MS
        return not is_by_clock or put.duration_ms >= shortest_ms

    def may_lack_slave(self, put: Put) -> bool:
        """SLAVE_NOT_AVAILABLE: no connection counted, or all slaves too far behind (R-HA-19).

        A connection that counted before the call counts until something ends, and what is reported
        is never taken back (R-HA-04, R-HA-07).
        """
        if any(self.plan.version.has(each) for each in UNCHECKED):
            return False
        most = self.plan.parameters.ha_slave_fallbehind_max_bytes
        is_near = self.is_configured and put.end_offset - put.push2_before < most
        first = bisect_left(self.losses_ms, put.begin_ms - SLACK_MS)
        is_kept = first == bisect_right(self.losses_ms, put.end_ms + NOTICE_MS)
        is_recorded = not any(link.is_connection_hidden for link in self.plan.links)
        is_connected = put.connections_before > 0 and is_kept and is_recorded
        return not (is_near and is_connected)


LOSSES = frozenset(
    {
        *("ha_link_close", "link_cut", "link_cut_mid_frame", "proxy_target_down"),
        *("node_kill9", "node_stop_begin", "node_stop_clean", "process_exit"),
    }
)
"""Kinds of events by which a connection may end, or of which its end is only noted later."""

CHECKS: Mapping[str, Callable[[Answers, Put], bool]] = {
    "PUT_OK": lambda _answers, _put: True,
    "FLUSH_DISK_TIMEOUT": Answers.may_miss_disk,
    "FLUSH_SLAVE_TIMEOUT": Answers.may_time_out,
    "SLAVE_NOT_AVAILABLE": Answers.may_lack_slave,
}
"""The answers to a put that was appended (CommitLog#handleDiskFlush, #handleHA)."""
