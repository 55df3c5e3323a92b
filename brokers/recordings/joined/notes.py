"""What a recording has shown so far that a state of the joined system does not hold."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen


@frozen(cache_hash=True)
class Put:
    """A message in the master's log, as far as the recording tells of it."""

    end_offset: int
    """One past its last byte in the log."""
    is_of_queue: bool | None
    """It is one of the queue that is looked at; None where nobody saw which queue it is of."""


@frozen(cache_hash=True)
class Shown:
    """An append that an event shows."""

    instance: str
    """The rule instance that it is."""
    is_of_queue: bool
    size_bytes: int
    start_offset: int | None = None
    """Where it begins in the log; None where that is not shown."""


@frozen(cache_hash=True)
class Notes:
    """What the explanation remembers from event to event."""

    puts: tuple[Put, ...] = ()
    """All messages of the master's log, in their order."""
    kept: tuple[Put, ...] = ()
    """The messages that the slave's log had when the brokers changed their parts."""
    kept_end: int = 0
    """Where its log ended then; what it has got since is its master's."""
    delayed: int = 0
    """How many delayed messages were put: a new master may deliver each of them once more."""
    owed: tuple[bool | None, ...] = ()
    """Messages that the broker puts by itself sooner or later: `Put.is_of_queue` of each."""
    shown_put: Shown | None = None
    """The append that the present event shows."""
    shown_commit: tuple[str, int] | None = None
    """The commit that it shows: the leaf with the progress that it brings, and its value."""

    @property
    def slave_puts(self) -> tuple[Put, ...]:
        """All messages that the slave's log may have, in their order."""
        if not self.kept_end:
            return self.puts
        return (*self.kept, *(put for put in self.puts if put.end_offset > self.kept_end))

    def change_parts(self, master_end: int, slave_end: int) -> Notes:
        """The same once the brokers have changed their parts; where their logs end."""
        return evolve(
            self,
            puts=tuple(put for put in self.slave_puts if put.end_offset <= slave_end),
            kept=self.puts,
            kept_end=master_end,
            owed=(None,) * self.delayed,
        )


def count_puts(puts: Iterable[Put], offset: int) -> tuple[int, int]:
    """How many messages of the queue lie wholly below an offset: at least, and at most."""
    below = [put.is_of_queue for put in puts if put.end_offset <= offset]
    known = below.count(True)
    return known, known + below.count(None)
