"""What a recording has shown so far that a state of replication does not hold."""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen


@frozen(cache_hash=True)
class Wire:
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
    sent: int = 0
    """How many of the connection's frames with a body the master has sent."""
    forwarded: int = 0
    """How many of them the proxy has forwarded."""
    taken: int = 0
    """How many of them the slave has taken."""


@frozen(cache_hash=True)
class Notes:
    """What the explanation remembers from event to event."""

    wires: tuple[Wire, ...]
    process: int = 0
    """The number of the master's present process."""
    next_put: int = 0
    """The number of the recorded put that is appended next."""
    begun: frozenset[int] = frozenset()
    """The numbers of the puts that were called and are not appended yet."""
    slots: tuple[int, ...] = ()
    """By followed message of the state, in order: the number of its put."""
    granted: frozenset[tuple[str, ...]] = frozenset()
    """Steps that an event has announced and that may be taken from then on: of each the instances,
    one of which fires."""

    def grant(self, *names: str) -> Notes:
        """With one more step announced, which any of these instances is."""
        return evolve(self, granted=self.granted | {names})

    def is_granted(self, name: str) -> bool:
        """An event has announced such a step."""
        return any(name in names for names in self.granted)

    def spend(self, name: str) -> Notes:
        """Without the announcement of a step that is taken, or that cannot be taken any more."""
        if not self.granted or not self.is_granted(name):
            return self
        left = frozenset(names for names in self.granted if name not in names)
        return evolve(self, granted=left)

    def change_wire(self, slave: int, **changes: Any) -> Notes:
        """With one link changed."""
        wire = evolve(self.wires[slave], **changes)
        return evolve(self, wires=(*self.wires[:slave], wire, *self.wires[slave + 1 :]))
