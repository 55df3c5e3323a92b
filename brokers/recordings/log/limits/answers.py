"""Which answers an appended put may have got at all, as its line and what happens meanwhile tell.

An answer that is none of these is given in no state, whatever hidden steps are taken and whenever,
so nobody need look for them.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping

from attrs import field, frozen

from brokers.recordings.ahead.plan import Plan, find_latest
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.clock import (
    GRAIN_MS,
    JITTER_MS,
    SLACK_MS,
    TRANSFER_WAIT_MS,
    compute_time_out_ms,
)
from brokers.recordings.log.limits.counts import Counts
from brokers.recordings.log.limits.reports import Reports
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.changes import wait_until_deadline
from reference.worlds.replication.put import TRANSFER_WAKE_UPS_MAX


@frozen
class Answers:
    """The possible answers to the puts of one recording."""

    plan: Plan
    counts: Counts
    reports: Reports
    is_configured: bool = field(init=False)
    """No setting changes while the brokers run."""

    @is_configured.default
    def _see_settings(self) -> bool:
        return all(event.kind != "set_config" for event in self.plan.recording.events)

    def may_be(self, put: RecordedPut) -> bool:
        """The put may be answered as it is."""
        check = CHECKS.get(put.status)
        return check is not None and check(self, put)

    def may_miss_disk(self, put: RecordedPut) -> bool:
        """FLUSH_DISK_TIMEOUT: only a put that waits for the disk (CommitLog#handleDiskFlush).

        Sooner than its clock only if two flushes are used up: the first one has finished an earlier
        file, or has found none, and the second is not checked (R-FL-04, R-CL-09).
        """
        is_sync = self.plan.structure.flush_disk_type is FlushDiskType.SYNC_FLUSH
        if not is_sync or not put.waits_for_store:
            return False
        shortest_ms = self.plan.timers.sync_flush_timeout_ms - GRAIN_MS
        is_by_clock = self.is_configured and not self.is_in_later_file(put)
        return not is_by_clock or put.duration_ms >= shortest_ms

    def is_in_later_file(self, put: RecordedPut) -> bool:
        """Behind the first file, and nothing of its own is known to have been flushed before."""
        size = self.plan.parameters.mapped_file_size_bytes
        begin = put.start_offset - put.start_offset % size
        flushed = find_latest(self.plan.flush_observations, put.begin_ms)
        ends = (
            other.end_offset
            for other in self.plan.puts
            if other.process == put.process and other.end_ms <= put.begin_ms
            if other.waits_for_store and other.status == "PUT_OK"
        )
        return begin > max(0, -1 if flushed is None else flushed, *ends)

    def may_time_out(self, put: RecordedPut) -> bool:
        """FLUSH_SLAVE_TIMEOUT: where waits have a deadline, by a clock alone; else by wake-ups too.

        ``GroupTransferService#doWaitTransfer`` (R-HA-20, R-HA-21, V-08).
        """
        if not put.waits_for_store or self.plan.roles[put.process] is Role.ASYNC_MASTER:
            return False
        shortest_ms = compute_time_out_ms(self.plan.timers) - GRAIN_MS
        if not self.is_configured:
            return True
        if put.duration_ms >= shortest_ms:
            is_answered = self.find_known_ms(put) < put.begin_ms + shortest_ms
            return not is_answered or not self.is_alone(put)
        is_by_clock = self.plan.version.has(wait_until_deadline.VARIANT)
        return not is_by_clock and self.may_use_up_wake_ups(put)

    def may_use_up_wake_ups(self, put: RecordedPut) -> bool:
        """So many reports below its end may be read during the put, or seconds go by in vain.

        Only a report that raises push2 wakes the group transfer (``HAService#notifyTransferSome``);
        one notification may be left from before the put (R-HA-21). Once a report has covered it,
        nothing is in vain any more.
        """
        if any(link.is_traffic_hidden for link in self.plan.links):
            return True
        took_ms = min(put.duration_ms, self.find_known_ms(put) - put.begin_ms)
        raising: set[int] = set()
        for link in self.plan.links:
            first = bisect_left(link.reports.times_ms, put.begin_ms - SLACK_MS)
            last = bisect_right(link.reports.times_ms, put.begin_ms + took_ms + JITTER_MS)
            raising.update(link.reports.values[first:last])
        read = sum(put.push2_before < offset < put.end_offset for offset in raising)
        seconds = (took_ms + GRAIN_MS) // TRANSFER_WAIT_MS
        return read + seconds + 1 >= TRANSFER_WAKE_UPS_MAX

    def find_known_ms(self, put: RecordedPut) -> float:
        """By when the master has read a report that answers a put; infinite where that is open.

        ``ReadSocketService#run`` reads what has come while its connection goes on; that counts for
        puts to come, too (R-HA-06). Since 5.0.0 one report may not be enough.
        """
        found = [math.inf]
        begin_ms = self.plan.find_process_begin_ms(put.process)
        is_checked = self.plan.is_slave_checked(put.process)
        for slave, link in enumerate(self.plan.links if is_checked else ()):
            for connection in range(1, len(link.openings_ms) + 1):
                closed_ms = link.closings_ms.get(connection, self.plan.end_ms)
                reported = self.reports.find_reports(slave, connection)
                covering = (t_ms for offset, t_ms in reported.items() if offset >= put.end_offset)
                found += (t + SLACK_MS for t in covering if begin_ms <= t < closed_ms - SLACK_MS)
        return min(found)

    def is_alone(self, put: RecordedPut) -> bool:
        """No other put waits beside it: the group transfer serves nobody else (R-HA-22)."""
        if put.process in self.plan.sampled_processes or put.is_behind_gap:
            return False
        others = (each for each in self.plan.puts if each.waits_for_store and each is not put)
        begin_ms, end_ms = put.begin_ms - JITTER_MS, put.end_ms + JITTER_MS
        return not any(each.begin_ms < end_ms and begin_ms < each.end_ms for each in others)

    def may_lack_slave(self, put: RecordedPut) -> bool:
        """SLAVE_NOT_AVAILABLE: no connection counted, or all slaves too far behind (R-HA-19).

        What is reported is never taken back.
        """
        most = self.plan.parameters.ha_slave_fallbehind_max_bytes
        is_near = self.is_configured and put.end_offset - put.push2_before < most
        is_there = is_near and self.counts.is_any_kept(put)
        is_checked = self.plan.is_slave_checked(put.process)
        return is_checked and put.waits_for_store and not is_there

    def may_see(self, put: RecordedPut, push2: int) -> bool:
        """Its producer may read that this was reported, once it has the answer.

        No less than before, and if it has waited for a slave, no less than its own end (R-HA-20).
        """
        is_waiting = self.plan.is_slave_checked(put.process) and put.waits_for_store
        has_waited = is_waiting and put.status == "PUT_OK"
        return push2 >= max(put.push2_before, put.end_offset if has_waited else 0)


CHECKS: Mapping[str, Callable[[Answers, RecordedPut], bool]] = {
    "PUT_OK": lambda _answers, _put: True,
    "FLUSH_DISK_TIMEOUT": Answers.may_miss_disk,
    "FLUSH_SLAVE_TIMEOUT": Answers.may_time_out,
    "SLAVE_NOT_AVAILABLE": Answers.may_lack_slave,
}
"""The answers to a put that was appended (CommitLog#handleDiskFlush, #handleHA)."""
