"""``GroupCommitService`` of a master that flushes synchronously, and what wakes its other flush."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from tests.reference.recordings.simulation import timing
from tests.reference.recordings.simulation.puts import Put

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group


@define(eq=False)
class Disk:
    """The flush of one process of the master."""

    group: Group
    requests: list[Put] = field(factory=list)
    _is_busy: bool = False

    def begin(self) -> None:
        """A process of the master begins."""
        self.requests, self._is_busy = [], False
        if self.group.is_sync_flush:
            self._tick()

    def notice(self, put: Put) -> None:
        """A put is in the log."""
        if not self.group.is_sync_flush:
            self.group.master.wake_flush()
        elif self.group.habits.are_waits_at_once or not put.waits_for_store:
            self.group.kernel.after("wake", self._serve, put.process)

    def ask(self, put: Put) -> None:
        """A put waits for the disk."""
        self.requests.append(put)
        self.group.kernel.after("wake", self._serve, put.process)

    def _tick(self) -> None:
        self._serve()
        delay_ms = timing.GROUP_COMMIT_MS + self.group.kernel.draw_ms("wake")
        self.group.kernel.after(delay_ms, self._tick, self.group.master.process)

    def _serve(self) -> None:
        """``doCommit``: the next request, or once for nobody."""
        if self._is_busy:
            return
        if self.requests:
            self._is_busy = True
            self._look(self.requests.pop(0))
        elif self.group.kernel.can("flush_master"):
            self._is_busy = True
            self.group.kernel.after("force", self._flush_idly, self.group.master.process)

    def _flush_idly(self) -> None:
        self._is_busy = False
        self.group.master.flush()
        self._serve()

    def _look(self, put: Put) -> None:
        """Twice: is it flushed? If not, flush one file."""
        kernel = self.group.kernel
        if kernel.can(put.name("flush_for_put")):
            kernel.after("force", lambda: self._flush_for(put), put.process)
            return
        names = ("answer_disk_wait", "give_up_disk_wait", "time_out_disk_wait")
        kernel.fire_first(*(put.name(name) for name in names))
        self._is_busy = False
        put.producer.advance(put)
        self._serve()

    def _flush_for(self, put: Put) -> None:
        self.group.kernel.try_to(put.name("flush_for_put"))
        self.group.master.poke()
        self._look(put)
