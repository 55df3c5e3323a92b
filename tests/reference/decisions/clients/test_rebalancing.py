"""A queue is taken, given back, corrected; a consumer stops."""

from __future__ import annotations

import pytest
from attrs import evolve

from reference.decisions.clients.consuming import consume
from reference.decisions.clients.process_queue import CachedMessage
from reference.decisions.clients.pulling import pull
from reference.decisions.clients.push_consumer import (
    ConsumerSettings,
    ConsumerStep,
    PushConsumer,
    make_consumer,
    make_reader,
)
from reference.decisions.clients.rebalancing import (
    begin,
    is_changed,
    persist_all,
    rebalance,
    run_delayed,
    stop,
)
from reference.decisions.clients.requests import (
    SILENCE,
    CommitRequest,
    MaxOffsetRequest,
    Network,
    PullReply,
    Request,
    RouteRequest,
    StoredOffsetRequest,
    TimeOffsetRequest,
)
from reference.decisions.progress.client_offsets import ConsumeFromWhere, OffsetReply
from reference.decisions.reading.client import Client

NEW = make_consumer(Client())
UNKNOWN = Network(stored_offset=OffsetReply(22), max_offset=OffsetReply(0, 9))
AT_SEVEN = Network(stored_offset=OffsetReply(0, 7))
QUERY = StoredOffsetRequest(0)


def take(network: Network, consumer: PushConsumer = NEW) -> ConsumerStep:
    """A rebalance gives the consumer the queue."""
    return rebalance(consumer, network, is_assigned=True)


def test_a_queue_is_taken_where_its_group_was() -> None:
    """And pulled at once."""
    step = take(AT_SEVEN)
    assert step.sent == (QUERY,)
    assert (step.consumer.assignments[0].next_offset, step.consumer.memory_offset) == (7, 7)
    assert (step.consumer.assigned, step.consumer.ready) == (0, (0,))
    assert is_changed(NEW, step.consumer)
    again = take(AT_SEVEN, step.consumer)
    assert again == ConsumerStep(step.consumer)
    assert not is_changed(step.consumer, again.consumer)


@pytest.mark.parametrize("network", [SILENCE, evolve(UNKNOWN, max_offset=OffsetReply(1))])
def test_a_queue_is_not_taken_unless_it_is_known_where(network: Network) -> None:
    """It is asked for at the next rebalance again; nobody answers, or no master does."""
    step = take(network)
    assert (step.consumer.assigned, step.consumer.assignments, step.consumer.ready) == (
        None,
        (),
        (),
    )
    assert not is_changed(NEW, step.consumer)


def test_a_negative_offset_is_taken_into_memory_only() -> None:
    """The broker's answer, or the end that it tells (B3-00535)."""
    step = take(Network(stored_offset=OffsetReply(0, -5)))
    assert (step.consumer.assigned, step.consumer.memory_offset) == (None, -5)
    step = take(evolve(UNKNOWN, max_offset=OffsetReply(0, -3)))
    assert (step.consumer.assigned, step.consumer.memory_offset) == (None, None)


@pytest.mark.parametrize(
    ("strategy", "is_retry", "sent", "offset"),
    [
        ("LAST_OFFSET", False, [QUERY, MaxOffsetRequest(0)], 9),
        ("LAST_OFFSET", True, [QUERY], 0),
        ("FIRST_OFFSET", False, [QUERY], 0),
        ("TIMESTAMP", True, [QUERY, MaxOffsetRequest(0)], 9),
        ("TIMESTAMP", False, [QUERY, TimeOffsetRequest(0)], 3),
    ],
)
def test_what_a_master_is_asked_for(
    strategy: str, is_retry: bool, sent: list[Request], offset: int
) -> None:
    """Only by a group without progress (R-CC-15)."""
    settings = ConsumerSettings(ConsumeFromWhere[strategy], is_retry)
    network = evolve(UNKNOWN, time_offset=OffsetReply(0, 3))
    begun = begin(make_consumer(Client(), settings), network)
    assert ([*begun.sent], begun.offset) == (sent, offset)


def test_a_slave_is_not_asked_where_the_queue_ends() -> None:
    """After a look for a master the queue is left."""
    begun = begin(make_consumer(Client(brokers=(1,))), UNKNOWN)
    assert (begun.sent, begun.offset) == ((StoredOffsetRequest(1), RouteRequest()), None)
    begun = begin(make_consumer(Client(brokers=(1,))), evolve(UNKNOWN, route=(1, 0)))
    assert begun.sent[1:] == (RouteRequest(), MaxOffsetRequest(0))
    assert begun.offset == 9


def test_a_queue_that_is_lost_is_dropped() -> None:
    """Its progress is sent once more and forgotten; its pull is not sent any more."""
    step = rebalance(make_reader(Client(), 7), SILENCE, is_assigned=False)
    consumer = step.consumer
    assert step.sent == (CommitRequest(0, 0, 7),)
    assert (consumer.memory_offset, consumer.assigned) == (None, None)
    assert consumer.assignments[0].is_dropped
    assert pull(consumer, SILENCE).sent == ()
    assert rebalance(consumer, SILENCE, is_assigned=False) == ConsumerStep(consumer)


def test_a_queue_whose_pull_was_lost_is_taken_anew() -> None:
    """After two minutes, at the next rebalance."""
    reader = make_reader(Client(), 9, 7)
    step = rebalance(reader, AT_SEVEN, is_assigned=True, is_pull_idle=True)
    assert step.sent == (CommitRequest(0, 0, 7), QUERY)
    assert [assignment.is_dropped for assignment in step.consumer.assignments] == [True, False]
    assert (step.consumer.assigned, step.consumer.assignments[1].next_offset) == (1, 7)


def move(consumer: PushConsumer, begin: int) -> PushConsumer:
    """The consumer after code 21."""
    return pull(consumer, Network(pull=PullReply(21, begin, 0, 20, 1))).consumer


@pytest.mark.parametrize(("brokers", "broker_id"), [((0, 1), 0), ((1,), 1)])
def test_a_correction(brokers: tuple[int, ...], broker_id: int) -> None:
    """The old progress is sent until it comes; it is sent twice, to a slave too, and forgotten."""
    waiting = move(make_reader(Client(brokers=brokers), 30, 28), 5)
    assert persist_all(waiting, SILENCE).sent == (CommitRequest(broker_id, 0, 28),)
    assert take(AT_SEVEN, waiting) == ConsumerStep(waiting)
    step = run_delayed(waiting, SILENCE)
    assert step.sent == (CommitRequest(broker_id, 0, 5),) * 2
    assert (step.consumer.memory_offset, step.consumer.assigned) == (None, None)
    assert persist_all(step.consumer, SILENCE).sent == ()
    taken = take(Network(stored_offset=OffsetReply(0, 5)), step.consumer).consumer
    assert (taken.assigned, taken.assignments[1].next_offset, taken.memory_offset) == (1, 5, 5)


def test_a_correction_of_a_queue_that_was_given_back() -> None:
    """Its offset stays in memory; if the queue was taken again, it is given back again."""
    waiting = move(make_reader(Client(), 30, 28), 5)
    lost = rebalance(waiting, SILENCE, is_assigned=False).consumer
    step = run_delayed(lost, SILENCE)
    assert (step.sent, step.consumer.memory_offset) == ((CommitRequest(0, 0, 5),), 5)
    again = take(AT_SEVEN, lost).consumer
    step = run_delayed(again, SILENCE)
    assert len(step.sent) == 2
    assert (step.consumer.assigned, step.consumer.memory_offset) == (None, None)
    assert step.consumer.assignments[1].is_dropped


def test_shorter_delays_end_first() -> None:
    """A pull that failed is ready before an older correction."""
    lost = rebalance(move(make_reader(Client(), 9), 5), SILENCE, is_assigned=False).consumer
    failed = pull(take(AT_SEVEN, lost).consumer, SILENCE)
    assert [task.delay_ms for task in failed.consumer.later] == [10_000, 3_000]
    step = run_delayed(failed.consumer, SILENCE)
    assert (step.consumer.ready, step.consumer.later) == ((1,), ())


def test_a_stop_does_not_wait() -> None:
    """What is done behind an unfinished message is not stored, and is consumed again."""
    reply = PullReply(0, 6, 0, 20, 0, (CachedMessage(4), CachedMessage(5)))
    full = pull(make_reader(Client(), 4), Network(pull=reply)).consumer
    step = stop(consume(full, 1), SILENCE)
    assert step.sent == (CommitRequest(0, 0, 4),)
    assert step.consumer.assigned is None
    assert step.consumer.assignments[0].is_dropped
    assert stop(step.consumer, SILENCE) == ConsumerStep(step.consumer)
