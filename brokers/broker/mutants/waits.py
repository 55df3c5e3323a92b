"""Masters whose puts wait for a slave otherwise."""

from __future__ import annotations

from attrs import define, field

from brokers.broker.mutants.mutant import BY_WAKE_UPS, WAITING, mutant
from brokers.broker.replication.followed_puts import FollowedPuts, PendingPut
from brokers.broker.replication.group_transfer import LiveGroupTransfer
from brokers.broker.ruled_state import RuledState
from brokers.broker.settings import SLOTS_OF_CONNECTIONS
from reference.releases.releases import Span
from reference.worlds.replication.state import (
    ANSWERED,
    STATUS_NAMES,
    WAITS_FOR_DISK,
)

WAIT = "GroupTransferService#doWaitTransfer"
WAKE_UPS_MAX = 5


def end_wait(puts: FollowedPuts, put: PendingPut, status: str | None = None) -> bool:
    """A put's wait for a slave ends, whatever the rules say of it; None: its status stays."""
    path = f"messages.{puts.slots.index(put)}"
    phase = WAITS_FOR_DISK if puts.settings.habits.are_waits_at_once else ANSWERED
    leaves = {f"{path}.phase": phase}
    if status is not None:
        leaves[f"{path}.status"] = STATUS_NAMES.index(status)
    puts.rules.learn_all(leaves)
    return True


def list_links(rules: RuledState, leaf: str) -> list[int]:
    """A leaf of all open connections."""
    return [
        rules.get(f"links.{slot}.{leaf}")
        for slot in range(SLOTS_OF_CONNECTIONS)
        if rules.get(f"links.{slot}.is_open")
    ]


@mutant("implementers.md#10-a-report-equal-to-the-messages-end-answers-it", WAIT, spans=WAITING)
class NeedsAReportBeyond(LiveGroupTransfer):
    """A put is answered by a report beyond its end; one of exactly its end is too little."""

    def answer(self, put: PendingPut) -> bool:
        """Only beyond."""
        rules = self.puts.rules
        push2 = rules.get("master.push2_slave_max_offset")
        if put.end_offset >= max(push2, *list_links(rules, "slave_ack_offset"), 0):
            return False
        return super().answer(put)

    def time_out(self, put: PendingPut) -> bool:
        """Even if the rules say that it is reported."""
        return super().time_out(put) or end_wait(self.puts, put, "FLUSH_SLAVE_TIMEOUT")


@mutant(
    "implementers.md#11-the-wait-ends-after-five-wake-ups-not-after-five-seconds",
    WAIT,
    spans=BY_WAKE_UPS,
)
class WaitsUntilADeadline(LiveGroupTransfer):
    """A put waits until its five seconds are over, however often it is woken."""

    def _end_by_waits(self, put: PendingPut) -> bool:
        """No number of waits is too large."""
        self._waits = 0
        return super()._end_by_waits(put)


@mutant(
    "versions.md#the-changes",
    f"{WAIT} at 4.6.0",
    spans=(Span("4.6.0", until="5.0.0"),),
)
@define(eq=False, repr=False)
class GivesUpAfterFiveWakeUps(LiveGroupTransfer):
    """A put is given up after five wake-ups, as up to 4.5.2, though its time is not over."""

    counts: dict[int, int] = field(factory=dict)

    def notify(self) -> None:
        """Each report that comes is counted."""
        if self._served is not None:
            self.counts[id(self._served)] = self.counts.get(id(self._served), 0) + 1
        super().notify()

    def answer(self, put: PendingPut) -> bool:
        """Answered, or given up."""
        if super().answer(put):
            return True
        is_used_up = self.counts.get(id(put), 0) >= WAKE_UPS_MAX
        return is_used_up and end_wait(self.puts, put, "FLUSH_SLAVE_TIMEOUT")


@mutant("put.md#answer_slave_wait", WAIT, spans=WAITING)
class AnswersWhenSent(LiveGroupTransfer):
    """A put is answered when its bytes are sent to a slave, before any report of them."""

    def answer(self, put: PendingPut) -> bool:
        """Sent is enough."""
        sent = max(list_links(self.puts.rules, "next_transfer_offset"), default=-1)
        return super().answer(put) or (sent >= put.end_offset and end_wait(self.puts, put))


@mutant("put.md#answer_slave_wait", WAIT, spans=WAITING)
class AnyReportAnswers(LiveGroupTransfer):
    """Any report above 0 answers a put, even one below its end."""

    def answer(self, put: PendingPut) -> bool:
        """A slave is there: that is enough."""
        reported = max(list_links(self.puts.rules, "slave_ack_offset"), default=-1)
        return super().answer(put) or (reported > 0 and end_wait(self.puts, put))


@mutant("put.md#time_out_slave_wait", "GroupCommitRequest#waitForFlush", spans=WAITING)
class NeverTimesOut(LiveGroupTransfer):
    """A put waits for a slave until one reports it, however long that takes."""

    def _time_out(self, put: PendingPut) -> None:
        """No timer of its own."""

    def time_out(self, put: PendingPut) -> bool:
        """Nor one of the line."""
        return False

    def _end_by_waits(self, put: PendingPut) -> bool:
        """Nor a number of waits."""
        self._waits = 0
        return super()._end_by_waits(put)
