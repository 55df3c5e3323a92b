"""How consume queues come about."""

from __future__ import annotations

import pytest
from attrs import evolve

from reference.decisions.reading.consume_queue import (
    BuiltQueue,
    MessageLocation,
    ReadableQueue,
    Transaction,
    assign_queue_offset,
    correct_min_offset,
    dispatch,
    load_next_offsets,
)


def build(*messages: tuple[int, int]) -> BuiltQueue:
    """A queue after these messages: queue offset and physical offset; each has 10 bytes."""
    built = BuiltQueue()
    for queue_offset, physical_offset in messages:
        built = dispatch(built, queue_offset, MessageLocation(physical_offset, 10))
    return built


def get_places(built: BuiltQueue) -> list[int]:
    """Where the messages of the entries lie."""
    return [entry.physical_offset for entry in built.queue.entries]


def test_each_message_takes_the_next_place() -> None:
    """A batch takes as many as it has messages; queues do not know of each other (R-CL-07)."""
    first, table = assign_queue_offset({}, "T-0")
    second, table = assign_queue_offset(table, "T-0", messages=3)
    third, table = assign_queue_offset(table, "T-0", Transaction.COMMIT)
    other, table = assign_queue_offset(table, "T-1")
    assert (first, second, third, other) == (0, 1, 4, 0)
    assert table == {"T-0": 5, "T-1": 1}


@pytest.mark.parametrize("transaction", [Transaction.PREPARED, Transaction.ROLLBACK])
def test_half_messages_take_no_place(transaction: Transaction) -> None:
    """Nor do those that take a transaction back."""
    table = {"T-0": 5}
    assert assign_queue_offset(table, "T-0", transaction) == (0, table)


def test_a_queue_grows_in_order() -> None:
    """One entry for each message."""
    built = build((0, 0), (1, 10), (2, 30))
    assert get_places(built) == [0, 10, 30]
    assert (built.queue.min_offset, built.queue.max_offset) == (0, 3)


def test_a_dispatch_may_be_repeated() -> None:
    """A recovery goes over the log again; nothing is doubled (R-RP-05)."""
    built = build((0, 0), (1, 10))
    for queue_offset, physical_offset in ((0, 0), (1, 10)):
        assert dispatch(built, queue_offset, MessageLocation(physical_offset, 10)) == built


def test_what_lies_before_the_last_entry_is_ignored() -> None:
    """A queue that outlived its log ignores new messages until the log has passed it (K-25)."""
    built = build((0, 0), (1, 500))
    assert get_places(dispatch(built, 2, MessageLocation(20, 10))) == [0, 500]
    assert get_places(dispatch(built, 2, MessageLocation(510, 10))) == [0, 500, 510]


def test_a_place_that_is_taken_is_ignored() -> None:
    """The message is in the log, and no consumer ever sees it (issue 15)."""
    built = build((0, 0), (1, 10), (2, 20))
    assert dispatch(built, 1, MessageLocation(30, 10)) == built


def test_a_gap_is_closed_up() -> None:
    """Expected to fail: that a message stands at the place that it was given."""
    built = build((0, 0), (3, 40))
    assert built.queue.max_offset == 2
    assert built.queue.list_from(1) == (MessageLocation(40, 10),)


def test_nobody_looks_at_place_0() -> None:
    """A message that says so is appended wherever the queue ends."""
    assert get_places(dispatch(build((0, 0), (1, 10)), 0, MessageLocation(20, 10))) == [0, 10, 20]


def test_a_new_slave_s_queue_begins_where_its_log_does() -> None:
    """It is sent the last file only (R-HC-19): the first message says the place."""
    built = build((82, 8_388_608), (83, 8_388_618))
    assert (built.queue.min_offset, built.queue.max_offset) == (82, 84)


@pytest.mark.parametrize(
    ("log_min_offset", "min_offset"), [(0, 0), (1, 1), (10, 1), (20, 2), (21, 0)]
)
def test_a_start_corrects_the_beginning(log_min_offset: int, min_offset: int) -> None:
    """To the first message that is still there; if there is none, it stays (R-RC-10)."""
    built = build((0, 0), (1, 10), (2, 20))
    assert correct_min_offset(built, log_min_offset).queue.min_offset == min_offset


def test_only_the_first_file_is_looked_at() -> None:
    """Where all of it points before the log, the beginning stays too low."""
    built = BuiltQueue(ReadableQueue(entries_per_file=2))
    for place in range(4):
        built = dispatch(built, place, MessageLocation(place * 10, 10))
    assert correct_min_offset(built, 10).queue.min_offset == 1
    assert correct_min_offset(built, 20) == built


def test_a_start_takes_the_next_places_from_the_queues() -> None:
    """So places that were lost with the log's tail are given again (R-RC-10, K-33)."""
    built = build((0, 0), (1, 10))
    table = load_next_offsets({"T-0": built})
    assert assign_queue_offset(table, "T-0")[0] == 2
    shorter = evolve(
        built, queue=evolve(built.queue, max_offset=1, entries=built.queue.entries[:1])
    )
    assert assign_queue_offset(load_next_offsets({"T-0": shorter}), "T-0")[0] == 1
