"""Timing differences: changes of a later release in time, size or default, under the same rules.

The rules of replication define what can follow what, not when. These changes are visible to a
clock, in a recording or in a log. They decide no rule, but whether a group meets an assumption.
"""

from __future__ import annotations

from attrs import frozen

from reference.releases.releases import Span


@frozen
class TimingDifference:
    """One change of timing, size or default."""

    name: str
    """Its public identifier."""
    span: Span
    """The releases that have it."""
    sentence: str
    """What it does, in one sentence."""
    comes_from: str
    """Its source: a class and method, a statement of the dossier, a recording."""

    def __attrs_post_init__(self) -> None:
        TIMING_DIFFERENCES[self.name] = self


TIMING_DIFFERENCES: dict[str, TimingDifference] = {}
"""Every timing difference by name."""

HA_AFTER_DISPATCH = TimingDifference(
    "ha_after_dispatch",
    Span("4.5.1"),
    "A starting broker dispatches what it has before its HA service listens or connects.",
    "DefaultMessageStore#start (V-03; recordings of 4.9.8, finding 13).",
)
OWN_REPORT_TIMER = TimingDifference(
    "own_report_timer",
    Span("4.5.2"),
    "A slave's timer is reset by its own reports: it reports every interval whatever arrives.",
    "HAClient#reportSlaveMaxOffset, #isTimeToReportOffset (V-07; v498_s_idle_500_3000, "
    "v533_s_idle_500_3000).",
)
HOUSEKEEPING_BY_OWN_REPORTS = TimingDifference(
    "housekeeping_by_own_reports",
    Span("4.5.2", until="5.0.0"),
    "A slave's housekeeping goes by its own reports, so it does not notice a silent master.",
    "HAClient#reportSlaveMaxOffset, #run (V-07; v498_w_down_direction_stalled; back at 5.0.0: "
    "v533_s_idle_500_3000).",
)
FIRST_REPORT_AT_ONCE = TimingDifference(
    "first_report_at_once",
    Span("5.0.0"),
    "The first report on a connection waits for the interval since the slave's last report, or "
    "since its start: after a reconnect it may come at once.",
    "DefaultHAClient#connectMaster (v533_t_cut_and_clean_restart seq 58, "
    "v533_quorum_h_slave_ahead_aligned seq 121).",
)
FINE_WAITS = TimingDifference(
    "fine_waits",
    Span("5.1.2"),
    "The group transfer looks at the deadline of a put every millisecond, no longer every second.",
    "GroupTransferService#doWaitTransfer (v533_quorum_c_stall_heal seq 46: 1502.5 ms).",
)
STOP_CLOSES_SOCKET = TimingDifference(
    "stop_closes_socket",
    Span("4.9.0"),
    "A slave's store closes its HA connection when it stops, before the process ends.",
    "HAClient#shutdown (V-19; recordings of 4.9.8, finding 12).",
)
FLUSH_BY_TIMER = TimingDifference(
    "flush_by_timer",
    Span("4.9.1"),
    "flushCommitLogTimed defaults to true: the flush sleeps its whole interval.",
    "MessageStoreConfig (recordings of 4.9.8, finding 15).",
)
NO_LAST_SEPARATOR = TimingDifference(
    "no_last_separator",
    Span("4.9.1"),
    "A message is one byte smaller: no separator follows its last property.",
    "MessageDecoder#messageProperties2String (recordings of 4.9.8, finding 14).",
)
TIMED_FROM_ITS_TURN = TimingDifference(
    "timed_from_its_turn",
    Span("4.7.0", until="4.9.3"),
    "Each put that waits for a slave has its whole time from its turn on: waits in a line add up.",
    "GroupTransferService#doWaitTransfer at 4.7.0 and 4.9.2 (queued_puts_470 seq 127, "
    "queued_puts_471 seq 125).",
)
SLAVE_TIMEOUT_DEFAULT_MS = 3000
"""``slaveTimeout`` if nothing sets it (MessageStoreConfig, V-14)."""

MESSAGE_MARGIN_BYTES = 64 * 1024
"""How far a message may exceed the limit of its body (MessageExtEncoder)."""

SLAVE_TIMEOUT = TimingDifference(
    "slave_timeout",
    Span("4.9.3"),
    "The wait for a slave has its own timeout, slaveTimeout (3000 ms), counted from the put.",
    "GroupCommitRequest (constructor; V-14; v498_c_sync_stall_heal seq 37 and 41).",
)
BODY_SIZE_LIMIT = TimingDifference(
    "body_size_limit",
    Span("4.9.4"),
    "maxMessageSize limits the body; the rest of a message may take another 64 kB.",
    "MessageExtEncoder (constructor; v498_b2_slave_node_rejects_put seq 30 and 31).",
)
OVERFLOW_RESETS_TO_MAX = TimingDifference(
    "overflow_resets_to_max",
    Span("4.9.4"),
    "A pull beyond the end of a queue is redirected to its end, even if the queue begins at 0.",
    "DefaultMessageStore#getMessage (V-18; v498_g_new_slave_joins_old_master seq 122).",
)
