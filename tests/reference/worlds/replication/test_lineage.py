"""Lineage against a log of explicit bytes: every byte a (life, offset) pair."""

from __future__ import annotations

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from reference.language.machine import Action, compute_machine
from reference.worlds.replication import lineage, mapped_files
from reference.worlds.replication.commit_log import compute_room_bytes
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.state import ANSWERED, CommitLog, Message
from reference.worlds.replication.structure import Structure

LIVES = 3
ALONE = Structure(slaves=0)
FILES_OF_EIGHT = evolve(
    SMALL_PARAMETERS,
    mapped_file_size_bytes=8,
    message_size_max_bytes=7,
    ghost_log_size_max_bytes=96,
)
"""Eight messages fit, each in a file of its own."""


def logs() -> st.SearchStrategy[CommitLog]:
    """Logs of three lives and up to nine bytes, from whatever first byte on."""
    lengths = st.lists(st.integers(0, 3), min_size=LIVES, max_size=LIVES)
    logs = lengths.map(lambda ns: CommitLog(ends=tuple(sum(ns[: i + 1]) for i in range(LIVES))))
    return st.builds(
        lambda log, start: evolve(log, start_offset=min(start, log.max_offset)),
        logs,
        st.sampled_from((0, 0, 1, 3)),
    )


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


def spell(log: CommitLog) -> dict[int, int]:
    """The life of each byte that a log holds, by its offset."""
    lives, start = {}, 0
    for life, end in enumerate(log.ends):
        lives |= dict.fromkeys(range(start, end), life)
        start = end
    return {offset: life for offset, life in lives.items() if offset >= log.start_offset}


@given(logs(), messages())
def test_holding_a_message_is_holding_each_byte(log: CommitLog, message: Message) -> None:
    """has_message and has_first_bytes say what they say, byte by byte."""
    bytes_of = spell(log)
    held = [bytes_of.get(o) for o in range(message.start_offset, message.end_offset)]
    assert all(life == message.ghost_life for life in held) == lineage.has_message(log, message)
    assert (held[0] == message.ghost_life) == lineage.has_first_bytes(log, message)


@given(logs(), messages())
def test_unknown_content_holds_nothing(log: CommitLog, message: Message) -> None:
    """What a log holds behind a foreign offset nobody can tell."""
    unknown = evolve(log, ghost_unknown_below_offset=log.max_offset)
    assert not lineage.has_message(unknown, message)
    is_overlapping = bool(spell(log))
    assert not is_overlapping or not lineage.has_equal_bytes(unknown, log)


@given(logs(), logs())
def test_prefix_and_equality_compare_bytes(one: CommitLog, other: CommitLog) -> None:
    """is_prefix and has_equal_bytes compare what both hold."""
    a, b = spell(one), spell(other)
    is_equal = all(a[offset] == b[offset] for offset in a.keys() & b.keys())
    assert is_equal == lineage.has_equal_bytes(one, other)
    is_shorter = one.max_offset <= other.max_offset
    assert (is_shorter and is_equal) == lineage.is_prefix(one, other)


@given(logs(), logs(), st.integers(1, 4))
def test_copying_takes_the_sources_bytes(log: CommitLog, source: CommitLog, size: int) -> None:
    """copy_bytes appends just the source's bytes from the log's own end on."""
    end = min(log.max_offset + size, source.max_offset)
    source = evolve(source, start_offset=0)
    if end <= log.max_offset or not is_ordered_copy(log, source):
        return
    copied = lineage.copy_bytes(log, source, end)
    added = {o: life for o, life in spell(source).items() if log.max_offset <= o < end}
    assert spell(log) | added == spell(copied)


def is_ordered_copy(log: CommitLog, source: CommitLog) -> bool:
    """The copied bytes are of no earlier life than the log's last byte: the master's life grows."""
    last = max(spell(log).values(), default=log.ends.index(log.max_offset))
    return spell(source)[log.max_offset] >= last


@given(logs(), st.integers(0, 9))
def test_cutting_keeps_the_beginning(log: CommitLog, end: int) -> None:
    """cut_to drops the tail."""
    end = max(end, log.start_offset)
    kept = {offset: life for offset, life in spell(log).items() if offset < end}
    assert kept == spell(mapped_files.cut_to(log, end, SMALL_PARAMETERS))


@given(logs(), messages(), st.integers(0, 9))
def test_recovery_never_keeps_half_a_message(log: CommitLog, message: Message, end: int) -> None:
    """Cut where a scan ends, a log holds a message from its first byte on or not at all."""
    end = max(log.start_offset, min(end, log.max_offset))
    scanned = lineage.compute_scan_end(log, (message,), end)
    kept = mapped_files.cut_to(log, scanned, SMALL_PARAMETERS)
    assert lineage.has_message(kept, message) == lineage.has_first_bytes(kept, message)


@given(st.lists(st.integers(1, 7), max_size=8))
def test_no_message_crosses_a_file(sizes: list[int]) -> None:
    """A message that does not fit goes to a new file; flushed file by file, all is on disk."""
    log = append_all(sizes)
    flushes = 0
    while mapped_files.has_unflushed_bytes(log, log.max_offset):
        log = mapped_files.flush(log, log.max_offset, FILES_OF_EIGHT)
        flushes += 1
    size = FILES_OF_EIGHT.mapped_file_size_bytes
    assert flushes == len({o // size for o in spell(log)})
    assert log.ghost_durable_offset == log.max_offset


def append_all(sizes: list[int]) -> CommitLog:
    """A master's log with messages of these sizes, each within one file and its blank."""
    size = FILES_OF_EIGHT.mapped_file_size_bytes
    machine = compute_machine(ALONE)
    cluster = ALONE.make_initial(FILES_OF_EIGHT)
    for length in sizes:
        if compute_room_bytes(cluster.master.log, FILES_OF_EIGHT) < length:
            cluster = machine.step(cluster, Action("fill_file")).cluster
            assert 0 == cluster.master.log.max_offset % size
        action = Action("append_other_message", {"size_bytes": length})
        outcome = machine.step(cluster, action)
        assert not outcome.is_refused
        cluster, log = outcome.cluster, outcome.cluster.master.log
        assert (log.max_offset - length) // size == (log.max_offset - 1) // size
        blank_bytes = FILES_OF_EIGHT.end_file_min_blank_bytes
        assert log.max_offset + blank_bytes <= log.last_file_offset + size
    return cluster.master.log
