"""How much of the log a broker takes to be in memory, and what lies further back.

The comparison is of a distance in the log with the size of the machine's memory; nobody looks at
what is really cached (R-GM-08, DefaultMessageStore#getMessage at 4.4.0).
"""

from __future__ import annotations

DOUBLE_EXACT_BELOW = 2**53
"""Below it every whole number is a double; no machine has as many bytes of memory."""

DEFAULT_TOTAL_MEMORY_BYTES = 24 * 1024**3
"""What 4.4.0 assumes where it cannot ask the operating system (StoreUtil)."""


def compute_memory_bytes(total_bytes: int, ratio: int) -> int:
    """The share of the memory, as 4.4.0 computes it (R-GM-06).

    Two operations on doubles and a cast that cuts off what lies behind the point. Python's floats
    are the same IEEE doubles, so this is exact, not similar. ``total_bytes`` is from 0 to below
    DOUBLE_EXACT_BELOW, ``ratio`` is ``accessMessageInMemoryMaxRatio``, in percent.
    """
    return int(total_bytes * (ratio / 100.0))


def is_further_back_than_memory(max_offset: int, offset: int, memory_bytes: int) -> bool:
    """The record at ``offset`` lies more than ``memory_bytes`` behind the log's end (strictly)."""
    return max_offset - offset > memory_bytes
