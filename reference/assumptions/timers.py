"""Assumptions about timers: one interval ends before another."""

from __future__ import annotations

from reference.assumptions.assumption import (
    Assumption,
    RecordedRun,
    show_of,
    show_values,
)
from reference.configuration.broker_group import BrokerConfiguration, BrokerGroup
from reference.releases.timing_differences import (
    FINE_WAITS,
    FIRST_REPORT_AT_ONCE,
    SLAVE_TIMEOUT,
)
from reference.roles import Role
from reference.worlds.replication.changes import no_slave_wait, put_outlasts_first_report
from reference.worlds.replication.changes.settings import (
    closed_before_first_report,
    file_expires_unflushed,
)

SELECT_TIMEOUT_MS = 1000
"""How long the threads of a connection sleep before they look at their timers again
(``selector.select(1000)`` in HAClient#run and HAConnection.ReadSocketService#run at 4.4.0)."""

TRANSFER_WAKE_UP_MS = 1000
"""How late the group transfer may notice that a deadline has passed
(``waitForRunning(1000)`` in GroupTransferService#doWaitTransfer at 4.9.3; 1 ms from 5.1.2 on)."""

HOUR_MS = 3_600_000


def compute_longest_wait_ms(group: BrokerGroup) -> int | None:
    """The longest time that a put can wait for a slave; None if nothing limits it.

    Raises ValueError or TypeError for a setting that cannot be read.
    """
    version = group.version
    if version.has(put_outlasts_first_report.VARIANT):
        return None
    if not version.has(SLAVE_TIMEOUT):
        return group.master.get_number("syncFlushTimeout")
    late = 1 if version.has(FINE_WAITS) else TRANSFER_WAKE_UP_MS
    return group.master.get_number("slaveTimeout") + late


def is_put_over_before_first_report(group: BrokerGroup) -> bool:
    """No put waits longer than a slave that has started waits before its first report.

    With a controller a slave reports as soon as it has truncated its log.
    """
    if not group.slaves:
        return True
    longest = compute_longest_wait_ms(group)
    first_report = min(slave.get_number("haSendHeartbeatInterval") for slave in group.slaves)
    return longest is not None and longest <= first_report and not group.is_controlled


def has_longer_waits(group: BrokerGroup) -> bool:
    """Some put may outlast a first report by these settings, not already by the release.

    No put waits for an ASYNC_MASTER's slave. With a controller it is another matter: there a slave
    reports what it has truncated.
    """
    version = group.version
    is_waiting = group.master.role is Role.SYNC_MASTER and not version.has(no_slave_wait.VARIANT)
    is_new = not version.has(put_outlasts_first_report.VARIANT)
    return is_waiting and is_new and not group.is_controlled


def say_waits(group: BrokerGroup) -> tuple[str, ...]:
    """How long puts wait at the master, and how long its slaves do before their first report."""
    version = group.version
    reports = [show_of(slave, "haSendHeartbeatInterval") for slave in group.slaves]
    if group.is_controlled:
        return ("a controller, with which a slave reports at once",)
    if version.has(put_outlasts_first_report.VARIANT):
        return (f"RocketMQ {version.release}, whose puts wait in turn",)
    wait = "slaveTimeout" if version.has(SLAVE_TIMEOUT) else "syncFlushTimeout"
    return (show_of(group.master, wait), *reports)


SHORT_HEARTBEAT = RecordedRun(
    "short_heartbeat_440",
    "4.4.0",
    (
        (0, "the slave has haSendHeartbeatInterval=1000"),
        (68, "a frame ends within P: the slave has it up to 33268"),
        (74, "the slave is killed"),
        (107, "the slave starts again, takes P for whole, and ends at 33273"),
        (112, "its first report, a second later: 33273"),
        (115, "P is answered PUT_OK after 1.5 s; its last 5 bytes were never sent"),
    ),
)
IN_TURN = RecordedRun(
    "queued_puts_471",
    "4.7.1",
    (
        (62, "the slave is killed while Q and P wait; it was sent bytes up to 34268"),
        (118, "the slave starts again, takes P for whole, and ends at 34273"),
        (121, "Q is answered FLUSH_SLAVE_TIMEOUT after 5.0 s; P's own time begins"),
        (122, "the slave's first report: 34273"),
        (125, "P is answered PUT_OK after 7.2 s; its last 5 bytes were never sent"),
    ),
)
QUEUED_PUTS = RecordedRun(
    "queued_puts_480",
    "4.8.0",
    (
        (62, "the slave is killed while Q and P wait; it was sent bytes up to 34268"),
        (118, "the slave starts again, takes P for whole, and ends at 34273"),
        (122, "Q is answered FLUSH_SLAVE_TIMEOUT after 5.0 s; P's own time begins"),
        (123, "the slave's first report: 34273"),
        (126, "P is answered PUT_OK after 6.6 s; its last 5 bytes were never sent"),
    ),
)

PUT_OVER_BEFORE_FIRST_REPORT = Assumption(
    name="put_over_before_first_report",
    is_met=is_put_over_before_first_report,
    list_settings=say_waits,
    conditions=(
        "report_offset: is_earlier_put_over",
        "report_offset_to_earlier_put: is_earlier_put_waiting",
    ),
    excluded_fault="overlong_waits",
    change=put_outlasts_first_report.VARIANT.name,
    has_change=has_longer_waits,
    without_it="PUT_OK can come for a message that a restarted slave has only in part",
    source="GroupCommitRequest#waitForFlush and HAClient#isTimeToReportOffset at 4.4.0; "
    "GroupCommitRequest#wakeupCustomer at 4.7.0; GroupTransferService#doWaitTransfer at 4.7.1, "
    "4.9.3 and 5.1.2; AutoSwitchHAClient#doTruncate at 5.0.0 and 5.3.3.",
    runs=(SHORT_HEARTBEAT, IN_TURN, QUEUED_PUTS),
)


def is_reported_before_housekeeping(group: BrokerGroup) -> bool:
    """Each slave's first report comes before either end closes its connection as idle.

    From 5.0.0 on the interval counts from the slave's start or its last report, not from each
    connection: closing only delays the report.
    """
    if group.version.has(FIRST_REPORT_AT_ONCE) and not group.is_controlled:
        return True
    return all(
        slave.get_number("haSendHeartbeatInterval") + SELECT_TIMEOUT_MS
        < min(broker.get_number("haHousekeepingInterval") for broker in (group.master, slave))
        for slave in group.slaves
    )


REPORTED_BEFORE_HOUSEKEEPING = Assumption(
    name="reported_before_housekeeping",
    is_met=is_reported_before_housekeeping,
    list_settings=lambda group: show_values(
        group, "haSendHeartbeatInterval", "haHousekeepingInterval"
    ),
    conditions=(
        "report_offset: has_not_reported",
        "replicate_messages: is_slave_up",
        "replicate_delayed_message: is_pair_connected",
    ),
    awaited_steps=("report_offset", "replicate_messages", "replicate_delayed_message"),
    change=closed_before_first_report.VARIANT.name,
    has_change=lambda group: not group.is_controlled,
    without_it="each connection may be closed before the slave's first report, so that the slave "
    "never receives anything",
    source="HAClient#isTimeToReportOffset, HAClient#connectMaster, HAClient#run and HAConnection"
    ".ReadSocketService#run at 4.4.0 and 4.9.8; DefaultHAClient#connectMaster at 5.3.3.",
)


def is_file_flushed_before_it_expires(group: BrokerGroup) -> bool:
    """Each broker keeps a file for longer than its flush can be behind."""
    return all(map(is_kept_until_flushed, (group.master, *group.slaves)))


def is_kept_until_flushed(broker: BrokerConfiguration) -> bool:
    """This broker keeps a file for longer than its flush can be behind."""
    intervals = ("flushCommitLogThoroughInterval", "flushIntervalCommitLog")
    longest = 2 * max(map(broker.get_number, intervals))
    return broker.get_number("fileReservedTime") * HOUR_MS > longest


FILE_FLUSHED_BEFORE_IT_EXPIRES = Assumption(
    name="file_flushed_before_it_expires",
    is_met=is_file_flushed_before_it_expires,
    list_settings=lambda group: show_values(
        group, "fileReservedTime", "flushCommitLogThoroughInterval", "flushIntervalCommitLog"
    ),
    conditions=(
        "expire_master_file: is_old_file_flushed",
        "expire_uncopied_master_file: is_old_file_flushed",
        "expire_slave_file: is_old_file_flushed",
        "expire_slave_file_first: is_old_file_flushed",
    ),
    change=file_expires_unflushed.VARIANT.name,
    has_change=lambda group: not is_kept_until_flushed(group.master),
    without_it="retention can delete a file that is not flushed, and flushing then stops",
    source="MappedFileQueue#deleteExpiredFileByTime and #flush, CommitLog.FlushRealTimeService#run "
    "at 4.4.0 (inference: two flush intervals are taken for the longest delay).",
)
