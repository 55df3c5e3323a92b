"""A push consumer takes its queue, gives it back, corrects its progress, and stops.

Source: RebalanceImpl, RebalancePushImpl and DefaultMQPushConsumerImpl of the 4.4.0 client. The
assignment of queues to consumers is not decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import evolve, frozen

from reference.decisions.clients import offset_store
from reference.decisions.clients.offset_store import ReadOffsetType
from reference.decisions.clients.push_consumer import (
    Assignment,
    ConsumerStep,
    PushConsumer,
    TaskKind,
    drop,
    make_ready,
)
from reference.decisions.clients.requests import (
    MaxOffsetRequest,
    Network,
    Request,
    TimeOffsetRequest,
)
from reference.decisions.clients.routes import find
from reference.decisions.progress.client_offsets import (
    NOT_READABLE,
    Beginning,
    compute_pull_from_where,
    is_end_wanted,
    is_time_wanted,
    read_place,
)
from reference.decisions.reading.client import find_master

REBALANCE_MS = 20_000
"""How often a consumer rebalances (``rocketmq.client.rebalance.waitInterval``)."""
PULL_IDLE_MS = 120_000
"""A queue without a pull for longer is given back (``rocketmq.client.pull.pullMaxIdleTime``)."""

MASTER_QUESTIONS: Mapping[str, Callable[[int], Request]] = {
    is_end_wanted.__name__: MaxOffsetRequest,
    is_time_wanted.__name__: TimeOffsetRequest,
}
"""The request to a master, by the condition that decides where reading begins."""


@frozen
class Begun:
    """Where a consumer begins to read, and the requests it sent to find out."""

    consumer: PushConsumer
    offset: int | None
    """None: the queue is not taken."""
    sent: tuple[Request, ...] = ()


def begin(consumer: PushConsumer, network: Network) -> Begun:
    """Where a consumer begins to read its queue (RebalancePushImpl#computePullFromWhere, R-CC-15).

    It queries the first address for progress. If there is none, it may ask the master, and only the
    master, for the queue's end or for the first message of a time (B3-00552).
    """
    read = offset_store.read(consumer.store, consumer.queue, ReadOffsetType.STORE, network)
    consumer = evolve(consumer, store=read.store)
    settings = consumer.settings
    stored = NOT_READABLE if read.offset is None else read.offset
    beginning = Beginning(stored, settings.strategy, settings.is_retry_topic)
    decided = compute_pull_from_where(beginning)
    if decided.by not in MASTER_QUESTIONS:
        return Begun(consumer, decided.value, read.sent)
    found = find(consumer.client, find_master, network.route)
    consumer = evolve(consumer, store=evolve(consumer.store, client=found.client))
    sent = (*read.sent, *found.sent)
    if found.address is None:
        return Begun(consumer, None, sent)
    told = evolve(
        beginning,
        master_max_offset=read_place(network.max_offset),
        master_time_offset=read_place(network.time_offset),
    )
    question = MASTER_QUESTIONS[decided.by](found.address)
    return Begun(consumer, compute_pull_from_where(told).value, (*sent, question))


def is_queue_lost(consumer: PushConsumer, *, is_assigned: bool, is_pull_idle: bool) -> bool:
    """It has the queue, and another consumer gets it, or its pull has been lost (PULL_IDLE_MS)."""
    return consumer.assigned is not None and (not is_assigned or is_pull_idle)


def give_back(consumer: PushConsumer, network: Network) -> ConsumerStep:
    """Drop the queue: its progress is sent once more, then forgotten.

    Source: RebalancePushImpl#removeUnnecessaryMessageQueue of a concurrent consumer.
    """
    if consumer.assigned is None:
        return ConsumerStep(consumer)
    consumer = evolve(drop(consumer, consumer.assigned), assigned=None)
    exchange = offset_store.persist(consumer.store, consumer.queue, network)
    store = offset_store.forget(exchange.store, consumer.queue)
    return ConsumerStep(evolve(consumer, store=store), exchange.sent)


def take(consumer: PushConsumer, network: Network) -> ConsumerStep:
    """Take the queue if its beginning is known, and pull immediately.

    Leftover progress in memory is forgotten before any query (#removeDirtyOffset).
    """
    store = offset_store.forget(consumer.store, consumer.queue)
    begun = begin(evolve(consumer, store=store), network)
    if begun.offset is None or begun.offset < 0:
        return ConsumerStep(begun.consumer, begun.sent)
    number = len(begun.consumer.assignments)
    assignments = (*begun.consumer.assignments, Assignment(begun.offset))
    taken = evolve(begun.consumer, assignments=assignments, assigned=number)
    return ConsumerStep(make_ready(taken, number), begun.sent)


def rebalance(
    consumer: PushConsumer, network: Network, *, is_assigned: bool, is_pull_idle: bool = False
) -> ConsumerStep:
    """A rebalance decides whether the queue belongs to the consumer.

    ``is_pull_idle``: the last pull was longer ago than PULL_IDLE_MS. A consumer that has the queue
    keeps it, even if it is dropped and waits for its correction.
    Source: RebalanceImpl#updateProcessQueueTableInRebalance.
    """
    sent: tuple[Request, ...] = ()
    if is_queue_lost(consumer, is_assigned=is_assigned, is_pull_idle=is_pull_idle):
        given = give_back(consumer, network)
        consumer, sent = given.consumer, given.sent
    if not is_assigned or consumer.assigned is not None:
        return ConsumerStep(consumer, sent)
    taken = take(consumer, network)
    return evolve(taken, sent=(*sent, *taken.sent))


def is_changed(before: PushConsumer, after: PushConsumer) -> bool:
    """A rebalance has given the queue back, or taken it."""
    return before.assigned != after.assigned


def correct(consumer: PushConsumer, number: int, network: Network) -> ConsumerStep:
    """Correct progress after code 21, even to a lower value, and give the queue back (R-CC-09).

    Progress is sent, and sent again when the queue is given back, which also forgets it (B3-02956).
    The queue is given back as it is now, even if it was taken again meanwhile; if it no longer
    belongs to the consumer, the corrected progress stays in memory.
    """
    corrected = consumer.assignments[number].next_offset
    store = offset_store.update(consumer.store, consumer.queue, corrected, is_increase_only=False)
    exchange = offset_store.persist(store, consumer.queue, network)
    given = give_back(evolve(consumer, store=exchange.store), network)
    return evolve(given, sent=(*exchange.sent, *given.sent))


def run_delayed(consumer: PushConsumer, network: Network) -> ConsumerStep:
    """Run all delayed tasks, those with the shorter delay first."""
    tasks = sorted(consumer.later, key=lambda task: task.delay_ms)
    consumer = evolve(consumer, later=())
    sent: tuple[Request, ...] = ()
    for task in tasks:
        if task.kind is TaskKind.PULL:
            consumer = make_ready(consumer, task.assignment)
        else:
            corrected = correct(consumer, task.assignment, network)
            consumer, sent = corrected.consumer, (*sent, *corrected.sent)
    return ConsumerStep(consumer, sent)


def persist_all(consumer: PushConsumer, network: Network) -> ConsumerStep:
    """Send all progress, as every five seconds (#persistConsumerOffset, R-CC-12)."""
    is_own = consumer.assigned is not None
    assigned = frozenset({consumer.queue}) if is_own else frozenset()
    exchange = offset_store.persist_all(consumer.store, assigned, network)
    return ConsumerStep(evolve(consumer, store=exchange.store), exchange.sent)


def stop(consumer: PushConsumer, network: Network) -> ConsumerStep:
    """A clean stop: progress is sent once, and the queue dropped (#shutdown).

    The consumer waits neither for messages in consumption nor for the commit to arrive. Messages
    finished later, or after an unfinished one, are consumed again by another consumer.
    """
    sent = persist_all(consumer, network)
    consumer = sent.consumer
    if consumer.assigned is None:
        return sent
    return evolve(sent, consumer=evolve(drop(consumer, consumer.assigned), assigned=None))
