"""How long things take at a broker, by release: constants, each with its source.

None of them is taken from the clock with which recordings are judged: a mistake that both made
would go unnoticed.
"""

from __future__ import annotations

from attrs import frozen

from reference.releases.releases import CLASSIC, is_since
from reference.releases.timing_differences import TIMED_FROM_ITS_TURN
from reference.worlds.replication.changes import late_reports_time_out

SELECT_MS = 1000.0
"""``HAClient#run``, ``HAConnection.ReadSocketService#run``: ``selector.select(1000)``."""

CONNECT_TIMEOUT_MS = 5000.0
"""``RemotingUtil#connect``."""

CONNECT_AGAIN_MS = 5000.0
"""``HAService.HAClient#run``: ``waitForRunning(1000 * 5)`` while it is not connected."""

LOOK_FOR_REQUEST_MS = 10.0
"""``HAConnection.WriteSocketService#run``: ``Thread.sleep(10)`` before the first report."""

SEND_WAIT_MS = 100.0
"""``HAConnection.WriteSocketService#run``: ``allWaitForRunning(100)`` with nothing to send."""

TRANSFER_WAIT_MS = 1000.0
"""``HAService.GroupTransferService#doWaitTransfer``: ``waitForRunning(1000)``."""

TRANSFER_WAITS_MAX = 5
"""``HAService.GroupTransferService#doWaitTransfer`` until 4.6.0: ``i < 5``."""

GROUP_COMMIT_MS = 10.0
"""``CommitLog.GroupCommitService#run``: ``waitForRunning(10)``."""

DISPATCH_BEHIND_MS = 5000.0
"""``ReputMessageService#shutdown``: 50 times 100 ms while its dispatch is behind."""

DISPATCH_MS = 1.0
"""``DefaultMessageStore.ReputMessageService#run``: ``Thread.sleep(1)``."""

SHUTDOWN_SLEEP_MS = 1000.0
"""``DefaultMessageStore#shutdown``: ``Thread.sleep(1000 * 1)`` before the HA service ends."""

SHUTDOWN_REST_MS = 20.0
"""``DefaultMessageStore#shutdown``: what it takes from the end of the HA service on, at least; in
`n_clean_restart` seq 228 (`node_stop_clean`) 25 ms.
"""

SOCKET_BYTES = 128 * 1024
"""``HAConnection`` (constructor): two socket buffers of 64 KiB lie between master and slave."""

SLAVE_TIMEOUT_SINCE = "4.9.3"
"""``MessageStoreConfig.slaveTimeout`` exists since this release."""

FIRST_5 = "5.0.0"


@frozen
class Habits:
    """What a release does at another time than 4.4.0."""

    is_answered_in_line: bool
    """``GroupTransferService#doWaitTransfer`` compares a deadline, and nobody else does (4.7.0)."""
    is_timed_from_turn: bool
    """It gives each put its whole time from its turn on (4.7.0 to 4.9.2)."""
    is_late_report_refused: bool
    """``GroupCommitRequest#wakeupCustomer`` answers an older put with a time-out (4.7.0 only)."""
    is_deadline_first: bool
    """It does so before it looks at the reports (5.0.0)."""
    transfer_wait_ms: float
    """``GroupTransferService#doWaitTransfer``: a second, or ``waitForRunning(1)`` (5.1.2)."""
    has_slave_timeout: bool
    """``GroupCommitRequest`` waits for a slave for ``slaveTimeout`` (4.9.3)."""
    is_timer_by_reports: bool
    """``HAClient#isTimeToReportOffset``: the slave's own reports set its timer (4.5.2)."""
    is_silence_seen: bool
    """``HAClient#run``: what is read sets the timer of its housekeeping (not 4.5.2 to 4.9.8)."""
    waits_to_reconnect: bool
    """``DefaultHAClient#closeMasterAndWait``: five seconds after each end (5.0.0)."""
    is_flush_timed: bool
    """``MessageStoreConfig.flushCommitLogTimed`` is true: puts do not wake the flush (4.9.1)."""
    stop_closes_socket: bool
    """``HAClient#shutdown`` closes the connection of a slave that stops (4.9.0)."""
    are_waits_at_once: bool
    """``CommitLog#asyncPutMessage`` asks for disk and slave at once (4.7.0)."""


def get_habits(release: str) -> Habits:
    """The habits of a release; its mode changes none of them."""
    name = release.partition("-")[0]
    is_5 = is_since(name, FIRST_5)
    is_by_reports = is_since(name, "4.5.2")
    return Habits(
        is_answered_in_line=is_since(name, "4.7.0"),
        is_timed_from_turn=TIMED_FROM_ITS_TURN.span.covers(name, CLASSIC),
        is_late_report_refused=late_reports_time_out.SPAN.covers(name, CLASSIC),
        is_deadline_first=is_5,
        transfer_wait_ms=1.0 if is_since(name, "5.1.2") else TRANSFER_WAIT_MS,
        has_slave_timeout=is_since(name, SLAVE_TIMEOUT_SINCE),
        is_timer_by_reports=is_by_reports,
        is_silence_seen=is_5 or not is_by_reports,
        waits_to_reconnect=is_5,
        is_flush_timed=is_since(name, "4.9.1"),
        stop_closes_socket=is_since(name, "4.9.0"),
        are_waits_at_once=is_since(name, "4.7.0"),
    )
