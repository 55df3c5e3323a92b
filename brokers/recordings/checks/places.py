"""Which places the messages of a slave's log have in its queues.

An entry goes to the end of its queue, whatever place its message names: where one before it never
came, all have lower places, and one that names a place which is taken is left out
(``ConsumeQueue#putMessagePositionInfo``; `torn_roll_kill` seq 294, `empty_first_file` seq 138).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from brokers.recordings.ahead.boundaries import list_segments
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.checks.displaced import list_pieces, list_whole
from brokers.recordings.view import View
from reference.worlds.replication.state import CommitLog


def is_plain(view: View, node: int) -> bool:
    """All messages have the places that they name: the log is the master's, or like it."""
    log = view.get_log(node)
    has_seam = len(list(list_segments(log))) > 1
    return node == MASTER or not (has_seam or is_displaced(log))


def is_displaced(log: CommitLog) -> bool:
    """A log has bytes of another offset, or nobody knows of which."""
    return log.start_offset < log.ghost_unknown_below_offset


def is_known(view: View, node: int) -> bool:
    """It is known which messages a broker dispatches, and in which order."""
    log = view.get_log(node)
    if not is_displaced(log):
        return True
    pieces, displaced = list_pieces(view, node), view.displaced[node]
    if not pieces or displaced is None or displaced.is_recovered:
        return False
    return list_whole(view, log, pieces, log.max_offset) is not None


def list_places(view: View, node: int, name: str, end: int) -> Iterator[tuple[int, RecordedPut]]:
    """The recorded messages of a queue in a slave's log up to ``end``, in their order there.

    The first one names its place, and so does one behind messages that the recording leaves out.
    """
    last, place = None, -1
    for put in list_dispatched(view, node, name, end):
        following = place + 1
        if last is None:
            following = put.queue_offset
        elif last.life == put.life and last.queue_offset < put.queue_offset:
            following = place + put.queue_offset - last.queue_offset
        elif 0 < put.queue_offset <= place:
            continue
        elif put.is_behind_gap:
            following = max(following, put.queue_offset)
        last, place = put, following
        yield place, put


def list_dispatched(view: View, node: int, name: str, end: int) -> Iterator[RecordedPut]:
    """The recorded messages of a queue that lie whole in a slave's log, up to ``end``."""
    log, pieces = view.get_log(node), list_pieces(view, node)
    if pieces:
        whole = list_whole(view, log, pieces, end) or ()
        yield from (put for put in whole if put.queue == name)
        return
    for segment in list_segments(log):
        index = view.plan.queue_index.get((segment.life, name))
        begin = bisect_left(index.starts, segment.start_offset) if index else 0
        high = bisect_right(index.ends, min(end, segment.end_offset)) if index else 0
        yield from index.puts[begin:high] if index else ()
