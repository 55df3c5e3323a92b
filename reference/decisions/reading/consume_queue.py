"""A consume queue as a reader finds it: numbers for its ends, and a static table of entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attrs import frozen

from reference.configuration.keys import KEYS

ENTRY_BYTES = 20
"""Bytes of one entry (ConsumeQueue.CQ_STORE_UNIT_SIZE)."""


class Entry(NamedTuple):
    """Where a message lies in the commit log."""

    physical_offset: int
    size_bytes: int


def compute_entries_per_file(file_size_bytes: int) -> int:
    """Entries of one file of a queue: the size is rounded up to whole entries.

    Source: MessageStoreConfig#getMapedFileSizeConsumeQueue.
    """
    return -(-file_size_bytes // ENTRY_BYTES)


ENTRIES_PER_FILE = compute_entries_per_file(int(KEYS["mapedFileSizeConsumeQueue"].default or 0))
"""Entries of one file with the default ``mapedFileSizeConsumeQueue``."""


@frozen
class ConsumeQueue:
    """One queue of one topic on one broker; an unknown queue is an empty one (R-GM-01)."""

    min_offset: int = 0
    """Queue offset of the first entry whose message may still be there."""
    max_offset: int = 0
    """One past the queue offset of the last entry."""
    first_offset: int = 0
    """Queue offset of the first entry in the table."""
    entries: Sequence[Entry] = ()
    """As much of the queue as a reader may look at."""
    entries_per_file: int = ENTRIES_PER_FILE

    def list_from(self, offset: int) -> Sequence[Entry]:
        """The entries from a queue offset to the end of its file; nothing where there is no file.

        Source: ConsumeQueue#getIndexBuffer.
        """
        begin = offset - self.first_offset
        if not 0 <= begin < len(self.entries):
            return ()
        end = self.compute_next_file(offset) - self.first_offset
        return self.entries[begin:end]

    def compute_next_file(self, offset: int) -> int:
        """The first queue offset of the file behind the one of ``offset``.

        Source: ConsumeQueue#rollNextFile.
        """
        return offset + self.entries_per_file - offset % self.entries_per_file
