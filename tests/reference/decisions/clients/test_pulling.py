"""What a consumer sends for a pull, and what it makes of each answer."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from reference.decisions.clients.flow_control import FlowLimits
from reference.decisions.clients.process_queue import CachedMessage
from reference.decisions.clients.pulling import decode, make_reply, pull, react
from reference.decisions.clients.push_consumer import (
    ConsumerSettings,
    DelayedTask,
    PushConsumer,
    TaskKind,
    drop,
    make_reader,
)
from reference.decisions.clients.requests import (
    SILENCE,
    Network,
    PullReply,
    PullRequest,
    RouteRequest,
)
from reference.decisions.reading.client import Client
from reference.decisions.reading.get_message import GetMessageResult, GetMessageStatus
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.pull_processor import PullAnswer
from reference.decisions.reading.subscription import parse_tags


def answer(code: int, begin: int = 9, *offsets: int, tag: str | None = None) -> PullReply:
    """An answer that suggests broker 1."""
    messages = tuple(CachedMessage(offset, 1, tag) for offset in offsets)
    return PullReply(code, begin, 0, 20, 1, messages)


def make(**settings: Any) -> PushConsumer:
    """A consumer at 4, with everything before done."""
    return evolve(make_reader(Client(), 4), settings=ConsumerSettings(**settings))


def ask(consumer: PushConsumer, reply: PullReply | None) -> PushConsumer:
    """The consumer after its next pull."""
    return pull(consumer, Network(pull=reply)).consumer


def test_a_batch_is_taken_and_the_next_pull_goes_at_once() -> None:
    """Next offset and suggested broker come from the answer."""
    consumer = ask(make(), answer(0, 9, 4, 5))
    assignment = consumer.assignments[0]
    assert (assignment.next_offset, assignment.cache.offsets) == (9, (4, 5))
    assert (consumer.client.suggested_id, consumer.ready, consumer.later) == (1, (0,), ())
    assert [batch.messages for batch in consumer.batches] == [
        (CachedMessage(4, 1),),
        (CachedMessage(5, 1),),
    ]
    pairs = ask(make(batch_messages=2), answer(0, 9, 4, 5, 6)).batches
    assert [len(batch.messages) for batch in pairs] == [2, 1]


@pytest.mark.parametrize("reply", [answer(0), answer(0, 9, 4, 5, tag="B"), answer(0, 9, 4)])
def test_found_without_a_message_that_is_taken(reply: PullReply) -> None:
    """The cache stays empty, so the next 19 moves progress on (B3-03239, B3-02512)."""
    consumer = ask(make(tags=parse_tags("A || C").tags, pull_interval_ms=200), reply)
    assert (consumer.assignments[0].cache.offsets, consumer.memory_offset) == ((), 4)
    assert (consumer.ready, consumer.later) == ((0,), ())
    assert ask(consumer, answer(19, 13)).memory_offset == 13


def test_tags_are_compared_again() -> None:
    """A subscription to everything takes messages without a tag too."""
    assert parse_tags("*").tags == parse_tags("").tags == frozenset()
    assert ask(make(tags=parse_tags("A||B").tags), answer(0, 9, 4, tag="B")).batches
    assert ask(make(), answer(0, 9, 4)).batches


def test_a_pull_interval_follows_messages_only() -> None:
    """``pullInterval``."""
    step = pull(make(pull_interval_ms=200), Network(pull=answer(0, 9, 4)))
    assert (step.scheduled_ms, step.consumer.ready) == ((200,), ())
    assert pull(make(pull_interval_ms=200), Network(pull=answer(19))).scheduled_ms == ()


@pytest.mark.parametrize("code", [19, 20])
@pytest.mark.parametrize(("cached", "before", "after"), [(0, 4, 9), (0, 12, 12), (1, 3, 3)])
def test_nothing_for_it(code: int, cached: int, before: int, after: int) -> None:
    """It pulls again at once; progress follows if nothing is cached, and only upwards."""
    consumer = ask(make_reader(Client(), 4, before, cached), answer(code))
    assert (consumer.memory_offset, consumer.assignments[0].next_offset) == (after, 9)
    assert (consumer.ready, consumer.client.suggested_id) == ((0,), 1)


def test_a_moved_offset_gives_up_the_queue() -> None:
    """The old progress stays until it is corrected (B3-02956)."""
    step = pull(make_reader(Client(), 30, cached=2), Network(pull=answer(21, 0)))
    consumer = step.consumer
    assert (step.scheduled_ms, consumer.later) == (
        (10_000,),
        (DelayedTask(TaskKind.CORRECT, 0, 10_000),),
    )
    assert consumer.assignments[0].is_dropped
    assert (consumer.memory_offset, consumer.assignments[0].next_offset) == (28, 0)
    assert (consumer.ready, consumer.assigned) == ((), 0)


@pytest.mark.parametrize(
    "reply",
    [
        None,
        PullReply(1),
        answer(16),
        evolve(answer(19), suggested_broker_id=None),
        evolve(answer(0), next_begin_offset=None),
        evolve(answer(21), min_offset=None),
        evolve(answer(20), max_offset=None),
    ],
)
def test_what_cannot_be_read_changes_nothing(reply: PullReply | None) -> None:
    """The same pull goes to the same broker three seconds later (B3-02544)."""
    consumer = evolve(make(), store=evolve(make().store, client=Client(suggested_id=1)))
    step = pull(consumer, Network(pull=reply))
    assert decode(reply) is None
    assert (step.sent[0], step.scheduled_ms) == (PullRequest(1, 4, 4, False, False, 32), (3_000,))
    assert step.consumer == evolve(
        consumer, ready=(), later=(DelayedTask(TaskKind.PULL, 0, 3_000),)
    )


def test_progress_goes_to_masters_only() -> None:
    """The number is always there, and the flag says whether it counts (R-CC-06, R-CC-07)."""
    (sent,) = pull(make(is_subscription_posted=True), SILENCE).sent
    assert sent == PullRequest(0, 4, 4, True, True, 32)
    (sent,) = pull(make_reader(Client(brokers=(1,)), 4), SILENCE).sent
    assert sent == PullRequest(1, 4, 4, False, False, 32)
    (sent,) = pull(make_reader(Client(), 4, 0), SILENCE).sent
    assert sent == PullRequest(0, 4, 0, False, False, 32)
    without = evolve(make(), store=evolve(make().store, offsets={}))
    assert pull(without, SILENCE).sent == (PullRequest(0, 4, -1, False, False, 32),)


def test_without_an_address_a_pull_is_tried_again() -> None:
    """After one look for a route."""
    lost = make_reader(Client(brokers=()), 4)
    step = pull(lost, SILENCE)
    assert (step.sent, step.scheduled_ms) == ((RouteRequest(),), (3_000,))
    step = pull(lost, Network(route=(1,), pull=answer(19)))
    assert step.sent == (RouteRequest(), PullRequest(1, 4, 4, False, False, 32))


def test_a_full_cache_puts_off_the_pull() -> None:
    """Nothing is sent for 50 ms."""
    full = ask(make(limits=FlowLimits(messages=1)), answer(0, 6, 4, 5))
    step = pull(full, Network(pull=answer(19)))
    assert (step.sent, step.scheduled_ms) == ((), (50,))
    wide = ask(make(limits=FlowLimits(span=4)), answer(0, 10, 4, 9))
    assert pull(wide, SILENCE).scheduled_ms == (50,)


def test_a_pull_of_a_dropped_queue_ends() -> None:
    """Without a request, and without another pull (B3-03463)."""
    step = pull(drop(make(), 0), SILENCE)
    assert (step.sent, step.scheduled_ms, step.consumer.ready) == ((), (), ())


def test_what_arrives_of_a_broker_s_answer() -> None:
    """Of a refusal the code only."""
    result = GetMessageResult(GetMessageStatus.FOUND, "", 9, 0, 20, message_count=2)
    found = PullAnswer(ResponseCode.SUCCESS, "", suggested_broker_id=1, result=result)
    assert make_reply(found) == PullReply(0, 9, 0, 20, 1, (CachedMessage(7), CachedMessage(8)))
    refused = PullAnswer(ResponseCode.NO_PERMISSION, "")
    assert make_reply(refused) == PullReply(16)
    assert react(make(), 0, make_reply(refused)).by == "is_answer_unreadable"
