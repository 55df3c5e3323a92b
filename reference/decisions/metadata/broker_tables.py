"""The tables of one broker, in memory and on disk, and their versions (DataVersion of 4.4.0)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from attrs import evolve, field, frozen

from reference.decisions.progress.offset_table import OffsetTable, commit


@frozen
class DataVersion:
    """Two versions are equal if both numbers are (R-MS-09); contents are not compared."""

    timestamp_ms: float
    """When the table was last changed, or when its manager was created."""
    counter: int = 0
    """The number of changes."""

    def compute_next(self, now_ms: float) -> DataVersion:
        """The version after a change (DataVersion#nextVersion)."""
        return DataVersion(now_ms, self.counter + 1)


Entry = TypeVar("Entry")

DelayOffsets: TypeAlias = Mapping[str, int]
"""By delay level: the queue offset of SCHEDULE_TOPIC_XXXX that is delivered next."""


@frozen
class VersionedTable(Generic[Entry]):
    """A table of topics or of groups; every change is written to disk immediately."""

    version: DataVersion
    entries: Mapping[str, Entry] = field(factory=dict)

    def put(self, name: str, entry: Entry, now_ms: float) -> VersionedTable[Entry]:
        """The table after a local change (R-MS-09)."""
        return VersionedTable(self.version.compute_next(now_ms), {**self.entries, name: entry})


@frozen
class BrokerTables:
    """A broker's data other than its log."""

    topics: VersionedTable[Any]
    groups: VersionedTable[Any]
    offsets: OffsetTable = field(factory=dict)
    """Progress in memory."""
    offset_file: OffsetTable | None = None
    """Progress on disk; None: there is no file."""
    delay_offsets: DelayOffsets = field(factory=dict)
    """Progress of delayed delivery in memory; a slave keeps the values of its start."""
    delay_file: DelayOffsets | None = None
    """Progress of delayed delivery on disk."""
    master_address: str | None = None
    """``SlaveSynchronize.masterAddr``."""

    def commit(self, key: str, queue: int, offset: int) -> BrokerTables:
        """The tables after a commit of progress, which changes memory only."""
        return evolve(self, offsets=commit(self.offsets, key, queue, offset))

    def persist_offsets(self) -> BrokerTables:
        """The tables after progress has been written."""
        return evolve(self, offset_file=self.offsets)

    def restart(self, now_ms: float, *, is_groups_version_kept: bool = False) -> BrokerTables:
        """The tables after a new process has read the files.

        Topics keep their version once a file of them has been written; groups do so from 5.3.1 on
        (SubscriptionGroupManager#decode, which had no #setDataVersion).
        """
        new = VersionedTable(DataVersion(now_ms), self.groups.entries)
        return evolve(
            self,
            groups=self.groups if is_groups_version_kept else new,
            offsets=self.offset_file or {},
            delay_offsets=self.delay_file or {},
            master_address=None,
        )
