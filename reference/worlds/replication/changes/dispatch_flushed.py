"""Consumers see only what the master has flushed.

Differs from 4.4.0: ``DefaultMessageStore.ReputMessageService#doReput`` of the master stops at
``flushedWhere``.
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.variant import Variant
from reference.worlds.replication.dispatch import compute_dispatch_limit
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="dispatch_flushed",
    sentence="The master dispatches no message before it counts as flushed.",
    comes_from="RocketMQ 5.3.0 does so with SYNC_FLUSH, unless readUnCommitted is set.",
)


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: to the end of what counts as flushed."""
    log = cluster.master.log
    return minimum(compute_dispatch_limit(log, cluster.messages), log.flushed_offset)
