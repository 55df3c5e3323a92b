"""Where a master's log may end among messages that nobody saw put: between two ends that were seen.

A whole broker shows its answers only, but every look at its log shows where a message ends; the
next one is at least a head longer (CommitLog#calMsgLength, 4.4.0).
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right

from brokers.recordings.ahead.plan import Plan
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES
from reference.worlds.replication.parameters import Parameters

Ends = tuple[int, ...]
"""Offsets in increasing order."""


def list_sure_ends(plan: Plan) -> Ends:
    """Where messages of the master's log end, wherever else they do; nothing where that is open.

    It is open where the log was cut or replaced: another message may have ended within one that was
    seen later. So it is where a batch may end inside a message (R-HC-10), and where a slave has
    begun with a log of its own.
    """
    ends = plan.end_observations.values
    is_rising = all(one <= other for one, other in itertools.pairwise(ends))
    begins = [link.slave_observations.values[:1] for link in plan.links]
    is_cut = bool(plan.surgeries or plan.lives[-1]) or not is_rising
    is_cut |= any(begin != (0,) for begin in begins)
    if not plan.are_puts_hidden or is_cut or may_split(plan.parameters, max(ends, default=0)):
        return ()
    events = plan.recording.events
    own = (e.data for e in events if e.seq in plan.put_by_seq)
    after = (data["max_offset_after"] for data in own if "max_offset_after" in data)
    told = (end for put in plan.puts for end in (put.start_offset, put.end_offset))
    return tuple(sorted({0, *ends, *told, *after}))


def may_split(sizes: Parameters, end: int) -> bool:
    """A log that ends there may be sent in batches that end inside a message: not file by file."""
    batch = sizes.ha_transfer_batch_size_bytes
    return bool(batch < sizes.mapped_file_size_bytes and batch <= end)


def may_end_among(ends: Ends, offset: int, written: int, sizes: Parameters) -> bool:
    """A log may end here that its master has written, or sent, while it has ``written`` so much.

    A slave with an empty first file may have the bytes of a later file there (R-HC-20).
    """
    size = int(sizes.mapped_file_size_bytes)
    places = range(offset, written + 1, size) if offset > 0 else ()
    return offset == 0 or any(has_room(ends, place, sizes) for place in places)


def has_room(ends: Ends, offset: int, sizes: Parameters) -> bool:
    """Whole messages fit between here and the next ends on both sides, or a blank that ends a file.

    ``offset`` is above 0.
    """
    size = int(sizes.mapped_file_size_bytes)
    in_file = offset % size
    if not in_file:
        return True
    below = max(ends[bisect_left(ends, offset) - 1], offset - in_file)
    above = ends[bisect_right(ends, offset) :][:1]
    if offset - below < MESSAGE_HEAD_BYTES:
        return False
    file_end = offset - in_file + size
    if above and above[0] < file_end:
        return above[0] - offset >= MESSAGE_HEAD_BYTES
    return not above or file_end - offset >= sizes.end_file_min_blank_bytes
