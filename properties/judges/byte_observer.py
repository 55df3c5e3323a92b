"""An independent judge: logs as bytes, each with an identity, followed from step to step.

The rules describe the content of a log by lineage, and keep ghosts about messages. This observer
does neither. It sees where logs begin and end, gives every byte that a master appends an identity
of its own, carries identities along with frames, and keeps the bytes on disk as a set of offsets.
From that it computes the right value of each ghost and each claim. It uses no predicate of
``properties`` and no helper of the rules; it shares with them only names and the brokers' fields.

It judges groups without a controller, in logs of a few bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import define, field, frozen

from properties.language.healing import SEARCH_LIMITS
from properties.worlds.replication.guarantees import has_expired
from reference.language.machine import Action, Machine, probe
from reference.worlds.replication.state import (
    ANSWERED,
    PUT_OK,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE,
    Cluster,
    CommitLog,
)

Identity = int
"""The identity of a byte; appended bytes have distinct ones. Negative: bytes no master sent."""

POWER_LOSSES = ("lose_master_power", "lose_master_power_in_record", "lose_slave_power")

UNHEALING = (
    *("refuse_put", "discard_frame", "close_idle_connection"),
    *("expire_master_file", "expire_uncopied_master_file", "expire_slave_file"),
    *("begin_master_stop", "finish_master_stop", "begin_slave_stop", "finish_slave_stop"),
    *("restart_master", "restart_master_without_blank", "restart_slave"),
)
"""Steps of brokers that a quiet group does not need: stops, starts, retention, refusals."""


@define
class ObservedLog:
    """The real content of a broker's commit log."""

    content: dict[int, Identity] = field(factory=dict)
    """Identity by offset, for the bytes in page cache or on disk."""
    on_disk: set[int] = field(factory=set)
    """The offsets that a power loss leaves."""
    unforced: set[int] = field(factory=set)
    """The offsets beyond the end where a cut has left bytes that are not on disk."""
    has_lost_files: bool = False
    """Retention or a full disk has once deleted a file of it."""
    has_revived: bool = False
    """Old bytes after a cut have once counted again: the model counts none of them as forced."""

    def cut(self, end: int) -> None:
        """Bytes from ``end`` on no longer count, although they stay in their file."""
        self.unforced |= {o for o in self.content if o >= end and o not in self.on_disk}
        self.content = {o: b for o, b in self.content.items() if o < end}
        self.on_disk = {o for o in self.on_disk if o < end}

    def begin_at(self, start: int) -> None:
        """Bytes below ``start`` are gone."""
        self.content = {o: b for o, b in self.content.items() if o >= start}
        self.on_disk = {o for o in self.on_disk if o >= start}

    def force(self, low: int, high: int) -> None:
        """The bytes from ``low`` up to ``high`` are written to the disk."""
        self.on_disk |= {offset for offset in self.content if low <= offset < high}
        self.unforced = {offset for offset in self.unforced if not low <= offset < high}

    def holds(self, content: Mapping[int, Identity]) -> bool:
        """The log has each of these bytes in its place."""
        return all(self.content.get(offset) == byte for offset, byte in content.items())

    def compute_disk_end(self, start: int) -> int:
        """The offset up to which everything from ``start`` on is on disk."""
        return next(o for o in itertools.count(start) if o not in self.on_disk)


@define
class ObservedMessage:
    """The observed state of a followed message."""

    content: dict[int, Identity]
    """Its bytes, by offset."""
    is_received: bool = False
    is_readable: bool = False
    has_expired: bool = False
    copies: int = 0
    """The number of times it was sent again."""


@frozen
class Disagreement:
    """A disagreement between the model and the bytes."""

    what: str
    """A ghost, a claim, or a bound of a fault."""
    model: Any
    bytes: Any

    def __str__(self) -> str:
        """One line."""
        return f"{self.what}: the model says {self.model}, the bytes say {self.bytes}"


class ByteObserver:
    """Follows one group from its first state on."""

    def __init__(self, cluster: Cluster) -> None:
        self.identities = itertools.count(1)
        self.unsent = itertools.count(-1, -1)
        self.master = ObservedLog()
        self.slaves = [ObservedLog() for _ in cluster.slaves]
        self.streams: list[dict[int, Identity]] = [{} for _ in cluster.slaves]
        self.messages: dict[int, ObservedMessage] = {}
        self.size = cluster.parameters.mapped_file_size_bytes

    def observe(self, before: Cluster, action: Action, after: Cluster) -> None:
        """Observe one step."""
        rule = action.rule_name
        self._force_to_disk(before, action)
        self._follow_frames(before, after)
        for index, observed in enumerate(self.slaves):
            self._follow_slave(index, observed, before, after, rule)
        self._follow_master(before.master.log, after.master.log, action)
        if rule == "append_message" and action.index is not None:
            put = after.messages[action.index]
            held = self.master.content
            content = {o: held[o] for o in range(put.start_offset, put.end_offset)}
            self.messages[action.index] = ObservedMessage(content)
        if rule == "send_again" and action.index is not None:
            self.messages[action.index].copies += 1
        self._note_messages(after)

    def _force_to_disk(self, before: Cluster, action: Action) -> None:
        """A flush forces one file, the one of ``flushedWhere``; an orderly stop forces the rest.

        If retention has deleted that file, neither forces anything.
        """
        rule = action.rule_name
        is_of_slave = rule in ("flush_slave", "finish_slave_stop") and action.index is not None
        broker = before.slaves[action.index or 0] if is_of_slave else before.master
        observed = self.slaves[action.index or 0] if is_of_slave else self.master
        log = broker.log
        position = max(log.flushed_offset, log.start_offset)
        base = position - position % self.size
        is_file_there = log.start_offset <= log.flushed_offset or log.flushed_offset == 0
        if rule in ("flush_master", "flush_slave", "flush_for_put") and is_file_there:
            observed.force(base, base + self.size)
        is_behind = log.flushed_offset < log.max_offset
        if rule in ("finish_master_stop", "finish_slave_stop") and is_file_there and is_behind:
            observed.force(base, log.max_offset)

    def _follow_frames(self, before: Cluster, after: Cluster) -> None:
        """The master hands to TCP the bytes that are in its log at that moment."""
        for index, (old, new) in enumerate(zip(before.links, after.links, strict=True)):
            if not new.is_open or old.next_transfer_offset < 0:
                self.streams[index] = {}
                continue
            sent = range(old.next_transfer_offset, new.next_transfer_offset)
            self.streams[index].update({o: self.master.content[o] for o in sent})

    def _follow_slave(
        self, index: int, observed: ObservedLog, before: Cluster, after: Cluster, rule: str
    ) -> None:
        old, new = before.slaves[index].log, after.slaves[index].log
        arrived = before.links[index].arrived_offset
        is_new = new.has_file and not old.has_file
        end = arrived - arrived % self.size if is_new else old.max_offset
        self._shorten(observed, old, new, rule)
        for count, offset in enumerate(range(end, new.max_offset)):
            is_written = rule in ("append_to_slave", "append_at_wrong_offset")
            stream = self.streams[index]
            byte = stream[arrived + count] if is_written else next(self.unsent)
            observed.content[offset] = byte

    def _follow_master(self, old: CommitLog, new: CommitLog, action: Action) -> None:
        rule, end = action.rule_name, old.max_offset
        if rule == "lose_master_power_in_record":
            end = self._find_torn(action.arguments["kept_offset"])
            self.master.cut(end)
        self._shorten(self.master, old, new, rule)
        for offset in range(end, new.max_offset):
            self.master.content[offset] = next(self.identities)
            if rule == "restart_master_with_stale_bytes":
                self.master.has_revived = True
                self.master.on_disk |= {offset} - self.master.unforced
        if rule in POWER_LOSSES and old is not new:
            self.master.on_disk = set(self.master.content)

    def _find_torn(self, kept: int) -> int:
        """The beginning of the record that a master's power loss tears, if it is followed."""
        torn = (m.content for m in self.messages.values() if kept in m.content)
        return next((min(c) for c in torn if self.master.holds(c)), kept)

    def _shorten(self, observed: ObservedLog, old: CommitLog, new: CommitLog, rule: str) -> None:
        """Cuts, retention, an empty disk; after a power loss only bytes on disk remain."""
        if new.has_file and new.start_offset > old.start_offset and old.has_file:
            observed.has_lost_files = True
            if rule.startswith("expire"):
                self._expire(observed, new.start_offset)
        if not new.has_file:
            observed.content, observed.on_disk, observed.unforced = {}, set(), set()
        observed.cut(max(new.max_offset, new.start_offset))
        observed.begin_at(new.start_offset)
        if old is not new and rule in POWER_LOSSES:
            observed.on_disk, observed.unforced = set(observed.content), set()

    def _expire(self, observed: ObservedLog, start: int) -> None:
        """Messages below a log's new start have been kept for the promised time."""
        for message in self.messages.values():
            first = min(message.content)
            is_held = observed.content.get(first) == message.content[first]
            message.has_expired |= is_held and first < start

    def _note_messages(self, after: Cluster) -> None:
        """Messages that slaves have received so far, and those that consumers could have read."""
        dispatched = after.master.log.dispatched_offset
        for message in self.messages.values():
            message.is_received |= any(s.holds(message.content) for s in self.slaves)
            is_dispatched = max(message.content) < dispatched
            message.is_readable |= is_dispatched and self.master.holds(message.content)

    def compare(self, cluster: Cluster, machine: Machine, claims: Mapping[str, Any]) -> list[str]:
        """The disagreements between the model and the bytes in this state, a line each.

        ``claims`` are predicates by name. If a log has unknown bytes the model may only be more
        cautious: whatever it claims to hold must hold.
        """
        found = [*self._compare_ghosts(cluster), *self._compare_power_losses(cluster, machine)]
        logs = (cluster.master.log, *(s.log for s in cluster.slaves))
        is_known = all(log.ghost_unknown_below_offset <= log.start_offset for log in logs)
        expected = dict(self._judge(cluster))
        if self._is_quiet(cluster, machine):
            expected |= dict(self._judge_rest(cluster))
        for name, holds in expected.items():
            said = bool(claims[name](cluster))
            if said != holds and (is_known or said):
                found.append(Disagreement(name, said, holds))
        return [str(each) for each in found]

    def _compare_ghosts(self, cluster: Cluster) -> Iterator[Disagreement]:
        for index, message in self.messages.items():
            put = cluster.messages[index]
            # What a slave has after a failed write is unknown; in the model it never expires.
            is_known = not cluster.faults.swallowed_disk_errors
            if has_expired(put) > message.has_expired or (
                is_known and has_expired(put) != message.has_expired
            ):
                yield Disagreement(f"messages.{index}.has_expired", has_expired(put), message)
            for ghost in ("is_received", "is_readable"):
                said, seen = bool(getattr(put, f"ghost_{ghost}")), getattr(message, ghost)
                if said != seen and not (ghost == "is_received" and seen):
                    yield Disagreement(f"messages.{index}.ghost_{ghost}", said, seen)
            if put.ghost_copies != message.copies:
                yield Disagreement(f"messages.{index}.ghost_copies", put.ghost_copies, message)
        for name, log, observed in self._list_logs(cluster):
            durable, end = log.ghost_durable_offset, observed.compute_disk_end(log.start_offset)
            is_cautious = observed.has_lost_files or observed.has_revived
            if durable > end or (durable < end and not is_cautious):
                yield Disagreement(f"{name}.ghost_durable_offset", durable, end)

    def _list_logs(self, cluster: Cluster) -> Iterator[tuple[str, CommitLog, ObservedLog]]:
        yield "master", cluster.master.log, self.master
        for index, slave in enumerate(cluster.slaves):
            yield f"slaves.{index}", slave.log, self.slaves[index]

    def _compare_power_losses(self, cluster: Cluster, machine: Machine) -> Iterator[Disagreement]:
        """A power loss may take anything that is not on disk, and may take nothing."""
        named = {"master": "lose_master_power"}
        named |= {f"slaves.{i}": f"lose_slave_power[{i}]" for i in range(len(self.slaves))}
        for name, log, observed in self._list_logs(cluster):
            instance = machine.instances.get(named[name])
            failed, ranges = probe(instance, cluster) if instance else (["is_missing"], ())
            if not failed:
                (kept,) = ranges
                lowest = observed.compute_disk_end(log.start_offset)
                if kept.low > lowest or kept.high != log.max_offset:
                    may = (lowest, log.max_offset)
                    yield Disagreement(f"{named[name]}.kept_offset", (kept.low, kept.high), may)

    def _judge(self, cluster: Cluster) -> Iterator[tuple[str, bool]]:
        """Every guarantee, judged by the bytes."""
        owed = [m for m in self._list_acknowledged(cluster) if not m.has_expired]
        read = [m for m in self.messages.values() if m.is_readable and not m.has_expired]
        on_master = self.master.holds
        yield "acknowledged_is_kept_on_master", all(on_master(m.content) for m in owed)
        yield "acknowledged_is_kept_on_some_broker", all(map(self._is_somewhere, owed))
        is_twice = (on_master(m.content) and self._is_on_slave(m) for m in owed)
        yield "acknowledged_is_held_twice", all(is_twice)
        yield "acknowledgement_is_truthful", all(m.is_received for m in owed)
        yield "read_is_kept_on_master", all(on_master(m.content) for m in read)
        yield "read_is_kept_on_some_broker", all(map(self._is_somewhere, read))
        is_once = (m.copies == 0 or not on_master(m.content) for m in self.messages.values())
        yield "message_is_stored_once", all(is_once)
        equal = [self._is_equal(slave) for slave in self.slaves]
        yield "equal_offsets_mean_equal_bytes", all(equal)
        end = cluster.master.log.max_offset
        is_short = [s.log.max_offset <= end for s in cluster.slaves]
        yield "slave_is_prefix_of_master", all(equal) and all(is_short)

    def _judge_rest(self, cluster: Cluster) -> Iterator[tuple[str, bool]]:
        """Every convergence claim about a group that is at rest as a whole, judged by the bytes."""
        end = cluster.master.log.max_offset
        logs = [log for _, log, _ in self._list_logs(cluster)]
        yield "slaves_reach_the_masters_end", all(s.log.max_offset == end for s in cluster.slaves)
        wanted = [
            m for m in self.messages.values() if self.master.holds(m.content) and not m.has_expired
        ]
        is_held = (s.holds(m.content) for m in wanted for s in self.slaves)
        yield "slaves_come_to_hold_everything", all(is_held)
        is_dispatched = (
            log.dispatched_offset == log.max_offset or log.max_offset < end for log in logs
        )
        yield "dispatch_reaches_the_end", all(is_dispatched)
        yield "flush_reaches_the_end", all(log.flushed_offset == log.max_offset for log in logs)
        is_waiting = (WAITS_FOR_DISK <= m.phase <= WAITS_FOR_SLAVE for m in cluster.messages)
        yield "puts_are_answered", not any(is_waiting)

    def _list_acknowledged(self, cluster: Cluster) -> Iterator[ObservedMessage]:
        for index, message in self.messages.items():
            put = cluster.messages[index]
            if put.phase == ANSWERED and put.status == PUT_OK and put.waits_for_store:
                yield message

    def _is_on_slave(self, message: ObservedMessage) -> bool:
        return any(slave.holds(message.content) for slave in self.slaves)

    def _is_somewhere(self, message: ObservedMessage) -> bool:
        return self.master.holds(message.content) or self._is_on_slave(message)

    def _is_equal(self, slave: ObservedLog) -> bool:
        common = slave.content.keys() & self.master.content.keys()
        return all(slave.content[offset] == self.master.content[offset] for offset in common)

    def _is_quiet(self, cluster: Cluster, machine: Machine) -> bool:
        """Every broker runs, and none has a step left."""
        brokers: tuple[Any, ...] = (cluster.master, *cluster.slaves)
        if not all(b.is_up and not b.is_stopping for b in brokers):
            return False
        for instance in machine.instances.values():
            rule = instance.rule
            if rule.who in ("master", "slave") and rule.name not in UNHEALING:
                failed, _ = probe(instance, cluster)
                if not set(failed) - set(SEARCH_LIMITS):
                    return False
        return True


def compare_along(
    machine: Machine, claims: Mapping[str, Any], states: Iterable[tuple[Action | None, Cluster]]
) -> str:
    """The first disagreement along a schedule from the first state on, with the steps to it.

    Empty if there is none. ``states`` are pairs of a step and the state after it; the first pair
    has no step.
    """
    steps: list[Action] = []
    observer: ByteObserver | None = None
    before: Cluster | None = None
    for action, cluster in states:
        if action is None or before is None or observer is None:
            observer = ByteObserver(cluster)
        else:
            steps.append(action)
            observer.observe(before, action, cluster)
        if found := observer.compare(cluster, machine, claims):
            return f"{found[0]}, after: {'; '.join(map(str, steps))}"
        before = cluster
    return ""
