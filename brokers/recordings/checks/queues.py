"""Consume queues: which messages of a queue a broker has dispatched, as ``queues`` shows it.

The entries of a queue are read after the cursor of the dispatch, so there may be a few more than
the cursor tells, up to the end of the log.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from brokers.disk.records.walking import RECORD_MIN_BYTES
from brokers.recordings.ahead.boundaries import list_segments
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.checks.places import is_displaced, is_known, is_plain, list_places
from brokers.recordings.clock import SKEW_MS
from brokers.recordings.kinds import BROKER_KINDS, END_KINDS, START_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View
from reference.worlds.replication.lineage import compute_start_of_life
from reference.worlds.replication.state import CommitLog


def check_queues(view: View, node: int, event: Event) -> View:
    """``queues``: by topic and queue the first and the next queue offset (R-RP-05).

    Of bytes at a foreign offset it is not always known which messages they bring
    (`v533_controller_n0` seq 161).
    """
    shown, log = event.data.get("queues"), view.get_log(node)
    if shown is None or view.plan.are_puts_hidden or not is_known(view, node):
        return view
    if not isinstance(shown, Mapping) or not all(_is_range(each) for each in shown.values()):
        raise Blocked("queues is no object of pairs of numbers")
    cursor = log.dispatched_offset
    if view.cluster.epoch_files:  # The rules leave open how far below that a slave's may stand.
        cursor = min(cursor, event["dispatched_offset"])
    for name in sorted({*view.plan.queue_names, *shown}):
        view = check_queue(view, node, name, shown.get(name, [0, 0]), cursor)
    return view


def _is_range(value: Any) -> bool:
    is_pair = isinstance(value, list) and len(value) == 2
    return is_pair and all(isinstance(n, int) and not isinstance(n, bool) for n in value)


def check_queue(
    view: View, node: int, name: str, shown: list[int], cursor: int | None = None
) -> View:
    """The ends of one queue, first and next queue offset, are those of the messages dispatched."""
    log = view.get_log(node)
    reached = log.dispatched_offset if cursor is None else cursor
    if node == MASTER:
        low = _find_next_offset(view, log, name, reached, has_deleted=True)
    else:
        low = _find_next_place(view, node, name, reached)
    high = _find_highest(view, node, name)
    first, following = shown
    if not low <= following <= high:
        raise Blocked(
            f"queue {name} ends at {following}, but it ends at {low} to {high} by the log"
        )
    if following == 0:
        return view
    put = _find_first_put(view, node, name)
    if put is None or first == put.queue_offset or first == find_begin_kept(view, node, name, put):
        return view
    if first < put.queue_offset and is_begin_late(view, node, name, first):
        return view
    raise Blocked(f"queue {name} begins at {first}, but at {put.queue_offset} by the log")


def is_begin_late(view: View, node: int, name: str, first: int) -> bool:
    """Files of the log were deleted, and a queue has begun there at each look since.

    It is looked after by a service of its own, later (DefaultMessageStore.CleanConsumeQueueService
    #deleteExpiredFiles; `retention_under_a_reading_slave` seq 139 to 184).
    """
    for event in view.plan.list_earlier(node, view.now_ms):
        if event.kind == "delete_expired_files":
            return True
        if event.kind in BROKER_KINDS and event.data.get("queues", {}).get(name, [-1])[0] != first:
            return False
    return False


def find_begin_kept(view: View, node: int, name: str, put: RecordedPut) -> int | None:
    """Where a queue began that had no message left when files were deleted, or at the start.

    It keeps its begin then, though its next message comes higher; None where that message, which
    is the first now, was there (``ConsumeQueue#correctMinOffset``; `flush_file_gone` seq 150).
    """
    plan, begin = view.plan, view.get_log(node).start_offset
    kept = 0
    for event in plan.list_earlier(node, view.now_ms):
        if event.kind in END_KINDS:
            break
        is_look = event.kind in BROKER_KINDS
        if is_look and name in event.data.get("queues", ()):
            kept = event["queues"][name][0]
            break
    return kept if begin and put.begin_ms > _find_last_deletion_ms(view, node, begin) else None


def _find_last_deletion_ms(view: View, node: int, begin: int) -> float:
    """When a broker last deleted a file at the earliest: it was seen to begin lower, or started."""
    for event in view.plan.list_earlier(node, view.now_ms):
        is_lower = event.kind in BROKER_KINDS and event["min_offset"] < begin
        if is_lower or event.kind in START_KINDS:
            return event.t_ms
    return 0.0


def check_queue_offset(view: View, put: RecordedPut) -> View:
    """A put's place in its queue follows the one before it in the log (R-CL-07)."""
    if view.plan.are_puts_hidden:
        return view
    log = view.log
    before = list(_list_last_puts(view, log, put.queue, put.start_offset, has_deleted=True))
    expected = _find_next_offset(view, log, put.queue, put.start_offset, has_deleted=True)
    since = max((each.number for each in before), default=-1)
    is_gap = any(each.is_behind_gap for each in view.plan.puts[since + 1 : put.number + 1])
    if put.queue_offset == expected or (is_gap and put.queue_offset > expected):
        return view
    is_first = all(each.process < put.process for each in before)
    if is_first and expected < put.queue_offset <= _find_stale_end(
        view, put.queue, put.process, put.start_offset
    ):
        return view
    raise Blocked(f"queue_offset is {put.queue_offset}, but {expected} is the next one")


def _find_stale_end(view: View, name: str, process: int, log_end: int) -> int:
    """Up to where entries that an earlier start has cut off may be in the queue again; 0 for none.

    ConsumeQueue#truncateDirtyLogicFiles moves the end of a queue down and leaves the entries
    behind it in the file. If the log has grown past their offsets by the start after that,
    ConsumeQueue#recover counts them again, whatever lies there now (4.4.0).
    """
    cut_ends = [cut for cut in view.plan.lost_offsets if cut + 1 < process]
    highest = 0
    for life in {view.plan.lives[cut] for cut in cut_ends}:
        index = view.plan.queue_index.get((life, name))
        place = bisect_left(index.starts, log_end) if index else 0
        if index and place:
            last = index.puts[place - 1]
            others = max(log_end - last.end_offset, 0) // RECORD_MIN_BYTES
            highest = max(highest, last.queue_offset + 1 + others)
    return highest


def _find_next_offset(view: View, log: CommitLog, name: str, end: int, *, has_deleted: bool) -> int:
    """The queue offset behind the last message of a queue that ends at ``end`` or below.

    ``has_deleted``: the broker had what its log has lost to retention, so its queues go on behind
    that; a slave's log may have begun there.
    """
    last = _list_last_puts(view, log, name, end, has_deleted=has_deleted)
    return max((put.queue_offset + 1 for put in last), default=0)


def _list_last_puts(
    view: View, log: CommitLog, name: str, end: int, *, has_deleted: bool
) -> Iterator[RecordedPut]:
    for life, life_end in enumerate(log.ends):
        index = view.plan.queue_index.get((life, name))
        start = compute_start_of_life(log, life)
        start = start if has_deleted else max(start, log.start_offset)
        place = bisect_right(index.ends, min(end, life_end)) if index and start < life_end else 0
        if index and place and index.puts[place - 1].start_offset >= start:
            yield index.puts[place - 1]


def _find_next_place(view: View, node: int, name: str, end: int) -> int:
    """The same for a slave, by the places that the messages have there."""
    if is_plain(view, node):
        return _find_next_offset(view, view.get_log(node), name, end, has_deleted=False)
    return max((1 + place for place, _ in list_places(view, node, name, end)), default=0)


def _find_highest(view: View, node: int, name: str) -> float:
    """The most entries that the queue may have by now."""
    log, plan = view.get_log(node), view.plan
    highest = _find_next_offset(view, log, name, log.max_offset, has_deleted=True)
    if not is_plain(view, node):
        highest = _find_next_place(view, node, name, log.max_offset)
    if node == MASTER:
        highest = max(highest, _find_stale_end(view, name, view.process, log.max_offset))
    if any(plan.tables[s.life].is_open_at(s.end_offset - 1) for s in list_segments(log)):
        return float("inf")
    if node != MASTER:
        return highest
    for number in range(view.next_put, len(plan.puts)):
        put = plan.puts[number]
        if put.begin_ms > view.now_ms + SKEW_MS or put.process != view.process:
            break
        if put.queue == name:
            highest = max(highest, put.queue_offset + 1)
    return highest


def _find_first_put(view: View, node: int, name: str) -> RecordedPut | None:
    """The first message of a queue in the log; None where nobody can tell, or there is none."""
    log = view.get_log(node)
    if is_displaced(log):
        places = list_places(view, node, name, log.max_offset)
        return next((put for _, put in places), None)
    for segment in list_segments(log):
        index = view.plan.queue_index.get((segment.life, name))
        place = bisect_left(index.starts, segment.start_offset) if index else 0
        table = view.plan.tables[segment.life]
        if index and place < len(index.puts) and index.ends[place] <= segment.end_offset:
            put = index.puts[place]
            before = table.list_within(segment.start_offset, put.end_offset)
            is_gap = any(each.is_behind_gap for each in before)
            return None if is_gap else put
    return None
