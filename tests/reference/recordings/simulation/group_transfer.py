"""``HAService.GroupTransferService``: one thread serves all puts that wait for a slave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from tests.reference.recordings.simulation import timing
from tests.reference.recordings.simulation.puts import Put

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group


@define(eq=False)
class GroupTransfer:
    """The line of one process of the master."""

    group: Group
    line: list[Put] = field(factory=list)
    _served: Put | None = None
    _waits: int = 0
    """How often it has waited for the put that it serves."""
    _turn: int = 0
    """Raised by each end of a wait: what was to end it otherwise is stale."""
    _is_waiting: bool = False
    _is_notified: bool = False
    """A report came while it was not waiting (``hasNotified``)."""

    def begin(self) -> None:
        """A process of the master begins."""
        self.line, self._served, self._is_waiting, self._is_notified = [], None, False, False
        self._turn += 1

    def ask(self, put: Put) -> None:
        """A put waits for a slave; where it has a clock of its own, that begins."""
        kernel, habits = self.group.kernel, self.group.habits
        self.line.append(put)
        if not habits.is_answered_in_line:
            timeout_ms = self.group.scenario.flush_timeout_ms + kernel.draw_ms("wake")
            kernel.after(timeout_ms, lambda: self._time_out(put), put.process)
        kernel.after("wake", self._serve, put.process)

    def notify(self) -> None:
        """A report has raised ``push2SlaveMaxOffset``, or is one that may count otherwise."""
        if not self._is_waiting:
            self._is_notified = True
            return
        turn = self._turn
        self.group.kernel.after(
            "wake", lambda: self._end_wait(turn, is_woken=True), self.group.master.process
        )

    def _time_out(self, put: Put) -> None:
        """``GroupCommitRequest#waitForFlush``: the put's own thread has waited long enough."""
        if not put.is_answered:
            self.group.kernel.fire(put.name("time_out_slave_wait"))
            put.producer.advance(put)

    def _serve(self) -> None:
        if self._served is None and self.line and self.group.master.process.is_serving:
            self._served, self._waits = self.line.pop(0), 0
            self._look()

    def _look(self) -> None:
        """``doWaitTransfer``: reported, waited long enough, or one wait more."""
        put = self._served
        assert put is not None
        if self.group.habits.is_answered_in_line:
            is_over = self._end_by_deadline(put)
        else:
            is_over = self._end_by_waits(put)
        if not is_over:
            self._wait()
            return
        self._served = None
        if not put.is_answered:
            put.producer.advance(put)
        self.group.kernel.after("step", self._serve, put.process)

    def _end_by_deadline(self, put: Put) -> bool:
        kernel = self.group.kernel
        is_late = kernel.now_ms >= put.begin_ms + self.group.slave_timeout_ms
        names = [put.name("answer_slave_wait")]
        if is_late:
            names.append(put.name("time_out_slave_wait"))
        if is_late and self.group.habits.is_deadline_first:
            names.reverse()
        return any(kernel.try_to(name) for name in names)

    def _end_by_waits(self, put: Put) -> bool:
        """Of a put that has timed out by itself the request stays in the line."""
        kernel = self.group.kernel
        if put.is_answered:
            is_reported = kernel.get("master.push2_slave_max_offset") >= put.end_offset
            return is_reported or self._waits >= timing.TRANSFER_WAITS_MAX
        if kernel.try_to(put.name("answer_slave_wait")):
            return True
        is_used_up = self._waits >= timing.TRANSFER_WAITS_MAX
        return is_used_up and kernel.try_to(put.name("give_up_slave_wait"))

    def _wait(self) -> None:
        """``WaitNotifyObject#waitForRunning``: a second, or until a report, or one from before."""
        self._turn += 1
        self._is_waiting, turn = True, self._turn
        process = self.group.master.process
        if self.group.habits.is_deadline_first:
            delay_ms = 1.0 + self.group.kernel.draw_ms("wake")
        else:
            delay_ms = timing.TRANSFER_WAIT_MS + self.group.kernel.draw_ms("wake")
        if self._is_notified:
            self._is_notified, delay_ms = False, 0.001
        self.group.kernel.after(delay_ms, lambda: self._end_wait(turn, is_woken=False), process)

    def _end_wait(self, turn: int, *, is_woken: bool) -> None:
        if turn != self._turn or not self._is_waiting:
            return
        self._turn += 1
        self._is_waiting = False
        self._waits += 1
        put = self._served
        if put is not None and not is_woken and not put.is_answered:
            self.group.kernel.try_to(put.name("wait_one_second"))
        self._look()
