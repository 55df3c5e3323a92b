"""Once retention has deleted the file in which dispatch was, dispatch continues at the first file.

Differs from 4.4.0: ``DefaultMessageStore.ReputMessageService#doReput`` raises ``reputFromOffset``
to the min offset of the commit log if it is below that.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.releases.releases import Span
from reference.worlds.replication.state import Cluster, CommitLog

VARIANT = Variant(
    name="dispatch_from_first_file",
    sentence="Dispatch that retention has overtaken continues at the first file.",
    comes_from="DefaultMessageStore.ReputMessageService#doReput at 4.5.1 (4.4.0 has no such line; "
    "T4-00462).",
    span=Span("4.5.1"),
)


@VARIANT.override
def is_dispatch_file_there(cluster: Cluster, log: CommitLog) -> bool:
    """Dispatch finds a file to continue in, whatever was deleted."""
    return True
