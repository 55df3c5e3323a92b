"""A controller's master answers on its own: ``allAckInSyncStateSet=false``, the default.

Differs from controller mode: ``CommitLog#asyncPutMessage`` then needs
``inSyncReplicas`` acknowledgements, one by default, which the master's own is; and
``CommitLog#getConfirmOffset`` is the end of the log: dispatch waits for no member, and a slave
enters the SyncStateSet only when it has everything. Who may be elected is decided as before.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.changes.no_slave_wait import (
    has_slave_wait,
    is_slave_always_asked,
)
from reference.worlds.replication.state import Cluster

ACK_BY_MASTER_ALONE = "ack_by_master_alone"

VARIANT = Variant(
    name=ACK_BY_MASTER_ALONE,
    sentence="The master answers without any member; dispatch does not wait for one either.",
    comes_from="RocketMQ 5.2.0 with enableControllerMode=true and "
    "allAckInSyncStateSet=false (V-33; CommitLog#asyncPutMessage, #getConfirmOffset), from source.",
    on="5.0.0-controller",
)

VARIANT.override(has_slave_wait)
VARIANT.override(is_slave_always_asked)


@VARIANT.override
def compute_confirm_offset(cluster: Cluster) -> int:
    """``CommitLog#getConfirmOffset``: the end of the master's log."""
    return cluster.master.log.max_offset
