"""A master that counts who is in sync may answer a put alone.

Differs from a quorum: with ``enableSlaveActingMaster`` and ``enableAutoInSyncReplicas``,
``CommitLog#asyncPutMessage`` needs as many acknowledgements as brokers are in sync before it
appends, at most ``inSyncReplicas``. It counts what the name server last said
(``BrokerController#syncBrokerMemberGroup``, each second) and the connections that are not too far
behind (``DefaultHAService#inSyncReplicasNums``). The smaller number counts, so that the master
needs only itself also when the name server has not heard of a connected slave. The model lets it
be so at any time: no verdict that is proved needs more.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.state import Cluster, Message

ANSWERED_BY_THOSE_IN_SYNC = "answered_by_those_in_sync"

VARIANT = Variant(
    name=ANSWERED_BY_THOSE_IN_SYNC,
    sentence="A put waits for a slave, or is answered by the master alone.",
    comes_from="RocketMQ 5.0.0 with enableSlaveActingMaster=true, enableAutoInSyncReplicas=true "
    "and inSyncReplicas=2 (CommitLog#asyncPutMessage, #calcNeedAckNums), from source.",
    on="5.0.0-quorum",
    is_setting=True,
)


@VARIANT.override
def has_no_slave_wait(_cluster: Cluster, _put: Message) -> bool:
    """Fewer brokers than ``inSyncReplicas`` may have counted as in sync."""
    return True


@VARIANT.override
def is_slave_always_asked(_cluster: Cluster) -> bool:
    """The master's own copy may be enough for PUT_OK."""
    return False
