"""Logs as lineage: what it means to hold a message, to be a prefix, to lose a tail.

A byte is identified by its log epoch (`life` in the code) and its offset. In a log, the bytes of
epoch t lie between ``ends[t - 1]`` and ``ends[t]``. All functions here are linear in the offsets.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import all_of, any_of, choose, maximum, minimum, negate
from reference.worlds.replication.state import WAITS_FOR_DISK, CommitLog, Message


def compute_start_of_life(log: CommitLog, life: int) -> int:
    """The offset of the first byte of a log epoch (a static number) in this log."""
    return log.ends[life - 1] if life > 0 else 0


def is_written(put: Message) -> bool:
    """The message has been appended to the master's log at some time."""
    return put.phase >= WAITS_FOR_DISK


def is_in_lineage(log: CommitLog, put: Message) -> bool:
    """The log holds every byte of the message, or held it before it expired."""
    return any_of(
        *(
            (put.ghost_life == life)
            & (compute_start_of_life(log, life) <= put.start_offset)
            & (put.end_offset <= log.ends[life])
            for life in range(len(log.ends))
        )
    )


def is_torn(log: CommitLog, put: Message) -> bool:
    """A recovery has taken the message for whole although its last bytes are not its own."""
    start, end = log.ghost_torn_start_offset, log.ghost_torn_end_offset
    return (start < end) & (start < put.end_offset) & (put.start_offset < end)


def is_scanned(log: CommitLog, put: Message) -> bool:
    """A scan of the log takes the message for whole: it is complete; its end may be foreign."""
    is_held = is_known_from(log, put.start_offset) & is_in_lineage(log, put)
    return is_written(put) & is_held


def has_message(log: CommitLog, put: Message) -> bool:
    """The log holds every byte of the message, and no others in its place."""
    return is_scanned(log, put) & negate(is_torn(log, put))


def has_first_bytes(log: CommitLog, put: Message) -> bool:
    """The log holds the message's first byte, and perhaps all of it."""
    in_life = [
        (put.ghost_life == life)
        & (compute_start_of_life(log, life) <= put.start_offset)
        & (put.start_offset < log.ends[life])
        for life in range(len(log.ends))
    ]
    return is_written(put) & is_known_from(log, put.start_offset) & any_of(*in_life)


def is_known_from(log: CommitLog, offset: int) -> bool:
    """The log reaches down to the offset, and its content from there on is known."""
    return (log.start_offset <= offset) & (log.ghost_unknown_below_offset <= offset)


def is_prefix(log: CommitLog, of: CommitLog) -> bool:
    """The other log begins with the bytes of this log, as far as both reach down."""
    return (log.max_offset <= of.max_offset) & has_equal_bytes(log, of)


def has_foreign_bytes(log: CommitLog, low: int, high: int) -> bool:
    """Between two offsets, the log may hold bytes that no master ever had there."""
    start, end = log.ghost_foreign_start_offset, log.ghost_foreign_end_offset
    return (start < end) & (start < high) & (low < end)


def has_equal_bytes(one: CommitLog, other: CommitLog) -> bool:
    """The two logs hold the same known bytes wherever both hold bytes."""
    low = maximum(one.start_offset, other.start_offset)
    high = minimum(one.max_offset, other.max_offset)
    is_pure = all_of(*(negate(has_foreign_bytes(log, low, high)) for log in (one, other)))
    return (high <= low) | (has_equal_records(one, other) & is_pure)


def has_equal_records(one: CommitLog, other: CommitLog) -> bool:
    """Both logs hold records of the same epochs at the same places wherever both hold bytes."""
    low = maximum(one.start_offset, other.start_offset)
    is_empty = minimum(one.max_offset, other.max_offset) <= low
    is_known = is_known_from(one, low) & is_known_from(other, low)
    return is_empty | (has_equal_lives(one, other, low) & is_known)


def has_equal_lives(one: CommitLog, other: CommitLog, low: int) -> bool:
    """From ``low`` to where one of them ends, both logs have, or had, bytes of the same epochs."""
    high = maximum(low, minimum(one.max_offset, other.max_offset))
    lives = zip(one.ends, other.ends, strict=True)
    return all_of(
        *(minimum(maximum(a, low), high) == minimum(maximum(b, low), high) for a, b in lives)
    )


def is_of_one_earlier_life(log: CommitLog, present_life: int) -> bool:
    """All bytes of the log are of one epoch, which its master has left: no seam lies in it."""
    return any_of(
        *(
            (life < present_life)
            & (compute_start_of_life(log, life) <= log.start_offset)
            & (end == log.max_offset)
            for life, end in enumerate(log.ends)
        )
    )


def compute_common_end(one: CommitLog, other: CommitLog) -> int:
    """The end of the logs' agreement: the first offset at which one ends or the bytes differ."""
    result = minimum(one.max_offset, other.max_offset)
    for a, b in zip(one.ends, other.ends, strict=True):
        result = choose(a == b, result, minimum(result, a, b))
    return result


def append_bytes(log: CommitLog, life: int, size: int) -> CommitLog:
    """The log with ``size`` more bytes of the current log epoch at its end."""
    end = log.max_offset + size
    ends = tuple(choose(life <= i, end, old) for i, old in enumerate(log.ends))
    return evolve(log, ends=ends)


def is_followed_between(messages: tuple[Message, ...], low: int, high: int) -> bool:
    """A byte of a followed message belongs between these offsets."""
    return any_of(
        *(is_written(m) & (m.start_offset < high) & (low < m.end_offset) for m in messages)
    )


def append_foreign_bytes(log: CommitLog, end: int, *, is_followed: bool) -> CommitLog:
    """The log with bytes at its end, up to ``end``, that a recovery takes for those of a record.

    They count as part of the record, so its log epoch continues. Ghost fields note that they are
    foreign, and whether a followed message belongs there.
    """
    start = log.max_offset
    is_unknown = (log.ghost_unknown_below_offset == start) & (start > 0)
    is_pure = log.ghost_foreign_end_offset <= log.ghost_foreign_start_offset
    is_whole = log.ghost_torn_end_offset <= log.ghost_torn_start_offset
    first_torn = choose(is_whole, start, minimum(log.ghost_torn_start_offset, start))
    return evolve(
        log,
        ends=tuple(choose(old == start, end, old) for old in log.ends),
        ghost_unknown_below_offset=choose(is_unknown, end, log.ghost_unknown_below_offset),
        ghost_foreign_start_offset=choose(is_pure, start, log.ghost_foreign_start_offset),
        ghost_foreign_end_offset=end,
        ghost_torn_start_offset=choose(is_followed, first_torn, log.ghost_torn_start_offset),
        ghost_torn_end_offset=choose(is_followed, end, log.ghost_torn_end_offset),
    )


def copy_bytes(log: CommitLog, source: CommitLog, end: int) -> CommitLog:
    """The log with the source's bytes from its own max offset up to ``end``.

    If a segment of the source ends above the log's max offset, the copy ends it there too, at
    ``end`` at most. Lower segments stay as they are: nothing compares them
    (HAClient#dispatchReadRequest).
    """
    start = log.max_offset
    ends = tuple(
        choose(theirs > start, minimum(theirs, end), own)
        for own, theirs in zip(log.ends, source.ends, strict=True)
    )
    return evolve(log, ends=ends)


def mark_torn(log: CommitLog, low: int, high: int) -> CommitLog:
    """The log in which bytes between two offsets are not those of the records that they are in."""
    is_whole = log.ghost_torn_end_offset <= log.ghost_torn_start_offset
    start = choose(is_whole, low, minimum(log.ghost_torn_start_offset, low))
    end = choose(is_whole, high, maximum(log.ghost_torn_end_offset, high))
    return evolve(
        log,
        ghost_torn_start_offset=choose(low < high, start, log.ghost_torn_start_offset),
        ghost_torn_end_offset=choose(low < high, end, log.ghost_torn_end_offset),
    )


def copy_torn_marks(log: CommitLog, source: CommitLog, start: int) -> CommitLog:
    """The log that has copied the source from ``start`` on: what is torn there is torn here."""
    low = maximum(source.ghost_torn_start_offset, start)
    high = minimum(source.ghost_torn_end_offset, log.max_offset)
    return mark_torn(log, low, high)


def compute_scan_end(log: CommitLog, messages: tuple[Message, ...], end: int) -> int:
    """How far a scan of the log up to ``end`` gets: to the first followed message that is torn.

    A message is torn if the log holds its first byte but not all of it: its end is cut off, or
    other bytes follow in its place. Records are scanned one after another (R-RC-04, R-RP-02).
    """
    result = end
    for put in messages:
        is_begun = has_first_bytes(log, put) & (put.start_offset < end)
        is_whole = is_scanned(log, put) & (put.end_offset <= end)
        result = choose(is_begun & negate(is_whole), minimum(result, put.start_offset), result)
    return result


def compute_known_boundary(
    log: CommitLog, messages: tuple[Message, ...], master_log: CommitLog
) -> int:
    """The highest offset in the log that the followed messages guarantee to be a message boundary.

    A boundary counts only where the log goes through the same segments as the master's log. After a
    seam that the master does not have, and after unknown bytes, a scan of the log may stop anywhere
    (R-HC-18).
    """
    result = log.start_offset
    for put in messages:
        is_seamless = all_of(
            log.ghost_unknown_below_offset <= log.start_offset,
            *(
                (put.ghost_life <= life) | (log.ends[life] == master_log.ends[life])
                for life in range(len(log.ends))
            ),
        )
        starts = choose(has_first_bytes(log, put) & is_seamless, put.start_offset, log.start_offset)
        ends = choose(is_scanned(log, put) & is_seamless, put.end_offset, log.start_offset)
        result = maximum(result, starts, ends)
    return result
