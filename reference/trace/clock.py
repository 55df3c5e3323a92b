"""The only clock of the model: how long each timer may take in a recording.

Rules are untimed; a timer is an action that may happen whenever its guard allows. A recording of
a real broker shows more: a time-out that comes after 3 ms is none. Every range is stated here once,
with its source, and only the trace checker looks at it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

JITTER_MS = 8.0
"""Order between processes and threads is good to 1 ms, but up to a few ms of scheduling noise."""

SKEW_MS = 1.0
"""How far the clock of one process may be behind that of another: causes come before effects."""

GRAIN_MS = 1.0
"""Brokers compare whole milliseconds (System#currentTimeMillis), recordings show microseconds."""

SLACK_MS = 1000.0
"""The most that a busy host may add before something that nothing holds back has happened."""

TRANSFER_ITERATIONS = 5
"""``GroupTransferService#doWaitTransfer`` gives up after so many wake-ups (R-HA-20)."""

TRANSFER_WAIT_MS = 1000
"""The longest of these waits; five of them make the service's own limit (R-HA-20)."""


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

    def explain_violation(self, elapsed_ms: float) -> str | None:
        """What is wrong with this duration, or None when nothing is."""
        if self.low_ms - GRAIN_MS <= elapsed_ms <= self.high_ms:
            return None
        return (
            f"{self.name} took {elapsed_ms:.1f} ms, but it takes "
            f"{self.low_ms:g} to {self.high_ms:g} ms ({self.source})"
        )


@frozen
class Timers:
    """The properties of a broker group that its timers run on, in ms."""

    ha_send_heartbeat_interval_ms: int
    """``haSendHeartbeatInterval`` of the slaves, the shortest of them."""
    sync_flush_timeout_ms: int
    """``syncFlushTimeout``: the wait for the disk, and again the wait for a slave."""


FOREVER_MS = float("inf")
"""The end of a range where a stall, a stop or a full socket may hold something back."""

RangeOf = Callable[[Timers], TimerRange]

TIMER_RANGES: Mapping[str, RangeOf] = {
    "first_report": lambda t: TimerRange(
        "the first report after the connect",
        t.ha_send_heartbeat_interval_ms,
        FOREVER_MS,
        "R-HC-04, R-HC-05: HAClient#isTimeToReportOffset",
    ),
    "disk_wait": lambda t: TimerRange(
        "the disk step of a put that waits for it",
        0,
        t.sync_flush_timeout_ms + SLACK_MS,
        "R-FL-02: CommitLog#handleDiskFlush",
    ),
    "disk_time_out": lambda t: TimerRange(
        "FLUSH_DISK_TIMEOUT",
        t.sync_flush_timeout_ms,
        2 * t.sync_flush_timeout_ms + SLACK_MS,
        "R-FL-02, R-FL-05: CommitLog#handleDiskFlush, followed by the slave step",
    ),
    "slave_wait": lambda t: TimerRange(
        "PUT_OK after the slave step",
        0,
        t.sync_flush_timeout_ms + SLACK_MS,
        "R-HA-18: GroupCommitRequest#waitForFlush",
    ),
    "slave_time_out": lambda t: TimerRange(
        "FLUSH_SLAVE_TIMEOUT",
        min(t.sync_flush_timeout_ms, TRANSFER_ITERATIONS * TRANSFER_WAIT_MS),
        t.sync_flush_timeout_ms + SLACK_MS,
        "R-HA-18, R-HA-20: the put's own clock, or five waits of the group transfer",
    ),
    "no_wait": lambda t: TimerRange(
        "an answer without any wait",
        0,
        SLACK_MS,
        "R-CL-17, R-HA-18: CommitLog#handleDiskFlush, #handleHA",
    ),
    "accept": lambda t: TimerRange(
        "the master's accepting a connection", 0, SLACK_MS, "R-HA-02: AcceptSocketService"
    ),
    "read_report": lambda t: TimerRange(
        "the master's reading a report that was forwarded", 0, SLACK_MS, "R-HA-08: select"
    ),
    "position": lambda t: TimerRange(
        "the master's positioning after the first report",
        0,
        SLACK_MS,
        "R-HA-10: WriteSocketService#run",
    ),
    "append_frame": lambda t: TimerRange(
        "the slave's appending a frame that was forwarded", 0, SLACK_MS, "R-HC-07: select"
    ),
    "append_put": lambda t: TimerRange(
        "the append of a put that is next in order", 0, SLACK_MS, "R-CL-03: CommitLog#putMessage"
    ),
    "drop": lambda t: TimerRange(
        "the master's noticing that a connection is closed",
        0,
        SLACK_MS,
        "R-HA-08: ReadSocketService#run, unless the link is stalled",
    ),
    "client_notices": lambda t: TimerRange(
        "the slave's noticing that its connection is open or closed",
        0,
        JITTER_MS,
        "R-HC-01, R-HC-12: HAClient#run",
    ),
}
"""Every range by the name of its timer."""


def compute_put_extra_ms(timers: Timers, *, waits_for_disk: bool) -> float:
    """How much the disk step may add to the slave step: they follow one another (R-CL-03)."""
    return timers.sync_flush_timeout_ms if waits_for_disk else 0.0


def may_wake_ups_end_wait(rises: int) -> bool:
    """The group transfer may have run out of its five wake-ups without any time-out.

    Each rise of ``push2SlaveMaxOffset`` that does not reach the put's end uses one up, and one more
    may be a notification remembered from before the wait (R-HA-21). Recorded: behind a put that
    timed out, one of 200 kB times out after four rises; behind one that did not, it takes five.
    """
    return rises + 1 >= TRANSFER_ITERATIONS
