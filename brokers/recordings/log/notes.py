"""What a recording has shown so far that a state of replication does not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve, field, frozen

from brokers.recordings.log.seen import ShownFacts
from brokers.recordings.view import Displaced
from reference.language.compiled import State


@frozen(cache_hash=True)
class LinkNotes:
    """One replication link as its proxy has seen it."""

    connection: int = 0
    """The number of its latest connection; 0 before the first."""
    is_recorded: bool = False
    """The proxy shows what goes over it."""
    is_connection_recorded: bool = False
    """The proxy shows when it is opened and closed."""
    reports: tuple[int, ...] = ()
    """Reports that were forwarded and that the master has not read yet."""
    are_reports_late: bool = False
    """The proxy has held back reports, and has not forwarded the latest one since."""
    are_frames_held: bool = False
    """The proxy holds back what the master sends."""
    position: int = -1
    """Where the master would have sent from when the latest connection ended; -1 for nowhere."""
    ended: State | None = field(default=None, eq=False)
    """The state in which the latest connection ended; None while none has."""
    sent: int = 0
    """How many of the connection's frames with a body the master has sent."""
    forwarded: int = 0
    """How many of them the proxy has forwarded."""
    taken: int = 0
    """How many of them the slave has taken."""
    late_point: int = -1
    """Where the slave has yet to truncate its log, having been told so; -1 for nowhere."""
    displaced: Displaced | None = None
    """What the slave has stored at a foreign offset."""


@frozen(cache_hash=True)
class CountedConnection:
    """A connection that the master counts."""

    slave: int
    opened_ms: float = field(default=0.0, eq=False)
    """When it was opened; a listening socket hands connections over in that order."""
    known: tuple[int, int, int] | None = None
    """What the master knew of it when it ended: the offset asked for, the latest report, and where
    it sent from; None while it is alive."""
    unread: tuple[int, ...] = ()
    """Reports that it may have read after that."""


@frozen(cache_hash=True)
class Notes:
    """What the explanation remembers from event to event."""

    wires: tuple[LinkNotes, ...]
    process: int = 0
    """The number of the master's present process."""
    next_put: int = 0
    """The number of the recorded put that is appended next."""
    begun: frozenset[int] = frozenset()
    """The numbers of the puts that were called and are not appended yet."""
    slots: tuple[int, ...] = ()
    """By followed message of the state, in order: the number of its put."""
    waits: tuple[int, ...] = ()
    """The numbers of the puts for which the group transfer has waited a second, once for each."""
    granted: frozenset[tuple[str, ...]] = frozenset()
    """Steps that an event has announced and that may be taken from then on: of each the instances,
    one of which fires."""
    connections: tuple[CountedConnection, ...] = ()
    """Those that the master counts, and dead ones that it may have ceased to count, in the order
    in which it has accepted them."""
    seen: ShownFacts = field(factory=ShownFacts, eq=False)
    """What was shown that no step asks for."""

    def grant(self, *names: str) -> Notes:
        """With one more step announced, which any of these instances is."""
        return evolve(self, granted=self.granted | {names})

    def is_granted(self, name: str) -> bool:
        """An event has announced such a step."""
        return any(name in names for names in self.granted)

    def spend(self, *spent: str) -> Notes:
        """Without the announcements of steps that are taken, or that cannot be taken any more."""
        if not any(self.is_granted(name) for name in spent):
            return self
        left = (names for names in self.granted if set(names).isdisjoint(spent))
        return evolve(self, granted=frozenset(left))

    def accept(self, slave: int, opened_ms: float) -> Notes:
        """With one more connection, behind those that were opened before it."""
        before = [each for each in self.connections if each.opened_ms <= opened_ms]
        behind = [each for each in self.connections if each.opened_ms > opened_ms]
        return evolve(self, connections=(*before, CountedConnection(slave, opened_ms), *behind))

    def bury(self, dead: CountedConnection) -> Notes:
        """With the live connection of a slave dead."""
        found = tuple(
            evolve(dead, opened_ms=each.opened_ms)
            if each.slave == dead.slave and each.known is None
            else each
            for each in self.connections
        )
        return evolve(self, connections=found)

    def read_late(self, slave: int, offset: int) -> Notes:
        """With one report more that the master may read of the slave's dead connections."""
        found = tuple(
            evolve(each, unread=(*each.unread, offset))
            if each.slave == slave and each.known is not None
            else each
            for each in self.connections
        )
        return evolve(self, connections=found)

    def forget_dead(self) -> Notes:
        """With the live connections only."""
        return evolve(self, connections=tuple(e for e in self.connections if e.known is None))

    def see(self, change: Callable[[ShownFacts], ShownFacts]) -> Notes:
        """With more that was shown."""
        return evolve(self, seen=change(self.seen))

    def change_wire(self, slave: int, **changes: Any) -> Notes:
        """With one link changed."""
        wire = evolve(self.wires[slave], **changes)
        return evolve(self, wires=(*self.wires[:slave], wire, *self.wires[slave + 1 :]))
