"""With SYNC_FLUSH, consumers see only what the broker has flushed, on a slave too.

Differs from 4.4.0: ``DefaultMessageStore.ReputMessageService#doReput`` stops at
``CommitLog#getConfirmOffset``, which is ``flushedWhere`` if the broker flushes synchronously,
whatever its role, unless ``readUnCommitted`` is set. A slave goes by its own ``flushDiskType``;
here it is its master's, and no verdict depends on that.
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.variant import Variant
from reference.releases.releases import CLASSIC, QUORUM, Span
from reference.worlds.replication.dispatch import compute_dispatch_limit
from reference.worlds.replication.state import Cluster, CommitLog

VARIANT = Variant(
    name="dispatch_flushed_with_sync_flush",
    sentence="With SYNC_FLUSH no broker dispatches a message before it counts as flushed there.",
    comes_from=(
        "RocketMQ 5.3.0, outside controller mode (V-37; v533_o_sync_flush_rollover: on both roles)."
    ),
    span=Span("5.3.0", modes=(CLASSIC, QUORUM)),
)


def compute_confirmed_end(cluster: Cluster, log: CommitLog) -> int:
    """How far a broker's dispatch can advance: with SYNC_FLUSH to the end of flushed bytes."""
    limit = compute_dispatch_limit(log, cluster.messages)
    return minimum(limit, log.flushed_offset) if cluster.structure.is_sync_flush else limit


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: with SYNC_FLUSH to the end of flushed bytes."""
    return compute_confirmed_end(cluster, cluster.master.log)


@VARIANT.override
def compute_slave_dispatch_limit(cluster: Cluster, slave: int) -> int:
    """How far a slave's dispatch can advance: with SYNC_FLUSH to the end of flushed bytes."""
    return compute_confirmed_end(cluster, cluster.slaves[slave].log)
