"""Which hidden steps a recording of replication allows, and with which arguments."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import define, evolve, field

from brokers.recordings.ahead.links import RecordedFrame, see_push2
from brokers.recordings.ahead.plan import MASTER, find_next
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES, ProcessAhead, RecordedPut
from brokers.recordings.clock import (
    EXPIRY_BEGIN_MS,
    GRAIN_MS,
    JITTER_MS,
    KILL_MS,
    NOTICE_MS,
    SLACK_MS,
    TRANSFER_WAIT_MS,
    compute_longest_put_ms,
)
from brokers.recordings.hidden.node import Goal, Node
from brokers.recordings.log.arguments import Arguments
from brokers.recordings.log.following import FOLLOWED, get_index
from brokers.recordings.log.limits.due import (
    GROWING,
    Due,
    DueFileFlush,
    DueFlush,
    DueRequests,
    DueTraffic,
    see_least_push2,
)
from brokers.recordings.log.notes import CountedConnection, LinkNotes, Notes
from brokers.recordings.recorded_log import Allowance, RecordedLog, name_broker, name_end
from brokers.recordings.view import Displaced
from reference.language.compiled import (
    CompiledInstance,
    State,
    compile_predicate,
)
from reference.language.dependencies import list_leaves
from reference.language.machine import Action, record_predicate
from reference.language.structure import BaseStructure
from reference.worlds.replication.controller.epochs import get_place
from reference.worlds.replication.mapped_files import is_flush_file_there
from reference.worlds.replication.replication import compute_first_transfer_start

MASTER_ROLE, SLAVE = "master", "slave"
HIDDEN_ROLES = (MASTER_ROLE, SLAVE)
"""Who acts without an event; faults, operators and producers are seen."""

SEEN = ("restart_", "begin_master_stop", "begin_slave_stop", "finish_", "refuse_put")
"""How the rules begin that have an event of their own, though a broker does it."""

YOUNG = "delete_young_"
"""How the rules begin by which a broker with a full disk deletes a file; no event tells that
(DefaultMessageStore.CleanCommitLogService#isSpaceToDelete)."""

OLD = "expire_"
"""How those begin by which a broker deletes a file that is old enough."""

CLOSING = ("cut_link", "close_idle_connection", "refuse_frame")
"""The rules that end a connection at the slave's side."""

CLOCKED = ("time_out_slave_wait", "time_out_disk_wait", "wait_one_second")
"""The rules by which time ends the wait of a put, or uses it up."""

OTHERS = ("append_other_message", "fill_file")
"""The rules by which a master's log grows before the next recorded put."""

DISPATCHING = ("dispatch_master", "dispatch_slave")
"""The rules by which a broker dispatches."""

RESTART = "restart_slave"
"""How the rules begin by which a slave starts again."""

FOREIGN = "append_at_wrong_offset"
"""The rule by which a slave stores bytes at another offset than its master (R-HC-20)."""


@define(eq=False)
class LogGuide(RecordedLog):
    """The guide of one recording."""

    wires: tuple[LinkNotes, ...] = field(init=False)
    """The link of each slave, as it begins."""
    visible: frozenset[str] = field(init=False)
    """The instances that fire at an event of their own only, unless they were announced."""
    is_flush_file_there: Callable[[State], bool] = field(init=False)
    """The master's log has the file in which its next flush begins."""
    is_start_moving: bool = field(init=False)
    """Where the transfer to a slave without bytes begins moves on with the master's log."""
    dues: Mapping[str, Sequence[Due]] = field(init=False)
    """By instance: what may be due before it."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.wires = tuple(
            LinkNotes(
                is_recorded=not ahead.is_traffic_hidden and not ahead.is_connection_hidden,
                is_connection_recorded=not ahead.is_connection_hidden,
            )
            for ahead in self.plan.links
        )
        self.is_flush_file_there = compile_predicate(
            self.plan.structure, lambda cluster: is_flush_file_there(cluster.master.log)
        )
        self.is_start_moving = moves_transfer_start(self.plan.structure)
        instances = self.machine.instances.items()
        self.allowed = {name: self._make_allowance(each) for name, each in instances}
        self.visible = frozenset(name for name, each in self.allowed.items() if each is False)
        self.dues = self._make_dues()

    def _make_dues(self) -> Mapping[str, Sequence[Due]]:
        found: dict[str, list[Due]] = defaultdict(list)
        found["drop_connection"].append(DueRequests(self.plan.puts))
        events = self.plan.recording.events
        push2 = see_push2(e for e in events if e.data.get("node") == self.plan.master)
        least = see_least_push2(self.plan)
        for slave in range(len(self.plan.slaves)):
            is_scripted = slave in self.plan.scripted
            traffic = DueTraffic(slave, push2, least, is_scripted=is_scripted)
            for name in self.machine.dependencies.writers[f"links.{slave}.is_open"]:
                found[name].append(traffic)
        for broker in (MASTER, *range(len(self.plan.slaves))):
            is_master, path = broker == MASTER, name_end(self.plan, broker)
            seen = self.plan.flush_observations if is_master else self.plan.links[broker].flushes
            flushed = self.places[f"{name_broker(broker)}.log.flushed_offset"]
            flush = Action(name_instance("flush_WHO", broker))
            due = DueFlush(flush, self.places[path], flushed, seen)
            if is_master:
                found["fill_file"].append(DueFileFlush(self.places[path], flushed))
            for name in self.machine.dependencies.writers[path]:
                if Action(name).rule_name in GROWING:
                    found[name].append(due)
        return found

    @property
    def has_epoch_files(self) -> bool:
        """The rules have epoch files and a SyncStateSet: there is a controller."""
        return "epoch_files.0.current_epoch" in self.places

    def is_played(self, name: str) -> bool:
        """An instance is an act of a broker that somebody plays.

        A slave that is played is accepted as any other, and either end may close.
        """
        instance = self.machine.instances[name].recorded.instance
        if instance.rule.who == MASTER_ROLE and MASTER in self.plan.scripted:
            return instance.rule.name not in CLOSING
        is_act = instance.rule.who == SLAVE and instance.rule.name != "connect_slave"
        return is_act and not self.plan.scripted.isdisjoint(instance.indexes)

    def find_visible(self, node: Node) -> frozenset[str]:
        """Instances that may not fire here without an event, whatever the state."""
        granted = node.notes.granted
        return self.visible.difference(*granted) if granted else self.visible

    def _make_allowance(self, instance: CompiledInstance) -> Allowance:
        rule = instance.recorded.instance.rule
        index = next(iter(instance.recorded.instance.indexes), -1)
        if self.is_played(instance.recorded.instance.name):
            return False
        special: dict[str, Allowance] = {
            "append_message": lambda node: self._may_append(node, index),
            "fill_file": self._may_fill,
            "append_other_message": self._may_append_others,
            "swallow_flush_error": self._may_swallow_error,
            "flush_master": self._make_flush_allowance(MASTER),
            "flush_slave": self._make_flush_allowance(index),
            "enter_sync_state_set": lambda _: self._may_enter(index),
            "leave_sync_state_set": lambda node: self._may_leave(node, index),
        }
        if rule.name in special:
            return special[rule.name]
        if rule.name.startswith((YOUNG, OLD)):
            return self._make_deletion_allowance(rule.name, index)
        if rule.who not in HIDDEN_ROLES or rule.name.startswith(SEEN):
            return False
        return self._make_link_allowance(rule.name, index)

    def _may_enter(self, slave: int) -> bool:
        """A slave is shown to be in the SyncStateSet soon: the master knows it first."""
        return self.plan.controller.set_changes[slave].may_enter(self.now_ms, SLACK_MS)

    def _may_leave(self, node: Node, slave: int) -> bool:
        """A controller is shown to have taken it out just now, and it has not reported everything.

        One whose last report is on its way does not lag: it leaves when its connection has ended.
        """
        is_open = self.get(node, f"links.{slave}.is_open")
        reported = self.get(node, f"links.{slave}.reported_offset")
        if is_open and reported >= self.get(node, name_end(self.plan, MASTER)):
            return False
        return self.plan.controller.set_changes[slave].may_leave(self.now_ms, NOTICE_MS)

    def deliver_late(self, node: Node, slave: int, frame: RecordedFrame) -> State | None:
        """The state after a slave has taken what was sent on a connection that has ended.

        A connection of the model takes with it what is in flight. A real one ends at each side by
        itself: what the master had handed to TCP may still come. The rule is asked on the
        connection and with the master's log as they were; only the slave's files keep its effect.
        None where the slave does not take it.
        """
        ended = node.notes.wires[slave].ended
        if ended is None:
            return None
        past, link = list(node.state), f"links.{slave}."
        own = (f"slaves.{slave}.log.", f"epoch_files.{get_place(slave)}.")
        for path, place in self.places.items():
            if path.startswith((link, "master.log.")):
                past[place] = ended[place]
        past[self.places[f"{link}is_open"]] = True
        past[self.places[f"{link}arrived_offset"]] = frame.start_offset
        past[self.places[f"{link}next_transfer_offset"]] = frame.end_offset
        past[self.places[f"{link}reported_offset"]] = self.get_max(node, slave)
        step = Action(f"append_to_slave[{slave}]", {"size_bytes": frame.size_bytes})
        taken = self.machine.take(tuple(past), step)
        if taken is None:
            return None
        places = [place for path, place in self.places.items() if path.startswith(own)]
        after = list(node.state)
        for place in places:
            after[place] = taken[place]
        return tuple(after)

    def _make_link_allowance(self, rule: str, slave: int) -> Allowance:
        is_of_connection = rule in {"connect_slave", *CLOSING}
        if rule == "transfer_batch":
            return lambda node: self._may_send(node, slave)
        if rule == "close_idle_connection":  # Only a proxy holds back heartbeats, or cuts a link.
            return lambda node: self._may_close(node, slave)
        if rule == "cut_link":
            return False
        if is_of_connection and not self.wires[slave].is_connection_recorded:
            return lambda _: self.now_ms >= min(self.plan.links[slave].starts_ms, default=0.0)
        if is_of_connection:
            # What its proxy notes a moment later is left out where the recording ends.
            return lambda _: self.now_ms >= self.plan.end_ms - JITTER_MS
        return not (rule.startswith("report_offset") and self.wires[slave].is_recorded)

    def _may_close(self, node: Node, slave: int) -> bool:
        """A connection that was held up may end unseen, unless it is seen to be there later.

        Its slave is, or both ends are: the master sends on it what it does not have yet, and the
        slave reports there what it does not have yet.
        """
        wire, ahead = node.notes.wires[slave], self.plan.links[slave]
        seen_ms = ahead.connected_ms.get(wire.connection, 0.0)
        sent = max((f.end_offset for f in self.list_frames(wire, slave)), default=0)
        reported = ahead.highest_reports.get(wire.connection, 0)
        is_used = sent > self.get_max(node, MASTER) and reported > self.get_max(node, slave)
        return wire.are_frames_held and self.now_ms >= seen_ms - JITTER_MS and not is_used

    def _may_append(self, node: Node, message: int) -> bool:
        return self.find_put(node) is not None and message == len(node.notes.slots)

    def _may_fill(self, node: Node) -> bool:
        """The next put begins beyond the end of the log, perhaps in the next file."""
        put, end = self.find_put(node), self.get_max(node, MASTER)
        is_ahead = put is not None and put.start_offset > end
        return is_ahead or self._may_append_others(node)

    def _may_append_others(self, node: Node) -> bool:
        """The recording leaves puts out before the next one, or behind the last, or all."""
        plan, notes, end = self.plan, node.notes, self.get_max(node, MASTER)
        if plan.are_puts_hidden:
            seen_ms = notes.seen.max_seen_ms
            is_own = any(each.meets(seen_ms, self.now_ms) for each in plan.own_writes)
            return bool(notes.seen.sends) or is_own
        is_last = notes.process == len(plan.processes) - 1
        least = max(end + 1, self.last_sent_offset if is_last else 0)
        following: RecordedPut | None = self.find_following(node)
        if following is not None and following.process == notes.process:
            least = following.start_offset
            if not following.is_behind_gap or least <= end:
                return False
        if notes.process in plan.sampled_processes:
            return True
        is_sync = bool(self.get(node, "master.is_sync")) and bool(plan.slaves)
        timers = notes.seen.timers or plan.timers
        longest_ms = compute_longest_put_ms(timers, waits_for_slave=is_sync)
        process: ProcessAhead = plan.processes[notes.process]
        return process.may_be_pending(least, self.now_ms, longest_ms)

    def _make_deletion_allowance(self, rule: str, broker: int) -> Allowance:
        is_old, are_hidden = rule.startswith(OLD), self.plan.are_puts_hidden
        if self.plan.are_deletions_shown:
            return are_hidden and not is_old
        return True if is_old or are_hidden else lambda node: self._may_delete(node, broker)

    def _may_delete(self, node: Node, broker: int) -> bool:
        """A broker's log is seen to begin later soon, and it has run for so long that it looks."""
        plan = self.plan
        begins = plan.begin_observations if broker == MASTER else plan.links[broker].begins
        begin = find_next(begins, self.now_ms - GRAIN_MS)
        started_ms = node.notes.seen.get_broker(broker).started_ms
        is_due = self.now_ms >= started_ms + EXPIRY_BEGIN_MS - JITTER_MS
        path = f"{name_broker(broker)}.log.start_offset"
        return is_due and begin is not None and self.get(node, path) < begin

    def _make_flush_allowance(self, broker: int) -> Allowance:
        is_lost = broker == MASTER and bool(self.plan.lost_offsets)
        is_limited = is_lost or bool(self.plan.stuck_flushes.get(broker))
        return (lambda node: self._may_flush(node, broker)) if is_limited else True

    def _may_flush(self, node: Node, broker: int) -> bool:
        """The flush stays below what the end of the master's process takes, and where it stuck."""
        lost = self.find_lost(node) if broker == MASTER else None
        flushed = self.get(node, f"{name_broker(broker)}.log.flushed_offset")
        is_kept = lost is None or flushed < lost
        return is_kept and flushed < self._find_stuck(broker)

    def _may_swallow_error(self, node: Node) -> bool:
        """The end of the master's process takes even what counted as flushed."""
        flushed = self.get(node, "master.log.flushed_offset")
        return self.find_lost(node) is not None and flushed < self._find_stuck(MASTER)

    def _find_stuck(self, broker: int) -> float:
        """Where the flush of a broker's present process stuck; infinite if it did not."""
        every = self.plan.stuck_flushes[broker]
        now = (e.offset for e in every if e.begin_ms <= self.now_ms <= e.end_ms)
        return min(now, default=math.inf)

    def _may_send(self, node: Node, slave: int) -> bool:
        """The master may send the connection's next frame before the proxy forwards it."""
        wire: LinkNotes = node.notes.wires[slave]
        if not wire.is_recorded:
            return True
        frames = self.list_frames(wire, slave)
        if wire.are_frames_held or wire.sent >= len(frames):
            return wire.are_frames_held or self._may_lose_frame(slave, wire.connection)
        return frames[wire.sent].t_ms <= self.now_ms + SLACK_MS

    def _may_lose_frame(self, slave: int, connection: int) -> bool:
        """What is sent right before the end of its connection, or of all, may not come."""
        end_ms = self.plan.links[slave].closings_ms.get(connection, self.plan.end_ms)
        return self.now_ms >= end_ms - KILL_MS

    def find_put(self, node: Node) -> RecordedPut | None:
        """The put that is appended next, if it was called."""
        put = self.find_following(node)
        return put if put is not None and put.number in node.notes.begun else None

    def find_lost(self, node: Node) -> int | None:
        """From where on the end of the master's present process takes even what was flushed."""
        return self.plan.lost_offsets.get(node.notes.process)

    def _find_shown_end(self, node: Node) -> float:
        """Where the master's log ends at the next look at its process; infinite for none."""
        ends, end_ms = self.plan.end_observations, self.plan.processes[node.notes.process].end_ms
        place = bisect_right(ends.times_ms, self.now_ms + JITTER_MS)
        is_shown = place < len(ends.times_ms) and ends.times_ms[place] <= end_ms
        return ends.values[place] if is_shown else math.inf

    def list_values(
        self,
        node: Node,
        action: Action,
        argument: str,
        bounds: tuple[int, int],
        goals: Sequence[Goal],
    ) -> Iterable[int]:
        """The values of an argument that are worth a try."""
        return Arguments(self).list_values(node, action, argument, bounds, goals)

    def list_due(self, node: Node, action: Action) -> Sequence[Action]:
        """The steps that a later observation shows, and that cannot be taken after this one."""
        dues, known = self.dues.get(action.instance, ()), self.machine.instances
        steps = (step for due in dues for step in due.list_steps(self, node))
        return [step for step in steps if step.instance in known]

    def follow(self, node: Node, action: Action, state: State) -> Notes | None:
        """The notes after a step; None for a step that the recording rules out."""
        notes: Notes = node.notes.spend(action.instance)
        rule, slave = action.rule_name, action.index
        if rule == "append_message":
            return self._follow_append(node, notes, action)
        if rule in OTHERS and not self._may_be_other(node, action, state):
            return None
        if rule in DISPATCHING and not self._may_dispatch(action, state):
            return None
        if rule in CLOCKED:
            return self._follow_clock(node, notes, rule, node.notes.slots[get_index(action)])
        if slave is not None and slave < len(notes.wires):
            return self._follow_link(node, notes, action, state)
        return self._follow_ends(node, notes, action, state)

    def _may_dispatch(self, action: Action, after: State) -> bool:
        """A dispatch goes to the begin of a log once that has bytes (ReputMessageService#doReput).

        In one without any it stays at 0 (`full_file_skipped` seq 204).
        """
        broker = MASTER if action.index is None else action.index
        begin = after[self.places[f"{name_broker(broker)}.log.start_offset"]]
        return bool(after[self.places[name_end(self.plan, broker)]] > begin)

    def _may_be_other(self, node: Node, action: Action, after: State) -> bool:
        """A message has a head, and neither it nor a blank lies where the next recorded put does.

        The log ends no higher at the next look. Where no put is shown, several messages are taken
        for one.
        """
        put, end = self.find_following(node), after[self.places[name_end(self.plan, MASTER)]]
        if put is not None and put.process == node.notes.process and put.start_offset < end:
            return False
        if end > self._find_shown_end(node):
            return False
        size = action.arguments.get("size_bytes", MESSAGE_HEAD_BYTES)
        return self.plan.are_puts_hidden or size >= MESSAGE_HEAD_BYTES

    def _follow_link(self, node: Node, notes: Notes, action: Action, state: State) -> Notes | None:
        """A step of one link or slave."""
        rule, slave = action.rule_name, get_index(action)
        if not self._may_begin(node, state, slave):
            return None
        notes = self._follow_displaced(node, notes, action, state)
        if rule in FOLLOWED:
            is_recorded = notes.wires[slave].is_recorded
            return FOLLOWED[rule](self, node, notes, action) if is_recorded else notes
        if rule == "connect_slave":
            is_shown = notes.wires[slave].is_connection_recorded
            opened_ms = notes.seen.wires[slave].opened_ms if is_shown else self.now_ms
            return notes.accept(slave, opened_ms)
        return self._follow_ends(node, notes, action, state)

    def _follow_displaced(self, node: Node, notes: Notes, action: Action, state: State) -> Notes:
        """A frame comes to a foreign offset, or the log is cut that has such bytes."""
        slave = get_index(action)
        known, end = notes.wires[slave].displaced, state[self.places[name_end(self.plan, slave)]]
        found = None if known is None else known.cut(end)
        if found is not None and action.rule_name.startswith(RESTART):
            found = evolve(found, is_recovered=True)
        if action.rule_name == FOREIGN:
            source = self.get(node, f"links.{slave}.arrived_offset")
            life, size = self.get(node, "master.ghost_life"), action.arguments["size_bytes"]
            found = Displaced(life, end - size, end, source)
        return notes if found == known else notes.change_wire(slave, displaced=found)

    def _follow_ends(self, node: Node, notes: Notes, action: Action, state: State) -> Notes:
        """The connections that a step ends, or that the master notices to have ended."""
        for number in range(len(notes.wires)):
            place = self.places[f"links.{number}.is_open"]
            if node.state[place] and not state[place]:
                notes = self._end_connection(node, notes, number)
        is_drop = action.rule_name == "drop_connection"
        is_all_noticed = is_drop and self._are_all_alive(notes, state)
        return notes.forget_dead() if is_all_noticed else notes

    def _may_begin(self, node: Node, after: State, slave: int) -> bool:
        """The first file that a slave's log gets is the one with which it is seen next."""
        begin = self.find_begin(node, slave)
        place = self.places[f"slaves.{slave}.log.start_offset"]
        is_first = begin is not None and after[self.places[f"slaves.{slave}.log.has_file"]]
        return not is_first or after[place] == begin

    def find_begin(self, node: Node, slave: int) -> int | None:
        """Where a log that has no file yet is seen to begin next; frames, if seen, show it too."""
        is_shown = slave >= len(self.wires) or self.wires[slave].is_recorded
        if is_shown or self.get(node, f"slaves.{slave}.log.has_file"):
            return None
        return find_next(self.plan.links[slave].begins, self.now_ms - GRAIN_MS)

    def must_begin_below(self, node: Node, slave: int, offset: int) -> bool:
        """An empty log is seen to begin below this offset, by its frames or by itself.

        Where a transfer begins with the first file, whatever is appended, that needs no care.
        """
        if not self.is_start_moving:
            return False
        begin = self.find_begin(node, slave)
        wire: LinkNotes = node.notes.wires[slave]
        is_open = self.get(node, f"links.{slave}.is_open")
        if wire.is_recorded and is_open and not self.get_max(node, slave):
            begin = self.plan.links[slave].first_offsets.get(wire.connection)
        return begin is not None and begin < offset

    def _end_connection(self, node: Node, notes: Notes, slave: int) -> Notes:
        """The slave's side of its connection is gone; the master counts on."""
        link = f"links.{slave}"
        names = ("slave_request_offset", "slave_ack_offset", "next_transfer_offset")
        request, ack, position = (self.get(node, f"{link}.{name}") for name in names)
        known, reports = (request, ack, position), notes.wires[slave].reports
        dead = CountedConnection(slave, known=known, unread=reports)
        ended = notes.change_wire(slave, reports=(), position=position, ended=node.state)
        return ended.spend(*(f"{name}[{slave}]" for name in CLOSING)).bury(dead)

    def _are_all_alive(self, notes: Notes, state: State) -> bool:
        """The master counts no dead connection any more."""
        alive = sum(connection.known is None for connection in notes.connections)
        return bool(state[self.places["master.connection_count"]] == alive)

    def _follow_clock(self, node: Node, notes: Notes, rule: str, number: int) -> Notes | None:
        """A clock ends the wait of a put, if its call took so long, and has taken so long by now.

        Two flushes that find no file (R-CL-09) are the same as a time-out that takes no time.
        """
        if rule == "time_out_disk_wait" and not self.is_flush_file_there(node.state):
            return notes
        put, timers = self.plan.puts[number], notes.seen.timers or self.plan.timers
        took_ms = min(put.duration_ms + GRAIN_MS, self.now_ms + JITTER_MS - put.begin_ms)
        if rule != "wait_one_second":
            is_for_slave = rule == "time_out_slave_wait"
            least_ms = timers.slave_wait_ms if is_for_slave else timers.sync_flush_timeout_ms
            return notes if took_ms >= least_ms else None
        # One notification may be left from before the wait, when nobody waited for it (R-HA-21).
        is_over = notes.waits.count(number) > took_ms // TRANSFER_WAIT_MS
        return None if is_over else evolve(notes, waits=(*notes.waits, number))

    def _follow_append(self, node: Node, notes: Notes, action: Action) -> Notes | None:
        put = self.find_following(node)
        if put is None or put.start_offset != self.get_max(node, MASTER):
            return None
        given = (action.arguments["size_bytes"], bool(action.arguments["waits_for_store"]))
        if given != (put.size_bytes, put.waits_for_store):
            return None
        begun, slots = notes.begun - {put.number}, (*notes.slots, put.number)
        return evolve(notes, next_put=put.number + 1, begun=begun, slots=slots)


def moves_transfer_start(structure: BaseStructure) -> bool:
    """The rules begin the transfer to a slave without bytes by the end of the master's log."""
    recorded = record_predicate(structure, lambda s: compute_first_transfer_start(s) == 0)
    return any(leaf.startswith("master.log.ends") for leaf in list_leaves([recorded]))


def name_instance(rule: str, broker: int) -> str:
    """A rule's instance for a broker; ``WHO`` in its name stands for master or slave."""
    if broker == MASTER:
        return rule.replace("WHO", "master")
    return f"{rule.replace('WHO', 'slave')}[{broker}]"
