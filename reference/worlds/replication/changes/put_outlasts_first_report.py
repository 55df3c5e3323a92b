"""A put may wait for longer than a slave that starts waits before its first report.

Differs from 4.4.0: with its own timers a put is over by then. From 4.7.1 until 4.9.3 each put waits
its whole time from its turn on, however long it has waited behind others:
``GroupTransferService#doWaitTransfer`` takes ``syncFlushTimeout`` anew for each request, and
nothing else limits a put. In other releases a longer ``syncFlushTimeout`` or ``slaveTimeout`` of
the master, or a shorter ``haSendHeartbeatInterval`` of a slave, has the same effect.
"""

from __future__ import annotations

from reference.language.operators import negate
from reference.language.rule import RuleBody, rule, when
from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.connection import change_link
from reference.worlds.replication.replication import is_earlier_put_over
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="put_outlasts_first_report",
    sentence="A slave may start and report while a put from before its start still waits.",
    comes_from="RocketMQ 4.7.1, GroupTransferService#doWaitTransfer and GroupCommitRequest"
    "#wakeupCustomer, until slaveTimeout of 4.9.3 (queued_puts_471 seq 122 to 125, "
    "queued_puts_480); timers of other releases (short_heartbeat_440 seq 107 to 115).",
    span=Span("4.7.1", until="4.9.3"),
)


@rule(
    who="slave",
    source="HAClient#isTimeToReportOffset, GroupTransferService#doWaitTransfer at 4.7.1",
    into=VARIANT.rules,
    heals="replication",
    says="<~ first report, an earlier put still waits",
)
def report_offset_to_earlier_put(cluster: Cluster, slave: int) -> RuleBody:
    """A slave sends its first report while a put from before its start still waits: no fault."""
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=cluster.slaves[slave].is_up,
        has_not_reported=negate(link.has_reported),
        is_earlier_put_waiting=negate(is_earlier_put_over(cluster, slave)),
    )
    # EFFECT
    return change_link(cluster, slave, has_reported=True)
