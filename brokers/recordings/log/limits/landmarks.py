"""Where a log may end at all: every offset was copied from where a record or a frame ends.

A wanted offset that is none of these is never met, whatever hidden steps are taken and whenever, so
nobody need look for them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from attrs import field, frozen

from brokers.recordings.ahead.boundaries import MessageTable
from brokers.recordings.ahead.links import RecordedFrame
from brokers.recordings.ahead.plan import MASTER, Plan, find_now_or_next
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES
from brokers.recordings.clock import JITTER_MS, NOTICE_MS, compute_longest_put_ms
from brokers.recordings.log.limits.connections import UNSET
from brokers.recordings.log.limits.unseen import Ends, list_sure_ends, may_end_among
from brokers.recordings.settings import read_settings
from reference.roles import Role


@frozen
class LogLife:
    """One life of the master's log."""

    begin_ms: float
    """When it began: the process before had ended."""
    cut: float
    """The log of the life before was cut at this offset at least; infinite where that is open."""
    open_ms: float
    """From then on messages without a line may lie behind the recorded ones."""


@frozen
class Landmarks:
    """The offsets of one recording at which logs, reports and cursors may stand."""

    plan: Plan
    stands: Mapping[tuple[int, int], tuple[frozenset[int], bool]] = field(init=False)
    """By slave and connection: where its master has stood, and whether the frames are whole."""
    is_open: bool = field(init=False)
    """Puts or frames that are not recorded may end anywhere."""
    cuts: frozenset[int] = field(init=False)
    """Where a store was cut."""
    named: frozenset[int] = field(init=False)
    """Where recorded frames begin and end, and where a store was cut."""
    reported: Mapping[int, float] | None = field(init=False)
    """What slaves have reported, and when first; None where not all of it is recorded."""
    sure_ends: Ends = field(init=False)
    """Where messages end among those that nobody saw put; nothing where that is open."""
    has_flow_control: bool = field(init=False)
    """The master limits how much it sends in a second (V-53)."""
    lives: tuple[LogLife, ...] = field(init=False)
    """The lives of the master's log that may have bytes."""

    @lives.default
    def _list_lives(self) -> tuple[LogLife, ...]:
        return tuple(list_lives(self.plan))

    @has_flow_control.default
    def _see_flow_control(self) -> bool:
        settings = read_settings(self.plan.recording.config["nodes"][self.plan.master])
        return settings.get("haFlowControlEnable") == "true"

    @stands.default
    def _follow_all(self) -> Mapping[tuple[int, int], tuple[frozenset[int], bool]]:
        return {
            (slave, connection): follow_frames(frames)
            for slave, link in enumerate(self.plan.links)
            for connection, frames in link.frames.items()
        }

    @is_open.default
    def _has_hidden_ends(self) -> bool:
        links = self.plan.links
        return self.plan.are_puts_hidden or any(each.is_traffic_hidden for each in links)

    @cuts.default
    def _gather_cuts(self) -> frozenset[int]:
        return frozenset(e["lost_from_offset"] for e in self.plan.surgeries.values())

    @named.default
    def _gather_named(self) -> frozenset[int]:
        size = int(self.plan.parameters.mapped_file_size_bytes)
        sent = [frames for link in self.plan.links for frames in link.frames.values()]
        ends = {end for frames in sent for end in list_ends(frames, size, self.plan.tables)}
        return frozenset({0, *ends, *self.cuts})

    @reported.default
    def _gather_reported(self) -> Mapping[int, float] | None:
        links = self.plan.links
        if any(each.is_traffic_hidden for each in links):
            return None
        found: dict[int, float] = {}
        for each in (link.reports for link in links):
            for t_ms, value in zip(each.times_ms, each.values, strict=True):
                found[value] = min(t_ms, found.get(value, math.inf))
        return {**found, 0: -math.inf}

    @sure_ends.default
    def _list_sure_ends(self) -> Ends:
        return list_sure_ends(self.plan)

    def may_stand_at(self, offset: int) -> bool:
        """A log may end here, in some life of the master's log."""
        if offset < 0:
            return False
        if self.is_open or offset in self.named or self.is_file_begin(offset):
            return True
        lives = range(len(self.lives))
        return any(self.may_end_in_life(life, offset, math.inf) for life in lives)

    def may_end_in_life(self, number: int, offset: int, t_ms: float) -> bool:
        """A message of this life of the master's log may end here by then."""
        return may_end_at(self.plan.tables[number], offset, t_ms >= self.lives[number].open_ms)

    def may_end_message(self, offset: int, t_ms: float) -> bool:
        """A message of the master's log may end here by then: its lives before are cut."""
        for number, life in reversed([*enumerate(self.lives)]):
            if life.begin_ms <= t_ms and self.may_end_in_life(number, offset, t_ms):
                return True
            if life.begin_ms <= t_ms and offset > life.cut:
                return False
        return False

    def may_be_written(self, offset: int, t_ms: float) -> bool:
        """The log of a master may end here by then: with a message, unless it was cut."""
        is_end = self.plan.are_puts_hidden or self.is_file_begin(offset) or offset in self.cuts
        is_end = is_end or self.may_end_message(offset, t_ms)
        return is_end and self.may_be_of_master(offset, t_ms)

    def may_reach(self, offset: int, t_ms: float) -> bool:
        """A log may go as far as this by then: to its last message, and the blank behind it."""
        size = int(self.plan.parameters.mapped_file_size_bytes)
        for number, life in enumerate(self.lives):
            ends = self.plan.tables[number].ends[-1:]
            file_end = -(-max(ends, default=0) // size) * size
            if life.begin_ms <= t_ms and (offset <= file_end or t_ms >= life.open_ms):
                return True
        return self.is_open or offset <= max(self.named)

    def may_be_sent(self, begin: int, size: int, t_ms: float) -> bool:
        """A frame may have these bytes: of one file, as many as fit, or up to the log's end.

        ``HAConnection.WriteSocketService#run``, ``DefaultMessageStore#getCommitLogData`` (R-HA-13).
        Flow control cuts it anywhere (V-53).
        """
        end, most = begin + size, int(self.plan.parameters.ha_transfer_batch_size_bytes)
        file_size = int(self.plan.parameters.mapped_file_size_bytes)
        is_whole = size == most or self.has_flow_control or self.may_be_written(end, t_ms)
        return is_whole and 0 < size <= most and begin // file_size == (end - 1) // file_size

    def may_be_reported(self, offset: int, t_ms: float) -> bool:
        """A master may have read such a report by then, or none if it is 0."""
        if self.reported is not None:
            return self.reported.get(offset, math.inf) <= t_ms + JITTER_MS
        return self.may_be_of_master(offset, t_ms)

    def may_be_of_master(self, offset: int, t_ms: float) -> bool:
        """The master may know this offset by then: its own log ends here, or what it has sent."""
        if not self.may_stand_at(offset) or not self.sure_ends:
            return self.may_stand_at(offset)
        following = find_now_or_next(self.plan.end_observations, t_ms)
        written = max(offset, self.sure_ends[-1]) if following is None else following
        return may_end_among(self.sure_ends, offset, written, self.plan.parameters)

    def is_file_begin(self, offset: int) -> bool:
        """A mapped file begins here."""
        return offset % int(self.plan.parameters.mapped_file_size_bytes) == 0

    def may_begin_at(self, offset: int, end: int) -> bool:
        """A log that ends so may begin here; -1: it has no file, and so no byte."""
        return end == 0 if offset == -1 else 0 <= offset <= end and self.is_file_begin(offset)

    def may_hold(self, begin: int, files: int, end: int) -> bool:
        """So many files from an offset on hold a log that ends there."""
        size = int(self.plan.parameters.mapped_file_size_bytes)
        return end <= max(begin, 0) + files * size

    def may_be_closed(self, slave: int, connection: int, t_ms: float) -> bool:
        """A slave may know that a connection has ended, which its proxy notes at once."""
        link = self.plan.links[slave]
        ended_ms = link.closings_ms.get(connection, self.plan.end_ms)
        return link.is_connection_hidden or ended_ms <= t_ms + NOTICE_MS

    def may_grow_to(self, broker: int, offset: int, t_ms: float) -> bool:
        """A broker's log may come to end here, or above, while somebody looks at it.

        A put is under way at a master then, or the link of a slave has just shown a frame.
        """
        if self.is_open or (broker == MASTER and any(e.open_ms <= t_ms for e in self.lives)):
            return True
        first_ms, last_ms = t_ms - NOTICE_MS, t_ms + JITTER_MS
        if broker == MASTER:
            puts = (*self.plan.puts, *self.plan.blank_by_seq.values())
            near = [p for p in puts if p.begin_ms <= last_ms and p.end_ms >= first_ms]
            return any(put.end_offset >= offset for put in near)
        sent = (frame for frames in self.plan.links[broker].frames.values() for frame in frames)
        return any(f.end_offset >= offset for f in sent if first_ms <= f.t_ms <= last_ms)

    def may_send_from(self, slave: int, connection: int, offset: int) -> bool:
        """A master may stand here on a connection, whose frames follow one another."""
        link = self.plan.links[slave]
        frames = link.frames.get(connection, ())
        end = frames[-1].end_offset if frames else -1
        if link.is_traffic_hidden or (self.has_flow_control and offset > end):
            return True
        stands, is_whole = self.stands.get((slave, connection), (frozenset((UNSET,)), True))
        size = int(self.plan.parameters.ha_transfer_batch_size_bytes)
        # What was sent behind the last frame ends with the log, with a file, or as a whole batch.
        begins = range(offset, end, -size) if is_whole else ()
        return offset in stands or any(map(self.may_stand_at, begins))


def list_lives(plan: Plan) -> Iterator[LogLife]:
    """The lives of a master's log, each with what a power loss has left of the one before."""
    begins_ms = [0.0, *(process.end_ms for process in plan.processes)]
    cuts = {
        plan.lives[process + 1]: offset
        for process, offset in plan.lost_offsets.items()
        if process + 1 < len(plan.lives)
    }
    is_set = any(event.kind == "set_config" for event in plan.recording.events)
    is_sync = Role.SYNC_MASTER in plan.roles and bool(plan.slaves)
    longest_ms = compute_longest_put_ms(plan.timers, waits_for_slave=is_sync)
    for life in range(1 + plan.lives[-1]):
        processes = [number for number, each in enumerate(plan.lives) if each == life]
        is_sampled = is_set or not plan.sampled_processes.isdisjoint(processes)
        open_ms = min(plan.processes[number].end_ms for number in processes) - longest_ms
        yield LogLife(
            begins_ms[processes[0]],
            cuts.get(life, math.inf),
            -math.inf if is_sampled else open_ms,
        )


def follow_frames(frames: Sequence[RecordedFrame]) -> tuple[frozenset[int], bool]:
    """Where a master stands that sends these frames of one connection, one behind the other.

    False where one does not begin at the end of the one before: the rest tells nothing.
    """
    begin = frames[0].start_offset
    stands = {-1, begin}
    for frame in frames:
        if frame.start_offset != begin:
            return frozenset(stands), False
        begin = frame.end_offset
        stands.add(begin)
    return frozenset(stands), True


def list_ends(
    frames: Sequence[RecordedFrame], file_size_bytes: int, tables: Sequence[MessageTable]
) -> Iterator[int]:
    """Where a slave's log, or its dispatch, may end that takes these frames of one connection.

    One that ends at 0 takes whatever comes first, and appends it there, or at the begin of the file
    that it belongs to (R-HC-20), and dispatches its records there.
    """
    first = frames[0]
    base = first.start_offset - first.start_offset % file_size_bytes
    for table in tables:
        for put in table.list_within(first.start_offset, first.end_offset):
            within = put.end_offset - first.start_offset
            yield from (within, base + within)
    taken = 0
    for frame in frames:
        taken += frame.size_bytes
        yield from (frame.start_offset, frame.end_offset, taken, base + taken)


def may_end_at(table: MessageTable, offset: int, is_open: bool) -> bool:
    """A record of this life ends here, or one that is not recorded may.

    ``is_open``: such may lie behind the last.
    """
    place = bisect_left(table.starts, offset)
    end = table.ends[place - 1] if place else 0
    is_in_gap = is_open if place == len(table.puts) else table.puts[place].is_behind_gap
    return offset == end or (is_in_gap and offset >= end + MESSAGE_HEAD_BYTES)
