"""A put is answered only when every slave that is connected and has reported holds its end.

Differs from 4.4.0: ``GroupTransferService#doWaitTransfer`` checks the last report of each
connection instead of the highest report of all, ``push2SlaveMaxOffset``.
"""

from __future__ import annotations

from reference.language.operators import all_of, any_of, implies
from reference.language.variant import Variant
from reference.worlds.replication.state import Cluster, Message

VARIANT = Variant(
    name="ack_by_all_in_sync",
    sentence="All slaves that are connected and have reported must report a put, not just one.",
    comes_from="allAckInSyncStateSet of RocketMQ 5.0, without its controller: counted per "
    "connection.",
)


@VARIANT.override
def is_reported(cluster: Cluster, put: Message) -> bool:
    """Every connection that has reported, and at least one, has reported the message's end."""
    in_sync = [link.is_open & (link.slave_ack_offset >= 0) for link in cluster.links]
    return any_of(*in_sync) & all_of(
        *(
            implies(is_in_sync, put.end_offset <= link.slave_ack_offset)
            for is_in_sync, link in zip(in_sync, cluster.links, strict=True)
        )
    )
