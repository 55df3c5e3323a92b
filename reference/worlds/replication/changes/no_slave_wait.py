"""A SYNC_MASTER waits for no slave.

Differs from 4.4.0: ``CommitLog#handleHA`` counts the acknowledgements that a put needs, including
the master's own; ``inSyncReplicas`` defaults to 1, which the master alone satisfies.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.releases.releases import CLASSIC, Span
from reference.worlds.replication.state import Cluster, Message

VARIANT = Variant(
    name="no_slave_wait",
    sentence="A SYNC_MASTER answers without any slave, unless inSyncReplicas is raised.",
    comes_from="RocketMQ 5.0.0, inSyncReplicas=1, the default (V-30).",
    span=Span("5.0.0", modes=(CLASSIC,)),
)


@VARIANT.override
def has_slave_wait(cluster: Cluster, put: Message) -> bool:
    """No put needs more than the master itself."""
    return False


@VARIANT.override
def is_slave_always_asked(cluster: Cluster) -> bool:
    """The master's own copy is enough for PUT_OK."""
    return False
