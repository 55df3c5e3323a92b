"""What a consumer has of a queue, and how far it says progress is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference.decisions.clients.process_queue import (
    NO_CHANGE,
    CachedMessage,
    ProcessQueue,
    compute_progress,
    is_dispatched,
    put,
    remove,
)


def make(*offsets: int) -> list[CachedMessage]:
    """Messages of 10 bytes."""
    return [CachedMessage(offset, 10) for offset in offsets]


def take_out(cache: ProcessQueue, *offsets: int) -> int:
    """The progress that a removal tells."""
    return compute_progress(cache, remove(cache, make(*offsets)))


def test_progress_is_the_first_message_left() -> None:
    """Whichever is removed (R-CC-11)."""
    cache = put(ProcessQueue(), make(4, 5, 7))
    assert take_out(cache, 5) == 4
    assert take_out(cache, 4) == 5
    assert take_out(cache, 4, 5, 7, 9) == 8


def test_progress_of_an_empty_cache_is_the_message_put_last() -> None:
    """Not the highest: a pull that went back makes it lower (B3-01913)."""
    cache = put(put(ProcessQueue(), make(8, 9)), make(3))
    assert cache.last_put == 3
    assert take_out(cache, 3, 8, 9) == 4


def test_nothing_is_told_of_an_empty_cache() -> None:
    """Progress stays (B3-02077)."""
    cache = put(ProcessQueue(), make(4))
    assert take_out(remove(cache, make(4)), 4) == NO_CHANGE == -1


def test_a_message_that_is_there_counts_once() -> None:
    """It takes the other's place, and does not become the one put last."""
    cache = put(put(ProcessQueue(), make(4, 5)), make(4))
    assert (cache.offsets, cache.body_bytes, cache.last_put) == ((4, 5), 20, 5)
    assert put(ProcessQueue(), make(4, 5, 4)) == put(ProcessQueue(), make(4, 5))


def test_the_span_reaches_from_the_first_to_the_last() -> None:
    """0 for one message or none."""
    assert ProcessQueue().span == put(ProcessQueue(), make(4)).span == 0
    assert put(ProcessQueue(), make(9, 4)).span == 5


def test_the_first_message_begins_consumption() -> None:
    """Once: concurrent consumption never asks for it again."""
    empty = ProcessQueue()
    full = put(empty, make(4))
    assert not is_dispatched(empty, put(empty, []))
    assert is_dispatched(empty, full)
    assert not is_dispatched(full, put(remove(full, make(4)), make(5)))


@given(st.lists(st.lists(st.integers(0, 30), max_size=5), max_size=8), st.sets(st.integers(0, 30)))
def test_a_removal_never_passes_what_is_left(puts: list[list[int]], gone: set[int]) -> None:
    """In whatever order messages came; sizes and numbers fit what is there."""
    cache = ProcessQueue()
    for offsets in puts:
        cache = put(cache, make(*offsets))
    after = remove(cache, make(*gone))
    assert set(after.offsets) == {offset for each in puts for offset in each} - gone
    assert list(after.offsets) == sorted(after.offsets)
    assert after.body_bytes == 10 * len(after.offsets)
    assert compute_progress(cache, after) <= min(after.offsets, default=31)
