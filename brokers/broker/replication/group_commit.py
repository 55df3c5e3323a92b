"""``GroupCommitService`` of a master that flushes synchronously, and what wakes its other flush."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from attrs import define, field

from brokers.broker.replication.followed_puts import FollowedPuts, PendingPut


@define(eq=False, repr=False)
class GroupCommit:
    """Puts that wait for the disk, in their order."""

    puts: FollowedPuts
    advance: Callable[[PendingPut], None]
    """Takes a put to its next wait, or to its answer."""
    requests: deque[PendingPut] = field(factory=deque)
    _is_busy: bool = False

    def notice(self, put: PendingPut) -> None:
        """A put is in the log."""
        if not self.puts.settings.is_sync_flush:
            self.puts.store.wake_flush()

    def ask(self, put: PendingPut) -> None:
        """A put waits for the disk."""
        self.requests.append(put)
        self.puts.host.after(0.0, self._serve)

    def _serve(self) -> None:
        """``doCommit``: all requests that are there, one after another."""
        if self._is_busy or self.puts.is_over:
            return
        self._is_busy = True
        while self.requests:
            self._look(self.requests.popleft())
        self._is_busy = False

    def _look(self, put: PendingPut) -> None:
        """Twice: is it flushed? If not, flush one file."""
        puts = self.puts
        if put.is_answered:
            return
        while puts.rules.try_to(puts.name(put, "flush_for_put")):
            ruled = puts.rules.get("master.log.flushed_offset")
            puts.store.flush()
            puts.store.agree_on_flush(ruled)
        names = ("answer_disk_wait", "give_up_disk_wait", "time_out_disk_wait")
        puts.rules.fire_first(*(puts.name(put, name) for name in names))
        self.advance(put)
