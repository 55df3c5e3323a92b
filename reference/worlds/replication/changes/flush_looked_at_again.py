"""The group commit checks once more after its second flush.

Differs from 4.4.0: ``GroupCommitService#doCommit`` compares ``flushedWhere`` after each flush. A
message at the beginning of a file is no longer answered FLUSH_DISK_TIMEOUT although it is on disk.
"""

from __future__ import annotations

from reference.language.operators import negate
from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.put import DISK_FLUSHES_MAX, is_flushed
from reference.worlds.replication.state import Cluster, Message

VARIANT = Variant(
    name="flush_looked_at_again",
    sentence="The group commit also checks after its second flush, before it gives up a put.",
    comes_from="RocketMQ 4.8.0 (V-12; v498_o_sync_flush_rollover seq 70, 95, 121).",
    span=Span("4.8.0"),
)


@VARIANT.override
def has_check_left(cluster: Cluster, put: Message) -> bool:
    """The group commit checks before each flush and after the last one: always."""
    return True


@VARIANT.override
def has_no_check_left(cluster: Cluster, put: Message) -> bool:
    """Two flushes have been made, and they were not enough."""
    return (put.disk_flushes == DISK_FLUSHES_MAX) & negate(is_flushed(cluster, put))
