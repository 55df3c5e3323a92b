"""What a consumer makes of messages that are done, and of those that are not."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from reference.decisions.clients.consuming import Failed, answer_send_back, consume, send_back
from reference.decisions.clients.process_queue import CachedMessage
from reference.decisions.clients.pulling import pull
from reference.decisions.clients.push_consumer import (
    ConsumeRequest,
    PushConsumer,
    drop,
    make_reader,
)
from reference.decisions.clients.requests import Network, PullReply
from reference.decisions.clients.sending import SendAnswer
from reference.decisions.name_server.client_side import Route
from reference.decisions.name_server.registry import QueueData
from reference.decisions.reading.client import Client
from reference.decisions.reading.pull import ResponseCode
from reference.roles import Role

OK, ERROR, NOTHING = SendAnswer(0), SendAnswer(1), SendAnswer(None)
BOTH = Route({"a": QueueData()}, {"a": {0: "m:1", 1: "s:1"}})
SLAVE_ONLY = Route({"a": QueueData()}, {"a": {1: "s:1"}})
TWO = Route({"a": QueueData(), "b": QueueData()}, {"a": {1: "s:1"}, "b": {0: "m:2"}})


@pytest.mark.parametrize(
    ("failed", "by"),
    [
        (Failed("a", BOTH, BOTH, {"a": OK}), "is_taken_back"),
        (Failed("a", BOTH, BOTH, {"a": NOTHING}), "is_left"),
        (Failed("a", BOTH, BOTH, {"a": ERROR}), "is_left"),
        (Failed("a", SLAVE_ONLY, SLAVE_ONLY, {}), "is_left"),
        (Failed("a", SLAVE_ONLY, None, {}), "is_left"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": OK}), "is_copied"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": SendAnswer(11)}), "is_copied"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": NOTHING}), "is_left"),
    ],
)
def test_ways(failed: Failed, by: str) -> None:
    """To the master of the name, else as a copy to any master, else nowhere (R-CC-17)."""
    assert send_back(failed).by == by


def make_full(*offsets: int) -> PushConsumer:
    """A consumer that has pulled these messages, in batches of one."""
    empty = make_reader(Client(), offsets[0])
    reply = PullReply(0, offsets[-1] + 1, 0, 100, 0, tuple(map(CachedMessage, offsets)))
    return pull(empty, Network(pull=reply)).consumer


def test_progress_is_the_first_message_that_is_not_done() -> None:
    """Whatever is done behind it (R-CC-11)."""
    consumer = make_full(4, 5, 6)
    consumer = consume(consumer, 1)
    assert (consumer.memory_offset, consumer.assignments[0].cache.offsets) == (4, (4, 6))
    consumer = consume(consumer, 0)
    assert (consumer.memory_offset, consumer.assignments[0].cache.offsets) == (6, (6,))
    consumer = consume(consumer, 0)
    assert (consumer.memory_offset, consumer.assignments[0].cache.offsets) == (7, ())


def test_a_message_that_is_left_holds_back_progress() -> None:
    """The consumer keeps it and consumes it again, so its progress does not pass it."""
    assert send_back(Failed("a", SLAVE_ONLY, None, {})).by == "is_left"
    consumer = make_full(4, 5)
    consumer = consume(consumer, 0, left={CachedMessage(4)})
    consumer = consume(consumer, 0)
    assert (consumer.memory_offset, consumer.assignments[0].cache.offsets) == (4, (4,))
    assert consumer.batches == (ConsumeRequest(0, (CachedMessage(4),)),)
    assert consume(consumer, 0).memory_offset == 6


def test_what_a_dropped_queue_has_consumed_does_not_count() -> None:
    """It is consumed again by whoever takes the queue (B3-02956)."""
    consumer = drop(make_full(4, 5), 0)
    after = consume(consumer, 0)
    assert (after.memory_offset, after.assignments) == (4, consumer.assignments)
    assert len(after.batches) == 1


def test_progress_is_not_told_twice() -> None:
    """A message that was put twice is consumed twice, the second time out of an empty cache."""
    consumer = make_full(4)
    again = evolve(consumer, batches=consumer.batches * 2)
    assert consume(consume(again, 0), 0).memory_offset == 5


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=40), st.data())
def test_progress_never_passes_an_unfinished_message(
    actions: list[tuple[int, bool]], data: st.DataObject
) -> None:
    """A broker that hands out a queue in order; batches end in any order, done or left."""
    consumer, unfinished = make_reader(Client(), 0), set[int]()
    for count, is_pull in actions:
        if is_pull and consumer.ready:
            begin = consumer.assignments[0].next_offset
            offsets = range(begin, begin + count)
            code = 0 if count else 19
            messages = tuple(map(CachedMessage, offsets))
            reply = PullReply(code, begin + count, 0, 100, 0, messages)
            consumer = pull(consumer, Network(pull=reply)).consumer
            unfinished |= set(offsets)
        elif consumer.batches:
            number = data.draw(st.integers(0, len(consumer.batches) - 1))
            (message,) = consumer.batches[number].messages
            is_left = data.draw(st.booleans())
            consumer = consume(consumer, number, {message} if is_left else ())
            unfinished -= set() if is_left else {message.offset}
        end = consumer.assignments[0].next_offset
        assert consumer.memory_offset is not None
        assert consumer.memory_offset <= min(unfinished, default=end)
        assert set(consumer.assignments[0].cache.offsets) == unfinished


def test_a_slave_takes_nothing_back() -> None:
    """Its store refuses puts, which is answered as an error."""
    assert answer_send_back(Role.SLAVE) is ResponseCode.SYSTEM_ERROR
    for role in (Role.ASYNC_MASTER, Role.SYNC_MASTER):
        assert answer_send_back(role) is ResponseCode.SUCCESS
