"""Lineage against a log of explicit bytes: every byte a (life, offset) pair."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference import lineage
from reference.state import ANSWERED, CommitLog, Message

LIVES = 3


def logs() -> st.SearchStrategy[CommitLog]:
    """Logs of three lives and up to nine bytes."""
    lengths = st.lists(st.integers(0, 3), min_size=LIVES, max_size=LIVES)
    return lengths.map(lambda ns: CommitLog(ends=tuple(sum(ns[: i + 1]) for i in range(LIVES))))


def messages() -> st.SearchStrategy[Message]:
    """Messages of any life that lie within the first nine bytes."""
    return st.builds(
        lambda life, start, size: Message(
            phase=ANSWERED, ghost_life=life, start_offset=start, end_offset=start + size
        ),
        st.integers(0, LIVES - 1),
        st.integers(0, 8),
        st.integers(1, 3),
    )


def spell(log: CommitLog) -> list[int]:
    """The life of each byte of a log."""
    lives, start = [], 0
    for life, end in enumerate(log.ends):
        lives += [life] * (end - start)
        start = end
    return lives


@given(logs(), messages())
def test_holding_a_message_is_holding_each_byte(log: CommitLog, message: Message) -> None:
    """has_message and has_first_bytes say what they say, byte by byte."""
    held = spell(log)[message.start_offset : message.end_offset]
    size = message.end_offset - message.start_offset
    assert ([message.ghost_life] * size == held) == lineage.has_message(log, message)
    assert (held[:1] == [message.ghost_life]) == lineage.has_first_bytes(log, message)


@given(logs(), logs())
def test_prefix_and_equality_compare_bytes(one: CommitLog, other: CommitLog) -> None:
    """is_prefix and has_equal_bytes compare what both hold."""
    a, b = spell(one), spell(other)
    common = min(len(a), len(b))
    assert (a[:common] == b[:common]) == lineage.has_equal_bytes(one, other)
    assert (b[: len(a)] == a) == lineage.is_prefix(one, other)


@given(logs(), logs(), st.integers(1, 4))
def test_copying_takes_the_sources_bytes(log: CommitLog, source: CommitLog, size: int) -> None:
    """copy_bytes appends just the source's bytes from the log's own end on."""
    end = min(log.max_offset + size, source.max_offset)
    if end <= log.max_offset or not is_ordered_copy(log, source):
        return
    copied = lineage.copy_bytes(log, source, end)
    assert spell(log) + spell(source)[log.max_offset : end] == spell(copied)


def is_ordered_copy(log: CommitLog, source: CommitLog) -> bool:
    """The copied bytes are of no earlier life than the log's last byte: the master's life grows."""
    last = spell(log)[-1:] or [0]
    return spell(source)[log.max_offset] >= last[0]


@given(logs(), st.integers(0, 9))
def test_cutting_keeps_the_beginning(log: CommitLog, end: int) -> None:
    """cut_to drops the tail."""
    assert spell(log)[:end] == spell(lineage.cut_to(log, end))


@given(logs(), messages(), st.integers(0, 9))
def test_recovery_never_keeps_half_a_message(log: CommitLog, message: Message, end: int) -> None:
    """Cut at a boundary, a log holds a message from its first byte on or not at all."""
    end = min(end, log.max_offset)
    kept = lineage.cut_to(log, lineage.compute_boundary_at_or_below(log, (message,), end))
    if lineage.has_message(log, message):
        is_held = lineage.has_message(kept, message)
        assert is_held == lineage.has_first_bytes(kept, message)
