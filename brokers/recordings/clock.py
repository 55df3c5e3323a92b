"""The only clock of the model: how long each timer may take in a recording.

Rules are untimed; a timer is an action that may happen whenever its guard allows. A recording of
a real broker shows more: a time-out that comes after 3 ms is none. Every range is stated here once,
with its source, and only the trace checker looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve, field, frozen

from reference.releases.timing_differences import (
    FINE_WAITS,
    FIRST_REPORT_AT_ONCE,
    HOUSEKEEPING_BY_OWN_REPORTS,
    TIMED_FROM_ITS_TURN,
)
from reference.releases.versions import Version
from reference.worlds.replication.changes import (
    answered_in_line,
    wait_until_deadline,
)

JITTER_MS = 5.0
"""Order between processes and threads is good to 1 ms, but up to a few ms of scheduling noise."""

KILL_MS = 20.0
"""What a process had handed to TCP before ``kill -9`` may be seen so much later; the ends of its
connections are seen after 3 to 14 ms (r_random_seed10 seq 121 to 124)."""

REAPED_MS = 100.0
"""How long after the ends of its connections a kill is noted, where whoever kills waits until the
process is gone; recorded are 33 ms (`torn_roll_kill` seq 232 and 236)."""

LATE_MS = 25.0
"""A proxy notes what goes over a link so much later at most, on a busy host: 17 ms were seen
between a slave's own line about its connect and the proxy's, 14 ms at frames 500 ms apart, 23 ms
at an end."""

NOTICE_MS = 20.0
"""A slave's thread has to run before it sees that its connection has ended; recorded are 5.9 ms
(r_random_seed3 seq 51 and 57: the slave still calls itself connected)."""

SKEW_MS = 1.0
"""How far the clock of one process may be behind that of another: causes come before effects."""


GRAIN_MS = 1.0
"""Brokers compare whole milliseconds (System#currentTimeMillis), recordings show microseconds."""

SLACK_MS = 1000.0
"""The most that a busy host may add before something that nothing holds back has happened."""

TRANSFER_WAIT_MS = 1000
"""The longest wait of ``GroupTransferService#doWaitTransfer`` for one wake-up (R-HA-20)."""

TRANSFER_WAITS = 5
"""How many such waits a request gets (R-HA-20)."""

UNDER_WAY_MS = 30.0
"""How long a put that waits for nobody may take until its line is written; recorded are 16 ms."""

SELECT_MS = 1000
"""How long ``HAClient#run`` and the master's read service wait for bytes (R-HA-08, R-HC-01)."""

RECONNECT_MS = 5000
"""What ``HAClient#run`` waits after a connect that failed (R-HC-01)."""

CONNECT_MS = 5000
"""How long ``RemotingUtil#connect`` tries at most."""

EXPIRY_BEGIN_MS = 60_000
"""How long after its start a broker first looks for files to delete
(DefaultMessageStore#addScheduleTask)."""

CREATE_FILE_MS = 5000
"""How long a put waits at most for its next file (``AllocateMappedFileService``)."""

SHUTDOWN_MS = 1000
"""What ``DefaultMessageStore#shutdown`` sleeps before its HA service ends (R-RC-02)."""

FOREVER_MS = float("inf")
"""The end of a range where a stall, a stop or a full socket may hold something back."""


@frozen
class TimerRange:
    """How long one timer may take in a recording, both ends included."""

    name: str
    """What takes so long."""
    low_ms: float
    """Not earlier than this."""
    high_ms: float
    """Not later than this; infinite where something may hold it back."""
    source: str
    """Where the range comes from."""

    def explain_violation(self, elapsed_ms: float, grain_ms: float = GRAIN_MS) -> str | None:
        """What is wrong with this duration, or None when nothing is.

        ``grain_ms`` is how exactly it was measured: better by one process than across two.
        """
        if self.low_ms - grain_ms <= elapsed_ms <= self.high_ms:
            return None
        return (
            f"{self.name} took {elapsed_ms:.1f} ms, but it takes "
            f"{self.low_ms:g} to {self.high_ms:g} ms ({self.source})"
        )


@frozen
class Timers:
    """The properties of a broker group that its timers run on, in ms."""

    ha_send_heartbeat_interval_ms: int
    """``haSendHeartbeatInterval`` of the slave."""
    sync_flush_timeout_ms: int
    """``syncFlushTimeout`` of the master: the wait for the disk, and again the wait for a slave."""
    ha_housekeeping_interval_ms: int = 20_000
    """``haHousekeepingInterval`` of the slave."""
    master_heartbeat_interval_ms: int = 5000
    """``haSendHeartbeatInterval`` of the master."""
    master_housekeeping_interval_ms: int = 20_000
    """``haHousekeepingInterval`` of the master."""
    slave_timeout_ms: int | None = None
    """``slaveTimeout`` of the master; None in a version that has no such property (V-14)."""
    version: Version = field(factory=Version)
    """Of the brokers."""

    @property
    def slave_wait_ms(self) -> int:
        """How long a put may wait for a slave, before anybody looks at its deadline."""
        own = self.slave_timeout_ms
        return self.sync_flush_timeout_ms if own is None else own

    def with_slave(self, slave: Timers) -> Timers:
        """These of a master beside those that a slave has of its own."""
        return evolve(
            self,
            ha_send_heartbeat_interval_ms=slave.ha_send_heartbeat_interval_ms,
            ha_housekeeping_interval_ms=slave.ha_housekeeping_interval_ms,
        )


def compute_first_report_ms(interval_ms: int) -> int:
    """The earliest end of a ``select`` that lies beyond the heartbeat interval.

    Until its first report a slave receives nothing, so every select lasts its full time (R-HC-05).
    """
    return SELECT_MS * max(1, -(-interval_ms // SELECT_MS))


def compute_time_out_ms(timers: Timers) -> int:
    """The shortest wait that a clock ends with FLUSH_SLAVE_TIMEOUT.

    Until 4.6.0 five waits of a second each were one, too (R-HA-20, V-08).
    """
    if timers.version.has(wait_until_deadline.VARIANT):
        return timers.slave_wait_ms
    return min(timers.slave_wait_ms, TRANSFER_WAITS * TRANSFER_WAIT_MS)


def compute_longest_wait_ms(timers: Timers) -> float:
    """The longest wait for a slave; nothing limits it where each put has its time in its turn.

    Where the group transfer alone ends it, it looks at the deadline between two of its waits only:
    whoever is served then, or next in the line, has waited a second more at most (V-11; recordings
    of 4.9.8, findings 5 and 6).
    """
    version = timers.version
    if version.has(TIMED_FROM_ITS_TURN):
        return FOREVER_MS
    is_in_line = version.has(answered_in_line.VARIANT) and not version.has(FINE_WAITS)
    return timers.slave_wait_ms + (TRANSFER_WAIT_MS if is_in_line else 0)


def has_slave_housekeeping(timers: Timers) -> bool:
    """A slave may find its connection expired (HAClient#run).

    By a timer that its own reports set, only where they lie further apart than its housekeeping
    interval (V-07; recordings of 4.9.8, finding 11).
    """
    longest_ms = timers.ha_send_heartbeat_interval_ms + SELECT_MS + JITTER_MS
    is_by_own_reports = timers.version.has(HOUSEKEEPING_BY_OWN_REPORTS)
    return not is_by_own_reports or longest_ms >= timers.ha_housekeeping_interval_ms


RangeOf = Callable[[Timers], TimerRange]

TIMER_RANGES: Mapping[str, RangeOf] = {
    "first_report": lambda t: TimerRange(
        "the first report after the connect",
        0
        if t.version.has(FIRST_REPORT_AT_ONCE)
        else compute_first_report_ms(t.ha_send_heartbeat_interval_ms),
        compute_first_report_ms(t.ha_send_heartbeat_interval_ms) + SELECT_MS + SLACK_MS,
        "R-HC-04, R-HC-05: HAClient#isTimeToReportOffset, looked at after each select",
    ),
    "repeated_report": lambda t: TimerRange(
        "a repeated report after the last frame",
        t.ha_send_heartbeat_interval_ms,
        FOREVER_MS,
        "R-HC-04: HAClient#isTimeToReportOffset, reset by everything that is read",
    ),
    "own_report": lambda t: TimerRange(
        "the next report after one of the slave's own",
        t.ha_send_heartbeat_interval_ms,
        t.ha_send_heartbeat_interval_ms + SELECT_MS + SLACK_MS,
        "R-HC-04, V-07: HAClient#isTimeToReportOffset, set by own reports, seen after a select",
    ),
    "report_to_silent_master": lambda t: TimerRange(
        "a repeated report to a master that has sent nothing",
        SELECT_MS,
        FOREVER_MS,
        "R-HC-05: HAClient#run, one report in each round of its select",
    ),
    "heartbeat": lambda t: TimerRange(
        "a heartbeat after the frame before it",
        t.master_heartbeat_interval_ms,
        FOREVER_MS,
        "R-HA-12: HAConnection.WriteSocketService#run",
    ),
    "master_housekeeping": lambda t: TimerRange(
        "the master's closing a connection that is silent",
        t.master_housekeeping_interval_ms,
        t.master_housekeeping_interval_ms + SELECT_MS + SLACK_MS,
        "R-HA-08: HAConnection.ReadSocketService#run",
    ),
    "slave_housekeeping": lambda t: TimerRange(
        "a slave's closing a connection on which nothing comes",
        t.ha_housekeeping_interval_ms,
        FOREVER_MS,
        "R-HC-14: HAClient#run; heartbeats that are left out come in between",
    ),
    "reconnect": lambda t: TimerRange(
        "the next connect after one that was refused",
        RECONNECT_MS - NOTICE_MS,
        FOREVER_MS,
        "R-HC-01: HAClient#run",
    ),
    "reconnect_at_once": lambda t: TimerRange(
        "the next connect after the end of a connection",
        0,
        SLACK_MS,
        "R-HC-12: HAClient#closeMaster, #connectMaster",
    ),
    "slave_wait": lambda t: TimerRange(
        "PUT_OK after the slave step",
        0,
        compute_longest_wait_ms(t) + SLACK_MS,
        "R-HA-18: GroupCommitRequest#waitForFlush",
    ),
    "slave_time_out": lambda t: TimerRange(
        "FLUSH_SLAVE_TIMEOUT",
        compute_time_out_ms(t),
        compute_longest_wait_ms(t) + SLACK_MS,
        "R-HA-18, R-HA-20, V-11: the put's own clock, or the group transfer",
    ),
    "file_wait": lambda t: TimerRange(
        "CREATE_MAPEDFILE_FAILED",
        0,
        CREATE_FILE_MS + SLACK_MS,
        "R-CL-04: AllocateMappedFileService#putRequestAndReturnMappedFile",
    ),
    "no_wait": lambda t: TimerRange(
        "an answer without any wait",
        0,
        SLACK_MS,
        "R-CL-17, R-HA-18: CommitLog#handleDiskFlush, #handleHA",
    ),
}
"""Every range by the name of its timer."""


def compute_longest_put_ms(timers: Timers, *, waits_for_slave: bool) -> float:
    """How long a put may be under way, so that an end comes before its line is written."""
    return UNDER_WAY_MS + (compute_longest_wait_ms(timers) if waits_for_slave else 0.0)
