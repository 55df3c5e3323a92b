"""Only the group transfer answers puts that wait for a slave, one after another.

Differs from 4.4.0: a put has no timer of its own. Its timeout is noticed when its turn comes, and
even then a report that covers it counts, however late.
"""

from __future__ import annotations

from reference.language.operators import negate
from reference.language.rule import RuleBody, rule, when
from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.put import (
    finish_slave_step,
    is_at_head_of_line,
    is_reported,
    is_waiting_for_slave,
)
from reference.worlds.replication.state import FLUSH_SLAVE_TIMEOUT, Cluster

VARIANT = Variant(
    name="answered_in_line",
    sentence="A put's wait for a slave ends only when its turn comes; reports are checked first.",
    comes_from="RocketMQ 4.7.0, CommitLog#submitReplicaRequest (queued_puts_470 seq 127; "
    "recordings of "
    "4.9.8, finding 6: PUT_OK after 3726 ms with slaveTimeout 3000, and time-outs of queued puts "
    "that add up).",
    span=Span("4.7.0"),
)


@rule(
    who="master",
    source="GroupTransferService#doWaitTransfer, GroupCommitRequest#wakeupCustomer at 4.7.1",
    into=VARIANT.rules,
    weight=1,
    heals="put",
    is_last_resort=True,
    says="m{number}: slave wait times out",
)
def time_out_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """When the put's turn comes, its deadline has passed and its end offset is not reported."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave=is_waiting_for_slave(put),
        is_at_head_of_line=is_at_head_of_line(cluster, message),
        is_not_reported=negate(is_reported(cluster, put)),
    )
    # EFFECT
    return finish_slave_step(cluster, message, status=FLUSH_SLAVE_TIMEOUT)
