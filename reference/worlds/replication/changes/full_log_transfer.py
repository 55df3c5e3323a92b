"""A slave without bytes is sent the whole log of its master, not only the last file.

Differs from 4.4.0: if a slave requests 0, ``HAConnection.WriteSocketService#run`` begins at the
first file that the master still has.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="full_log_transfer",
    sentence="A slave without bytes is sent everything that its master has.",
    comes_from="Requested in issues 3661 and 9580; the opposite of syncFromLastFile in 5.0.",
)


@VARIANT.override
def compute_first_transfer_start(cluster: Cluster) -> int:
    """Where the transfer to a slave without bytes begins: at the master's first file."""
    return cluster.master.log.start_offset
