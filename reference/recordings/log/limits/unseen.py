"""Where a master's log may end among messages that nobody saw put: between two ends that were seen.

A whole broker shows its answers only, but every look at its log shows where a message ends; the
next one is at least a head longer (CommitLog#calMsgLength, 4.4.0).
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right

from reference.recordings.ahead.plan import Plan
from reference.recordings.ahead.puts import MESSAGE_HEAD_BYTES

Ends = tuple[int, ...]
"""Offsets in increasing order."""


def list_sure_ends(plan: Plan) -> Ends:
    """Where messages of the master's log end, wherever else they do; nothing where that is open.

    It is open where the log was cut or replaced: another message may have ended within one that was
    seen later. So it is beyond the first file, where blanks lie, and where a slave that had none
    stores bytes of a later file at offset 0 (R-HC-20); beyond one batch, which may end inside a
    message (R-HC-10); and where a slave has begun with a log of its own.
    """
    ends = plan.end_observations.values
    is_rising = all(one <= other for one, other in itertools.pairwise(ends))
    sizes = plan.parameters
    low = min(int(sizes.mapped_file_size_bytes), int(sizes.ha_transfer_batch_size_bytes))
    begins = [link.slave_observations.values[:1] for link in plan.links]
    is_cut = bool(plan.surgeries) or not is_rising or any(begin != (0,) for begin in begins)
    if not plan.are_puts_hidden or is_cut or max(ends, default=low) >= low:
        return ()
    told = (end for put in plan.puts for end in (put.start_offset, put.end_offset))
    return tuple(sorted({0, *ends, *told}))


def may_end_among(ends: Ends, offset: int) -> bool:
    """A message of the master's log may end here: whole messages fit on both sides.

    Nothing is known beyond the last of the ends.
    """
    if not ends or offset == 0 or offset > ends[-1]:
        return True
    if offset < 0:
        return False
    below = ends[bisect_left(ends, offset) - 1]
    above = ends[bisect_right(ends, offset) :][:1]
    gaps = (offset - below, *(end - offset for end in above))
    return min(gaps) >= MESSAGE_HEAD_BYTES
