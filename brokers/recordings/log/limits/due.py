"""What cannot wait: steps that a later event shows, and that another step makes impossible.

They are taken right before that other step, so nobody need go back for them once the event comes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from brokers.recordings.ahead.links import FutureValues
from brokers.recordings.ahead.plan import Plan, find_next, find_now_or_next
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.hidden.node import Node
from brokers.recordings.log.arguments import APPENDING
from brokers.recordings.recorded_log import RecordedLog
from reference.language.compiled import State
from reference.language.machine import Action

GROWING = ("append_message", "append_other_message", "fill_file", *APPENDING)
"""The rules by which a running broker's log grows; an election may move its end as well."""

REQUESTED = ("PUT_OK", "FLUSH_SLAVE_TIMEOUT")
"""The answers to puts of a SYNC_MASTER that have waited for a slave (CommitLog#handleHA)."""

FLUSHES_MAX = 2
"""So often a put is flushed for at most: for two files (R-FL-04)."""

BEFORE_REQUEST = (*("flush_for_put",) * FLUSHES_MAX, "answer_disk_wait", "request_slave_wait")
"""By which rules a put comes to wait for a slave."""


BEFORE_FIRST_FILE = ("position_transfer", "position_at_last_file", "create_first_file")
"""By which rules a slave without files comes to have one (R-HC-09)."""


class Due(Protocol):
    """What one step makes impossible."""

    def list_steps(self, guide: RecordedLog, node: Node) -> Sequence[Action]:
        """The steps that are due before it, in this order; those that are not possible are left."""


@frozen
class DueFlush:
    """Before a log grows: a flush takes all that is there, so after that it takes more.

    A look shows up to where a broker has flushed. If its log ends there now and is about to grow,
    then it has flushed before (MappedFileQueue#flush).
    """

    action: Action
    """``flush_master`` or ``flush_slave``."""
    end: int
    """Where a state has the end of the broker's log."""
    flushed: int
    """Where it has its flushed offset."""
    seen: FutureValues
    """Up to where the broker is seen to have flushed; -1 at the end of each of its processes."""

    def list_steps(self, guide: RecordedLog, node: Node) -> Sequence[Action]:
        """The flushes, file by file, up to what the next look shows; none where that may wait."""
        wanted, state = find_now_or_next(self.seen, guide.now_ms), node.state
        if wanted is None or state[self.end] != wanted or not guide.may(node, self.action.instance):
            return []
        is_master = self.action.instance == "flush_master"
        steps = list_given_up_flushes(guide, node) if is_master else []
        after: State | None = state
        for step in steps:
            after = None if after is None else guide.machine.take(after, step)
        flushed = -1
        while after is not None and flushed < after[self.flushed] < wanted:
            flushed = after[self.flushed]
            after = guide.machine.take(after, self.action)
            steps.append(self.action)
        return steps if after is not None and after[self.flushed] == wanted else []


@frozen
class DueFileFlush:
    """Before a file is filled: the second flush for a put, of the next file, is not checked.

    So a put that begins the next file and times out within a moment has had one flush for the blank
    before it: what was there without the blank had been flushed (GroupCommitService#doCommit,
    R-FL-04).
    """

    end: int
    """Where a state has the end of the master's log."""
    flushed: int
    """Where it has its flushed offset."""

    def list_steps(self, guide: RecordedLog, node: Node) -> Sequence[Action]:
        """The flush, if there is anything to be flushed."""
        put = guide.find_following(node)
        is_left = node.state[self.flushed] < node.state[self.end]
        is_due = put is not None and is_left and is_given_up(guide, node, put)
        is_due = is_due and guide.may(node, "flush_master")
        return [Action("flush_master")] if is_due else []


@frozen
class DueTraffic:
    """Before a connection ends: in the rules what is on its way is lost with it.

    A slave whose log is seen to end at some offset next has taken all frames below that, and a
    master that is seen to know a report next has read it.
    """

    slave: int
    push2: FutureValues
    """The ``push2SlaveMaxOffset`` that is seen; -1 at the end of each process of the master."""
    least: FutureValues
    """What it has to be at least for the answer to a put, where nobody looks: likewise."""
    is_scripted: bool = False
    """Somebody plays the slave: nobody asks what it takes."""

    def list_steps(self, guide: RecordedLog, node: Node) -> Sequence[Action]:
        """The frames that the slave takes, and the report that the master reads."""
        wire = node.notes.wires[self.slave]
        if not wire.is_recorded:
            return []
        taken = [] if self.is_scripted else self._list_frames(guide, node)
        return [*taken, *self._list_reports(guide, node)]

    def _list_frames(self, guide: RecordedLog, node: Node) -> Sequence[Action]:
        wire, steps = node.notes.wires[self.slave], []
        seen = guide.plan.links[self.slave].ends_after.get(wire.connection)
        wanted = None if seen is None else find_next(seen, guide.now_ms)
        end = guide.get_max(node, self.slave)
        if wanted is None:
            return []
        for frame in guide.list_frames(wire, self.slave)[wire.taken : wire.forwarded]:
            if wanted <= end or end not in (0, frame.start_offset):
                break
            taken = {"size_bytes": frame.size_bytes}
            steps.append(Action(f"append_to_slave[{self.slave}]", taken))
            end = frame.end_offset
        return steps or self._list_first_file(guide, node, wanted)

    def _list_first_file(self, guide: RecordedLog, node: Node, end: int) -> Sequence[Action]:
        """A heartbeat has made the first file if the slave is seen with one next, and no byte.

        For that the master has read the first report and knows where to begin.
        """
        files = find_next(guide.plan.links[self.slave].files, guide.now_ms)
        if not files or guide.get(node, f"slaves.{self.slave}.log.has_file"):
            return []
        reports = node.notes.wires[self.slave].reports[:1]
        way = [
            *(Action(f"receive_report[{self.slave}]", {"slave_offset": each}) for each in reports),
            *(Action(f"{rule}[{self.slave}]") for rule in BEFORE_FIRST_FILE),
        ]
        steps: list[Action] = []
        state = node.state
        for step in (each for each in way if each.instance in guide.machine.instances):
            after = guide.machine.take(state, step)
            if after is not None:
                steps.append(step)
                state = after
        is_so = bool(state[guide.places[f"slaves.{self.slave}.log.has_file"]])
        return steps if is_so and guide.get_max(node.edit(state=state), self.slave) == end else []

    def _list_reports(self, guide: RecordedLog, node: Node) -> Sequence[Action]:
        reports = node.notes.wires[self.slave].reports
        known = guide.get(node, "master.push2_slave_max_offset")
        wanted, least = (find_next(seen, guide.now_ms) for seen in (self.push2, self.least))
        if wanted is not None and wanted in reports and known < wanted:
            return [Action(f"receive_report[{self.slave}]", {"slave_offset": wanted})]
        covering = [each for each in reports if least is not None and known < least <= each]
        return [Action(f"receive_report[{self.slave}]", {"slave_offset": n}) for n in covering[:1]]


def see_least_push2(plan: Plan) -> FutureValues:
    """What had been reported when a put was called that is answered PUT_OK for a slave's report.

    Where nobody looks at the master, and no report that covers the put comes while it is under way,
    one came before it (R-HA-20).
    """
    found = [(process.end_ms, -1) for process in plan.processes]
    for put in plan.puts:
        if not plan.is_slave_checked(put.process):
            continue
        is_answered = put.waits_for_store and put.status == "PUT_OK" and put.push2_after is None
        if is_answered and not any(has_covering(link.reports, put) for link in plan.links):
            found.append((put.begin_ms, put.end_offset))
    found.sort()
    return FutureValues(tuple(t_ms for t_ms, _ in found), tuple(value for _, value in found))


def has_covering(reports: FutureValues, put: RecordedPut) -> bool:
    """One of these reports covers a put, and was noted while that was under way."""
    first = bisect_left(reports.times_ms, put.begin_ms - JITTER_MS)
    last = bisect_right(reports.times_ms, put.end_ms)
    return any(offset >= put.end_offset for offset in reports.values[first:last])


@frozen
class DueRequests:
    """Before the master counts no connection any more: a put asks for a slave while it counts one.

    Whoever has waited for a slave has been appended and has asked before that. Puts ask in the
    order of their answers: the group transfer serves one at a time (R-HA-22).
    """

    puts: Sequence[RecordedPut]
    """All that are recorded, in the order of their places."""

    def list_steps(self, guide: RecordedLog, node: Node) -> Sequence[Action]:
        """The appends, and then the way of each put to its wait for a slave."""
        is_sync = guide.get(node, "master.is_sync")
        if not is_sync or guide.get(node, "master.connection_count") != 1:
            return []
        slots = node.notes.slots
        begun = self._list_begun(node)
        appends = [
            Action(f"append_message[{slot}]", self._give(number))
            for slot, number in enumerate(begun, start=len(slots))
        ]
        puts = [(self.puts[number], slot) for slot, number in enumerate((*slots, *begun))]
        asking = [each for each in puts if has_waited(each[0])]
        asking.sort(key=lambda each: each[0].end_ms)
        rules = ((rule, slot) for _, slot in asking for rule in BEFORE_REQUEST)
        return [*appends, *(Action(f"{rule}[{slot}]") for rule, slot in rules)]

    def _list_begun(self, node: Node) -> Sequence[int]:
        """The puts that were called, up to the last of them that has waited for a slave."""
        found: list[int] = []
        number = node.notes.next_put
        while number in node.notes.begun:
            found.append(number)
            number += 1
        while found and not has_waited(self.puts[found[-1]]):
            found.pop()
        return found

    def _give(self, number: int) -> dict[str, int]:
        put = self.puts[number]
        return {"size_bytes": put.size_bytes, "waits_for_store": int(put.waits_for_store)}


def has_waited(put: RecordedPut) -> bool:
    """A put has waited for a slave, if its master is a SYNC_MASTER."""
    return put.waits_for_store and put.status in REQUESTED


def is_given_up(guide: RecordedLog, node: Node, put: RecordedPut) -> bool:
    """A put has used up both of its flushes: its disk step has failed without a time-out."""
    timers = node.notes.seen.timers or guide.plan.timers
    is_sync = guide.plan.structure.is_sync_flush and put.waits_for_store
    is_failed = is_sync and put.status == "FLUSH_DISK_TIMEOUT"
    return is_failed and put.duration_ms < timers.sync_flush_timeout_ms


def list_given_up_flushes(guide: RecordedLog, node: Node) -> list[Action]:
    """The flushes that are left for the first followed put that uses up both, if it waits for them.

    Whoever flushes for another one leaves none for it.
    """
    for slot, number in enumerate(node.notes.slots):
        flush = Action(f"flush_for_put[{slot}]")
        is_there = flush.instance in guide.machine.instances
        if is_there and is_given_up(guide, node, guide.plan.puts[number]):
            once = guide.machine.take(node.state, flush)
            if once is not None:
                return [flush] * (1 if guide.machine.take(once, flush) is None else FLUSHES_MAX)
    return []
