"""A controller's master refuses puts while it is alone: ``minInSyncReplicas=2``.

Differs from controller mode: ``CommitLog#asyncPutMessage`` counts the
SyncStateSet before it appends a message whose producer waits, and answers
IN_SYNC_REPLICAS_NOT_ENOUGH: nothing is stored then, so the model has no step. The set is not
counted again: a put that was appended while it had two members is answered by those that are left.
"""

from __future__ import annotations

from reference.language.operators import any_of, choose
from reference.language.variant import Variant
from reference.worlds.replication.controller.sync_state_set import is_member
from reference.worlds.replication.state import Cluster

TWO_IN_SYNC = "two_in_sync"

VARIANT = Variant(
    name=TWO_IN_SYNC,
    sentence="A put that waits is refused while the SyncStateSet has fewer than two members.",
    comes_from="RocketMQ 5.0.0 with enableControllerMode=true, allAckInSyncStateSet=true and "
    "minInSyncReplicas=2 (V-32; CommitLog#asyncPutMessage), from source.",
    on="5.0.0-controller",
)


def has_two_in_sync(cluster: Cluster) -> bool:
    """``AutoSwitchHAService#inSyncReplicasNums`` is two or more: the master always is a member."""
    return any_of(*(is_member(cluster, i) for i in range(len(cluster.slaves))))


@VARIANT.override
def compute_waits_max(cluster: Cluster) -> int:
    """A put that waits is appended only while a slave is a member (IN_SYNC_REPLICAS_NOT_ENOUGH)."""
    return choose(has_two_in_sync(cluster), 1, 0)
