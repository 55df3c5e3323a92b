"""A report counts for a put only on a connection that was sent the whole of its message.

Differs from 4.4.0: the master remembers where the transfer over each connection began. A report of
bytes below that only claims what a slave had before: it answers no put.
"""

from __future__ import annotations

from reference.language.operators import any_of
from reference.language.variant import Variant
from reference.worlds.replication.replication import is_positioned
from reference.worlds.replication.state import Cluster, Message

VARIANT = Variant(
    name="ack_above_transfer_start",
    sentence="A report answers only puts whose bytes were sent over the same connection.",
    comes_from="This model: it excludes both false acknowledgements with a number per connection.",
)


@VARIANT.override
def is_reported(cluster: Cluster, put: Message) -> bool:
    """A connection over which the whole message was sent has reported its end."""
    return any_of(
        *(
            link.is_open
            & is_positioned(link)
            & (link.transfer_start_offset <= put.start_offset)
            & (put.end_offset <= link.slave_ack_offset)
            for link in cluster.links
        )
    )
