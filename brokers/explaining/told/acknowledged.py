"""The puts that were answered PUT_OK: what became of them, and what could have.

The state keeps which bytes each log holds and which of them are on a disk (its ghost fields), so an
explanation knows more than any broker: whether a slave had a message when its producer was told so,
when the last copy of a message was lost, and how many messages only one broker had. As hidden steps
are taken as early as the recording allows, brokers hold at least no more than told here.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.put import has_slave_wait
from reference.worlds.replication.state import ANSWERED, PUT_OK, Cluster, CommitLog, Message


@frozen
class AnsweredPut:
    """A put that was answered PUT_OK."""

    seq: int
    """Of its event."""
    message: Message = field(repr=False)
    """When it was answered."""
    is_unreceived: bool = False
    """The master is to wait for slaves, and none had ever held all of the message."""

    @property
    def size_bytes(self) -> int:
        """Of its message."""
        return self.message.end_offset - self.message.start_offset


def find_answered(cluster: Cluster, slot: int, seq: int) -> AnsweredPut | None:
    """The put of a followed message, if it was answered PUT_OK."""
    message = cluster.messages[slot]
    if message.phase != ANSWERED or message.status != PUT_OK:
        return None
    has_wait = bool(has_slave_wait(cluster, message))
    return AnsweredPut(seq, message, has_wait and not message.ghost_is_received)


@frozen
class AtRisk:
    """Acknowledged messages that one event would have lost."""

    seq: int
    """The event behind which it was so."""
    puts: int
    size_bytes: int


@frozen
class Acknowledgements:
    """What became of the acknowledged puts of a group."""

    puts: int = 0
    """How many there were."""
    unreceived: tuple[int, ...] = ()
    """``seq`` of those that a synchronous master answered although no slave had ever had them: the
    answer was false, or a SyncStateSet of the master alone let it be given."""
    lost: tuple[tuple[int, int], ...] = ()
    """``seq`` of each that no broker holds any more, and of the event behind which it was so."""
    on_master_alone: AtRisk | None = None
    """The most bytes that no slave held: a loss of the master's disk would have lost them."""
    in_memory_alone: AtRisk | None = None
    """The most of these that were not on the master's disk: a loss of its power would have."""

    def as_json(self) -> dict[str, Any]:
        """The same for other programs."""
        risks = {"on_master_alone": self.on_master_alone, "in_memory_alone": self.in_memory_alone}
        return {
            "puts": self.puts,
            "unreceived": list(self.unreceived),
            "lost": [{"seq": seq, "lost_at_seq": at} for seq, at in self.lost],
            **{
                name: None
                if risk is None
                else {"seq": risk.seq, "puts": risk.puts, "bytes": risk.size_bytes}
                for name, risk in risks.items()
            },
        }


@define
class Waiting:
    """Puts whose messages some place does not have yet."""

    puts: list[AnsweredPut] = field(factory=list)
    """Those that no log of it has come to, the last ones first."""
    missing: list[AnsweredPut] = field(factory=list)
    """Those that one log has come to, without their bytes, and another may still bring."""
    gone: int = 0
    """How many all logs have passed, without their bytes."""
    size_bytes: int = 0

    def add(self, put: AnsweredPut) -> None:
        """One more."""
        insort(self.puts, put, key=lambda each: -each.message.end_offset)
        self.size_bytes += put.size_bytes

    def look(self, ends: Sequence[int], has: Callable[[Message], bool]) -> None:
        """Logs have come to these offsets; whether one has a message."""
        while self.puts and self.puts[-1].message.end_offset <= max(ends):
            self.missing.append(self.puts.pop())
        left = [put for put in self.missing if not has(put.message)]
        self.size_bytes -= sum(p.size_bytes for p in self.missing) - sum(p.size_bytes for p in left)
        self.missing = [put for put in left if put.message.end_offset > min(ends)]
        self.gone += len(left) - len(self.missing)

    def tell_worst(self, before: AtRisk | None, seq: int) -> AtRisk | None:
        """The larger of what is waiting and what was before."""
        if not self.size_bytes or (before is not None and before.size_bytes >= self.size_bytes):
            return before
        return AtRisk(seq, len(self.puts) + len(self.missing) + self.gone, self.size_bytes)


@define(eq=False)
class AcknowledgedPuts:
    """Follows the acknowledged puts of a group from event to event."""

    kept: list[AnsweredPut] = field(factory=list)
    """Those that are held somewhere and have not expired."""
    unsent: Waiting = field(factory=Waiting)
    """Those that no slave has."""
    unwritten: Waiting = field(factory=Waiting)
    """Those that are on no slave and not on the master's disk."""
    ends: tuple[Any, ...] = ()
    """Of the logs, and where they begin, when it was looked last."""
    told: Acknowledgements = Acknowledgements()

    def look(self, cluster: Cluster, answered: Sequence[AnsweredPut], seq: int) -> None:
        """The state behind an event, and the puts that were answered by then."""
        self.told = evolve(
            self.told,
            puts=self.told.puts + len(answered),
            unreceived=(*self.told.unreceived, *(p.seq for p in answered if p.is_unreceived)),
        )
        for put in answered:
            self.kept.append(put)
            self.unsent.add(put)
            self.unwritten.add(put)
        ends = tuple(map(summarize, list_logs(cluster)))
        if any(is_cut(*each) for each in zip(self.ends, ends, strict=False)):
            self.look_at_all(cluster, seq)
        self.ends = ends
        copied = [slave.log.max_offset for slave in cluster.slaves]
        self.unsent.look(copied or [0], lambda message: is_on_a_slave(cluster, message))
        written = [*copied, cluster.master.log.ghost_durable_offset]
        self.unwritten.look(written, lambda message: is_safe(cluster, message))
        self.told = evolve(
            self.told,
            on_master_alone=self.unsent.tell_worst(self.told.on_master_alone, seq),
            in_memory_alone=self.unwritten.tell_worst(self.told.in_memory_alone, seq),
        )

    def look_at_all(self, cluster: Cluster, seq: int) -> None:
        """A log has lost bytes: which messages are left, and where."""
        begin = cluster.master.log.start_offset
        owed = [put for put in self.kept if put.message.start_offset >= begin]
        self.kept = [put for put in owed if is_held(cluster, put.message)]
        lost = [put for put in owed if not is_held(cluster, put.message)]
        self.told = evolve(self.told, lost=(*self.told.lost, *((put.seq, seq) for put in lost)))
        self.unsent, self.unwritten = Waiting(), Waiting()
        for put in self.kept:
            self.unsent.add(put)
            self.unwritten.add(put)


def list_logs(cluster: Cluster) -> Iterator[CommitLog]:
    """The master's, then the slaves'."""
    yield cluster.master.log
    yield from (slave.log for slave in cluster.slaves)


def summarize(log: CommitLog) -> tuple[int, int, tuple[int, ...]]:
    """Where a log begins and ends, and what a recovery has put in place of its bytes."""
    return log.start_offset, log.ghost_torn_end_offset, log.ends


def is_cut(before: tuple[int, int, tuple[int, ...]], after: tuple[int, int, Any]) -> bool:
    """Bytes of a log are gone."""
    shorter = any(end < old for old, end in zip(before[2], after[2], strict=True))
    return shorter or after[:2] != before[:2]


def is_on_a_slave(cluster: Cluster, message: Message) -> bool:
    """Some slave's log has the message."""
    return any(has_message(slave.log, message) for slave in cluster.slaves)


def is_safe(cluster: Cluster, message: Message) -> bool:
    """A loss of the master's power takes the message from no broker that had it alone."""
    is_written = message.end_offset <= cluster.master.log.ghost_durable_offset
    return is_written or is_on_a_slave(cluster, message)


def is_held(cluster: Cluster, message: Message) -> bool:
    """Some broker has the message."""
    return has_message(cluster.master.log, message) or is_on_a_slave(cluster, message)
