"""Recovery keeps a blank record at the very end of the master's log.

Differs from 4.4.0: ``CommitLog#recoverNormally`` and ``#recoverAbnormally`` count the blank of the
last file, so the log continues in the next file, as it would have without the restart.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.state import Cluster

VARIANT = Variant(
    name="blank_kept",
    sentence="A restart does not cut off the blank that fills the master's last file.",
    comes_from="This model: no issue reports what the cut does to a slave that has the blank.",
)


@VARIANT.override
def is_blank_to_cut(cluster: Cluster) -> bool:
    """Never: the blank counts like any other record."""
    return False
