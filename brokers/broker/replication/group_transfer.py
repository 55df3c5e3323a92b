"""``HAService.GroupTransferService``: one thread serves all puts that wait for a slave."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from attrs import define, field

from brokers.broker import habits
from brokers.broker.replication.followed_puts import FollowedPuts, PendingPut


@define(eq=False, repr=False)
class LiveGroupTransfer:
    """The line of a master's process."""

    puts: FollowedPuts
    advance: Callable[[PendingPut], None]
    """Takes a put to its next wait, or to its answer."""
    line: deque[PendingPut] = field(factory=deque)
    _served: PendingPut | None = None
    _turn_ms: float = 0.0
    """When the turn of the put that it serves began."""
    _waits: int = 0
    """How often it has waited for the put that it serves."""
    _turn: int = 0
    """Raised by each end of a wait: what was to end it otherwise is stale."""
    _is_waiting: bool = False
    _is_notified: bool = False
    """A report came while it was not waiting (``hasNotified``)."""

    def ask(self, put: PendingPut) -> None:
        """A put waits for a slave; where it has a clock of its own, that begins."""
        puts = self.puts
        self.line.append(put)
        if not puts.settings.habits.is_answered_in_line:
            timeout_ms = puts.settings.number("syncFlushTimeout")
            puts.host.after(timeout_ms, lambda: self._time_out(put))
        puts.host.after(0.0, self._serve)

    def notify(self) -> None:
        """A report has raised ``push2SlaveMaxOffset``."""
        if not self._is_waiting:
            self._is_notified = True
            return
        turn = self._turn
        self.puts.host.after(0.0, lambda: self._end_wait(turn, is_woken=True))

    def _time_out(self, put: PendingPut) -> None:
        """``GroupCommitRequest#waitForFlush``: the put's own thread has waited long enough."""
        puts = self.puts
        if not put.is_answered and not puts.is_over:
            puts.rules.fire(puts.name(put, "time_out_slave_wait"))
            self.advance(put)

    def _serve(self) -> None:
        if self._served is None and self.line and not self.puts.is_over:
            self._served, self._waits = self.line.popleft(), 0
            self._turn_ms = self.puts.host.now_ms()
            self._look()

    def _look(self) -> None:
        """``doWaitTransfer``: reported, waited long enough, or one wait more."""
        put = self._served
        assert put is not None
        if self.puts.settings.habits.is_answered_in_line:
            is_over = self._end_by_deadline(put)
        else:
            is_over = self._end_by_waits(put)
        if not is_over:
            self._wait()
            return
        self._served = None
        if not put.is_answered:
            self.advance(put)
        self.puts.host.after(0.0, self._serve)

    def _end_by_deadline(self, put: PendingPut) -> bool:
        puts = self.puts
        now_ms, timeout_ms = puts.host.now_ms(), puts.settings.slave_timeout_ms
        ways = puts.settings.habits
        begin_ms = self._turn_ms if ways.is_timed_from_turn else put.begin_ms
        is_late = now_ms >= begin_ms + timeout_ms
        acts = [self.answer]
        if is_late:
            acts.append(self.time_out)
        if is_late and ways.is_deadline_first:
            acts.reverse()
        if ways.is_late_report_refused and now_ms > put.begin_ms + timeout_ms:
            acts = [self.time_out] if is_late or self._is_reported(put) else []
        return any(act(put) for act in acts)

    def _is_reported(self, put: PendingPut) -> bool:
        """A report covers the put."""
        return self.puts.rules.get("master.push2_slave_max_offset") >= put.end_offset

    def answer(self, put: PendingPut) -> bool:
        """The put's wait ends well, if it is reported."""
        return self.puts.rules.try_to(self.puts.name(put, "answer_slave_wait"))

    def time_out(self, put: PendingPut) -> bool:
        """The put's wait ends in vain, if that may be."""
        return self.puts.rules.try_to(self.puts.name(put, "time_out_slave_wait"))

    def _end_by_waits(self, put: PendingPut) -> bool:
        """Of a put that has timed out by itself the request stays in the line."""
        puts = self.puts
        is_used_up = self._waits >= habits.TRANSFER_WAITS_MAX
        if put.is_answered:
            return self._is_reported(put) or is_used_up
        if self.answer(put):
            return True
        return is_used_up and puts.rules.try_to(puts.name(put, "give_up_slave_wait"))

    def _wait(self) -> None:
        """``WaitNotifyObject#waitForRunning``: a second, or until a report, or one from before."""
        self._turn += 1
        self._is_waiting, turn = True, self._turn
        delay_ms = self.puts.settings.habits.transfer_wait_ms
        if self._is_notified:
            self._is_notified, delay_ms = False, 0.0
        self.puts.host.after(delay_ms, lambda: self._end_wait(turn, is_woken=False))

    def _end_wait(self, turn: int, *, is_woken: bool) -> None:
        if turn != self._turn or not self._is_waiting or self.puts.is_over:
            return
        self._turn += 1
        self._is_waiting = False
        self._waits += 1
        put = self._served
        if put is not None and not is_woken and not put.is_answered:
            self.puts.rules.try_to(self.puts.name(put, "wait_one_second"))
        self._look()
