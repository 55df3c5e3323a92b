"""Retention may delete a file that the flush has not reached.

Differs from 4.4.0: with other settings than its own, ``fileReservedTime`` is not well above the
longest time between two flushes. ``MappedFileQueue#deleteExpiredFileByTime`` asks how old a file
is, and nobody whether it is flushed. ``flushedWhere`` then lies below the first file, where no
flush finds a file, until the broker starts again.
"""

from __future__ import annotations

from reference.language.variant import Variant
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.state import Cluster, CommitLog

VARIANT = Variant(
    name="file_expires_unflushed",
    sentence="A file may expire before it is flushed.",
    comes_from="fileReservedTime not above the flush intervals (MappedFileQueue"
    "#deleteExpiredFileByTime and #findMappedFileByOffset at 4.4.0).",
    is_setting=True,
)


@VARIANT.override
def is_old_file_flushed(_cluster: Cluster, _log: CommitLog, _parameters: Parameters) -> bool:
    """Nobody asks."""
    return True
