"""A slave that has connected reports the end of its own log.

Differs from controller mode: after the handshake ``AutoSwitchHAClient#doTruncate`` reports the
consistent point, even if the slave's log ends below it.
"""

from __future__ import annotations

from reference.language.operators import minimum
from reference.language.variant import Variant
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="own_end_reported",
    sentence="A slave that has connected reports no more than the end of its own log.",
    comes_from="This model: v533_controller_h seq 225 reports 9744 with 4060 bytes in the log.",
    on="5.0.0-controller",
)


@VARIANT.override
def compute_first_report(cluster: Cluster, slave: int, point: int) -> int:
    """The consistent point, or the end of the slave's log if that is lower."""
    return minimum(point, cluster.slaves[slave].log.max_offset)
