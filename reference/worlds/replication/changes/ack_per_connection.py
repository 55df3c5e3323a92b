"""A put of a SYNC_MASTER needs one connection whose last report covers it, and no prior check.

Differs from 4.4.0: ``GroupTransferService#doWaitTransfer`` checks each connection's own last
report; a closed connection no longer counts. ``HAService#isSlaveOK`` has no callers: no put is
answered SLAVE_NOT_AVAILABLE, and each waits until its timeout.
"""

from __future__ import annotations

from reference.language.operators import any_of
from reference.language.variant import Variant
from reference.releases.releases import QUORUM, Span
from reference.worlds.replication.connection import count_open_links
from reference.worlds.replication.state import Cluster, Message

VARIANT = Variant(
    name="ack_per_connection",
    sentence="An open connection must have reported a put; whether one exists is not checked.",
    comes_from="RocketMQ 5.0.0, inSyncReplicas=2 without controller (V-31).",
    span=Span("5.0.0", modes=(QUORUM,)),
)


@VARIANT.override
def is_connection_needed(cluster: Cluster) -> bool:
    """A put waits even if no slave has ever connected."""
    return False


@VARIANT.override
def is_slave_ok(cluster: Cluster, put: Message) -> bool:
    """The broker does not check whether a slave is connected, or how far it is behind."""
    return True


@VARIANT.override
def is_reported(cluster: Cluster, put: Message) -> bool:
    """A connection that the master keeps has reported the message's end.

    For a dead one that the master has not noticed, the model keeps no separate number: it may have
    reported as much as any slave did in this process life.
    """
    by_open_link = any_of(
        *(link.is_open & (put.end_offset <= link.slave_ack_offset) for link in cluster.links)
    )
    master = cluster.master
    has_dead_connection = count_open_links(cluster) < master.connection_count
    return by_open_link | (has_dead_connection & (put.end_offset <= master.push2_slave_max_offset))
