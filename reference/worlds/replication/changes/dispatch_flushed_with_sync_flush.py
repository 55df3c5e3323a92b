"""With SYNC_FLUSH, consumers see only what the master has flushed.

Differs from 4.4.0: ``DefaultMessageStore.ReputMessageService#doReput`` of the master stops at
``flushedWhere`` if the master flushes synchronously, unless ``readUnCommitted`` is set.
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.variant import Variant
from reference.releases.releases import CLASSIC, QUORUM, Span
from reference.worlds.replication.dispatch import compute_dispatch_limit
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="dispatch_flushed_with_sync_flush",
    sentence="With SYNC_FLUSH the master dispatches no message before it counts as flushed.",
    comes_from="RocketMQ 5.3.0, outside controller mode (V-37).",
    span=Span("5.3.0", modes=(CLASSIC, QUORUM)),
)


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: with SYNC_FLUSH to the end of flushed bytes."""
    log = cluster.master.log
    limit = compute_dispatch_limit(log, cluster.messages)
    return minimum(limit, log.flushed_offset) if cluster.structure.is_sync_flush else limit
