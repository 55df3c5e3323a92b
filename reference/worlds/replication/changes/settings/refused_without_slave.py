"""A master that counts who is in sync refuses puts without a connected slave.

Differs from a quorum: with ``enableSlaveActingMaster`` ``CommitLog#asyncPutMessage`` counts the
brokers in sync before it appends a message whose producer waits, and answers
IN_SYNC_REPLICAS_NOT_ENOUGH if there are fewer than it needs: nothing is stored then, so the model
has no step. A slave counts while it is connected and not too far behind, and the name server
knows it; the model asks for the connection. A put that was appended waits whatever happens to the
slave.
"""

from __future__ import annotations

from reference.language.operators import choose
from reference.language.variant import Variant
from reference.worlds.replication.state import Cluster

REFUSED_WITHOUT_SLAVE = "refused_without_slave"

VARIANT = Variant(
    name=REFUSED_WITHOUT_SLAVE,
    sentence="A put that waits is refused while no slave is connected.",
    comes_from="RocketMQ 5.0.0 with enableSlaveActingMaster=true and inSyncReplicas=2 "
    "(CommitLog#asyncPutMessage, DefaultHAService#inSyncReplicasNums), from source.",
    on="5.0.0-quorum",
    is_setting=True,
)


@VARIANT.override
def compute_waits_max(cluster: Cluster) -> int:
    """A put that waits is appended only with a connected slave (IN_SYNC_REPLICAS_NOT_ENOUGH)."""
    return choose(cluster.master.connection_count > 0, 1, 0)
