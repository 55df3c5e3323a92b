"""A broker's store: its process, its flush, its dispatch, and what it shows of itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from tests.reference.recordings.simulation import timing
from tests.reference.recordings.simulation.kernel import (
    MASTER,
    Kernel,
    Process,
    name_instance,
    name_log,
)

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group


@define(eq=False)
class Broker:
    """A master or a slave."""

    group: Group
    number: int
    """MASTER, or which slave."""
    name: str
    process: Process = field(factory=lambda: Process(is_alive=False))
    """Its latest process."""
    is_up: bool = False
    """Its start has returned, and nobody has begun to end it."""
    _is_shown: bool = False
    """Somebody is reading its counters."""
    _is_dispatch_due: bool = False
    _is_flush_due: bool = False
    _thorough_ms: float = 0.0

    @property
    def kernel(self) -> Kernel:
        """The clock and the state."""
        return self.group.kernel

    def get(self, name: str) -> int:
        """A leaf of its log."""
        return self.kernel.get(f"{name_log(self.number)}.{name}")

    def get_max(self) -> int:
        """``CommitLog#getMaxOffset``."""
        return self.group.ledger.get_max(self.number)

    def begin(self) -> None:
        """A process has loaded its store; its services run."""
        self.process = Process()
        self._is_dispatch_due = self._is_flush_due = self._is_shown = False
        self._thorough_ms = self.kernel.now_ms
        if self.group.is_sync_flush:
            if self.number != MASTER:
                self.flush_each_tick()
        else:
            self.flush_each_interval()

    def poke(self) -> None:
        """Bytes were appended: dispatch finds them within its round."""
        if not self._is_dispatch_due:
            self._is_dispatch_due = True
            delay_ms = self.kernel.chance.uniform(0.05, timing.DISPATCH_MS + 0.2)
            self.kernel.after(delay_ms, self.dispatch, self.process)

    def dispatch(self) -> None:
        """``ReputMessageService#doReput``: all whole records that it may dispatch."""
        self._is_dispatch_due = False
        name = name_instance("dispatch_WHO", self.number)
        ranges = self.kernel.find_ranges(name)
        if ranges is None:
            return
        ((low, high),) = ranges
        begin = max(self.get("dispatched_offset"), self.get("start_offset"))
        ends = [r.end for r in self.group.ledger.list_records(self.number, begin) if r.end <= high]
        if ends and ends[-1] >= low:
            self.kernel.fire(name, dispatched_offset=ends[-1])

    def wake_flush(self) -> None:
        """``FlushRealTimeService``: a put wakes it, where it does not sleep its whole interval."""
        if not self.group.habits.is_flush_timed and not self._is_flush_due:
            self._is_flush_due = True
            self.kernel.after("wake", self.flush_pages, self.process)

    def flush_each_interval(self) -> None:
        """``FlushRealTimeService#run``: every half second, and then again."""
        self.flush_pages()
        delay_ms = timing.FLUSH_INTERVAL_MS + self.kernel.draw_ms("wake")
        self.kernel.after(delay_ms, self.flush_each_interval, self.process)

    def flush_each_tick(self) -> None:
        """``GroupCommitService#run`` of a slave: nobody asks, so all is flushed at each tick."""
        self.flush()
        delay_ms = timing.GROUP_COMMIT_MS + self.kernel.draw_ms("force")
        self.kernel.after(delay_ms, self.flush_each_tick, self.process)

    def flush_pages(self) -> None:
        """``MappedFile#isAbleToFlush``: full files, some pages, or all of it now and then."""
        self._is_flush_due = False
        is_thorough = self.kernel.now_ms - self._thorough_ms >= timing.FLUSH_THOROUGH_MS
        if is_thorough:
            self._thorough_ms = self.kernel.now_ms
        flushed, end = max(self.get("flushed_offset"), self.get("start_offset")), self.get_max()
        base = flushed - flushed % self.group.scenario.file_bytes
        pages = (end - base) // timing.PAGE_BYTES - (flushed - base) // timing.PAGE_BYTES
        is_full = end - base >= self.group.scenario.file_bytes
        if is_thorough or is_full or pages >= timing.FLUSH_LEAST_PAGES:
            self.kernel.after("force", self.flush, self.process)
        elif self.kernel.try_to(name_instance("flush_WHO_too_few_pages", self.number)):
            self.poke()

    def flush(self) -> None:
        """One file is forced to disk, if anything of it is not."""
        if self.kernel.try_to(name_instance("flush_WHO", self.number)):
            self.poke()

    def list_counters(self) -> dict[str, Callable[[], Any]]:
        """What it shows, in the order in which a recorder reads it."""
        shown: dict[str, Callable[[], Any]] = {
            "max_offset": self.get_max,
            "flushed_offset": lambda: self.get("flushed_offset"),
            "min_offset": lambda: self.get("start_offset") if self.get("has_file") else -1,
            "mapped_files": self.count_files,
            "dispatched_offset": lambda: self.get("dispatched_offset"),
        }
        if self.number == MASTER:
            return {**shown, **self.group.ha.list_counters()}
        return {**shown, **self.group.clients[self.number].list_counters()}

    def count_files(self) -> int:
        """The files of its log."""
        if not self.get("has_file"):
            return 0
        size = self.group.scenario.file_bytes
        return (self.get("last_file_offset") - self.get("start_offset")) // size + 1

    def show(self, kind: str, **more: Any) -> None:
        """Somebody reads its counters, one after another, and notes them."""
        if self._is_shown:
            return
        self._is_shown = True
        read: dict[str, Any] = {}
        waiting = list(self.list_counters().items())

        def read_next() -> None:
            name, look = waiting.pop(0)
            read[name] = look()
            if waiting:
                self.kernel.after("look", read_next, self.process)
            else:
                self._is_shown = False
                self.group.write(self.name, kind, node=self.name, **more, **read)

        read_next()
