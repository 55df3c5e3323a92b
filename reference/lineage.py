"""Logs as lineage: what it means to hold a message, to be a prefix, to lose a tail.

Bytes are identified by (life, offset). In a log, the bytes of life t lie between ``ends[t - 1]``
and ``ends[t]``; all functions here are linear in the offsets.
"""

from __future__ import annotations

from attrs import evolve

from reference.operations import all_of, any_of, choose, maximum, minimum
from reference.state import NOT_SENT, CommitLog, Message


def compute_start_of_life(log: CommitLog, life: int) -> int:
    """The offset of the first byte of a life (a static number) in this log."""
    return log.ends[life - 1] if life > 0 else 0


def is_written(message: Message) -> bool:
    """The message has once been appended to the master's log."""
    return message.phase > NOT_SENT


def has_message(log: CommitLog, message: Message) -> bool:
    """The log holds every byte of the message."""
    in_life = [
        (message.ghost_life == life)
        & (compute_start_of_life(log, life) <= message.start_offset)
        & (message.end_offset <= log.ends[life])
        for life in range(len(log.ends))
    ]
    return is_written(message) & any_of(*in_life)


def has_first_bytes(log: CommitLog, message: Message) -> bool:
    """The log holds the message's first byte, and perhaps all of it."""
    in_life = [
        (message.ghost_life == life)
        & (compute_start_of_life(log, life) <= message.start_offset)
        & (message.start_offset < log.ends[life])
        for life in range(len(log.ends))
    ]
    return is_written(message) & any_of(*in_life)


def is_prefix(log: CommitLog, of: CommitLog) -> bool:
    """The other log begins with the bytes of this log."""
    return (log.max_offset <= of.max_offset) & has_equal_bytes(log, of)


def has_equal_bytes(one: CommitLog, other: CommitLog) -> bool:
    """The two logs hold the same bytes wherever both hold bytes."""
    common = minimum(one.max_offset, other.max_offset)
    lives = zip(one.ends, other.ends, strict=True)
    return all_of(*(minimum(a, common) == minimum(b, common) for a, b in lives))


def append_bytes(log: CommitLog, life: int, size: int) -> CommitLog:
    """The log with ``size`` more bytes of the present life at its end."""
    end = log.max_offset + size
    ends = tuple(choose(life <= i, end, old) for i, old in enumerate(log.ends))
    return evolve(log, ends=ends)


def copy_bytes(log: CommitLog, source: CommitLog, end: int) -> CommitLog:
    """The log with the source's bytes from its own max offset up to ``end``.

    Where the source's segment ends beyond the copied range's start, the copy follows it; segments
    below are kept, whatever they are: nothing compares them (HAClient#dispatchReadRequest).
    """
    start = log.max_offset
    ends = tuple(
        choose(theirs > start, minimum(theirs, end), own)
        for own, theirs in zip(log.ends, source.ends, strict=True)
    )
    return evolve(log, ends=ends)


def cut_to(log: CommitLog, end: int) -> CommitLog:
    """The log without its bytes from ``end`` on."""
    return evolve(
        log,
        ends=tuple(minimum(old, end) for old in log.ends),
        flushed_offset=minimum(log.flushed_offset, end),
        ghost_durable_offset=minimum(log.ghost_durable_offset, end),
    )


def compute_boundary_at_or_below(log: CommitLog, messages: tuple[Message, ...], offset: int) -> int:
    """``offset``, or the start of the followed message that it would cut in two (R-RC-04)."""
    result = offset
    for message in messages:
        is_cut = (
            has_first_bytes(log, message)
            & (message.start_offset < offset)
            & (offset < message.end_offset)
        )
        result = choose(is_cut, message.start_offset, result)
    return result


def compute_known_boundary(
    log: CommitLog, messages: tuple[Message, ...], master_log: CommitLog
) -> int:
    """The highest message boundary in the log that the followed messages make certain.

    A boundary counts only where the log goes through the same segments as the master's log: behind
    a seam that the master does not have, a scan of the log may stop anywhere (R-HC-18).
    """
    result = 0
    for message in messages:
        is_seamless = all_of(
            *(
                (message.ghost_life <= life) | (log.ends[life] == master_log.ends[life])
                for life in range(len(log.ends))
            )
        )
        starts = choose(has_first_bytes(log, message) & is_seamless, message.start_offset, 0)
        ends = choose(has_message(log, message) & is_seamless, message.end_offset, 0)
        result = maximum(result, starts, ends)
    return result
