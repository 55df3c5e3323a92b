"""Consumers see only what some slave has reported.

Differs from 4.4.0: ``DefaultMessageStore.ReputMessageService#doReput`` of the master stops at
``push2SlaveMaxOffset``.
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.variant import Variant
from reference.worlds.replication.dispatch import compute_dispatch_limit
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="dispatch_replicated",
    sentence="The master dispatches no message before some slave has reported it.",
    comes_from="The confirm offset of RocketMQ 5.0's controller mode, with 4.4.0's way of counting "
    "reports.",
)


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: to the highest report of this process life."""
    master = cluster.master
    limit = compute_dispatch_limit(master.log, cluster.messages)
    return minimum(limit, master.push2_slave_max_offset)
