"""A master that is elected again names its new epoch on the connections that are open.

Differs from controller mode: a connection that sends the last epoch notes that it has no end, and
never looks again (``AutoSwitchHAConnection#changeTransferEpochToNext``). Here it looks before each
frame whether the epoch has got an end, so that frames stop there and then name the next one.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="last_epoch_looked_up_again",
    sentence="A connection looks before each frame whether the epoch that it sends has ended.",
    comes_from="Pull request 9690 for issue 9689, merged after 2025-09-20; read at commit "
    "42de289dbd.",
    on="5.0.0-controller",
)


@VARIANT.override
def fix_epoch(cluster: Cluster, slave: int) -> Cluster:
    """No connection goes on to name an epoch that has ended.

    ``AbstractWriteSocketService#transferToSlave`` in commit 42de289dbd.
    """
    return cluster
