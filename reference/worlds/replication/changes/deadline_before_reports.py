"""The group transfer checks a put's deadline first, then the reports.

Differs from 4.4.0: ``GroupTransferService#doWaitTransfer`` ends the wait of a put whose deadline
has passed without another check of the reports. In 4.9.1 the last check counts.
"""

from __future__ import annotations

from reference.language.rule import RuleBody, rule, when
from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.put import (
    finish_slave_step,
    is_at_head_of_line,
    is_waiting_for_slave,
)
from reference.worlds.replication.state import FLUSH_SLAVE_TIMEOUT, Cluster

VARIANT = Variant(
    name="deadline_before_reports",
    sentence="A put whose deadline has passed times out, whatever has been reported by then.",
    comes_from="RocketMQ 5.0.0 (V-40; recordings of 4.9.8, what is said of 5.x).",
    span=Span("5.0.0"),
)


@rule(
    who="master",
    source="GroupTransferService#doWaitTransfer at 5.0.0",
    into=VARIANT.rules,
    weight=1,
    heals="put",
    is_last_resort=True,
    says="m{number}: slave wait times out",
)
def time_out_slave_wait(cluster: Cluster, message: int) -> RuleBody:
    """When the put's turn comes, its deadline has passed: the reports are not checked again."""
    put = cluster.messages[message]
    # ENABLED WHEN
    yield when(
        is_waiting_for_slave=is_waiting_for_slave(put),
        is_at_head_of_line=is_at_head_of_line(cluster, message),
    )
    # EFFECT
    return finish_slave_step(cluster, message, status=FLUSH_SLAVE_TIMEOUT)
