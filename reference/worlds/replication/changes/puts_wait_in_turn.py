"""Each put waits its whole time from its turn on, however long it has waited behind others.

Differs from 4.4.0: ``GroupTransferService#doWaitTransfer`` takes ``syncFlushTimeout`` anew for each
request, and nothing else limits a put. So nothing ends before a restarted slave's first report.
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
    name="puts_wait_in_turn",
    sentence="A put has its whole time from its turn on: a slave may start and report meanwhile.",
    comes_from="RocketMQ 4.7.1, GroupTransferService#doWaitTransfer and GroupCommitRequest"
    "#wakeupCustomer, until slaveTimeout of 4.9.3 (queued_puts_471 seq 122 to 125, "
    "queued_puts_480).",
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
