"""The intervals of a group of brokers, in milliseconds, from its files and its release.

They are read from the brokers' own code, independently of the assumptions that rules make about
them (``reference.assumptions.timers``): the one is held against the other.
"""

from __future__ import annotations

from attrs import frozen

from reference.configuration.broker_group import BrokerGroup
from reference.releases.timing_differences import (
    FINE_WAITS,
    FIRST_REPORT_AT_ONCE,
    SLAVE_TIMEOUT,
    TIMED_FROM_ITS_TURN,
)
from reference.worlds.replication.changes import late_reports_time_out

LOOK_MS = 1000
"""How long a thread sleeps before it looks at its timers again (``selector.select(1000)`` and
``waitForRunning(1000)``, in HAClient#run, HAConnection.ReadSocketService#run and
GroupTransferService#doWaitTransfer of every release)."""

OWN_TIMER_LATE_MS = 5
"""How late a thread wakes that sleeps on a timer of its own
(``GroupCommitRequest#waitForFlush`` at 4.4.0; inference: the delay of an idle machine)."""


@frozen
class Clocks:
    """The intervals that decide in which order a group takes its steps."""

    first_report_ms: int
    """``haSendHeartbeatInterval`` of the slave: its first report comes later than this."""
    is_report_timed_by_connection: bool
    """The interval counts from the connect, not from the slave's start or its last report."""
    housekeeping_ms: int
    """The lower ``haHousekeepingInterval`` of both ends: a silent connection is closed later."""
    slave_wait_ms: int
    """How long a put waits for a slave."""
    is_wait_timed_by_turn: bool
    """That time begins with the put's turn, not with its own request."""
    slave_wait_late_ms: int
    """How much later its end may be noticed."""
    is_late_report_refused: bool
    """A put that is older than this when its turn comes times out, reported or not: only at 4.7.0
    (``GroupCommitRequest#wakeupCustomer``; queued_puts_470 seq 127)."""


def compute_clocks(group: BrokerGroup) -> Clocks:
    """The intervals of a group with one slave. Raises ValueError or TypeError for no number."""
    version, master, slave = group.version, group.master, group.slaves[0]
    by_turn = version.has(TIMED_FROM_ITS_TURN)
    has_own_key = version.has(SLAVE_TIMEOUT)
    is_looked_at = by_turn or (has_own_key and not version.has(FINE_WAITS))
    return Clocks(
        first_report_ms=slave.get_number("haSendHeartbeatInterval"),
        is_report_timed_by_connection=not version.has(FIRST_REPORT_AT_ONCE),
        housekeeping_ms=min(b.get_number("haHousekeepingInterval") for b in (master, slave)),
        slave_wait_ms=master.get_number("slaveTimeout" if has_own_key else "syncFlushTimeout"),
        is_wait_timed_by_turn=by_turn,
        slave_wait_late_ms=LOOK_MS if is_looked_at else OWN_TIMER_LATE_MS,
        is_late_report_refused=version.has(late_reports_time_out.VARIANT),
    )
