"""One queue of a push consumer: the state that decides its pulls, progress and consumption.

State changes are in `pulling` (a pull, its answer, delayed tasks), `rebalancing` (the queue is
taken and given back) and `consuming` (messages are done). A queue that was given back and taken
again has a new cache and a new pull; parts of the old ones may still be under way.
Source: DefaultMQPushConsumerImpl, RebalanceImpl and PullMessageService of the 4.4.0 client.
"""

from __future__ import annotations

import enum

from attrs import evolve, field, frozen

from reference.decisions.clients.flow_control import FlowLimits
from reference.decisions.clients.offset_store import OffsetStore
from reference.decisions.clients.process_queue import CachedMessage, ProcessQueue
from reference.decisions.clients.requests import Request
from reference.decisions.progress.client_offsets import ConsumeFromWhere
from reference.decisions.reading.client import Client


@frozen
class ConsumerSettings:
    """Settings of DefaultMQPushConsumer, and its subscription."""

    strategy: ConsumeFromWhere = ConsumeFromWhere.LAST_OFFSET
    """``consumeFromWhere``."""
    is_retry_topic: bool = False
    tags: frozenset[str] = frozenset()
    """The subscribed tags; none: all messages."""
    pull_interval_ms: int = 0
    """``pullInterval``: the pause after a pull that has brought messages."""
    messages_max: int = 32
    """``pullBatchSize``."""
    batch_messages: int = 1
    """``consumeMessageBatchMaxSize``."""
    is_subscription_posted: bool = False
    """``postSubscriptionWhenPull``."""
    limits: FlowLimits = field(factory=FlowLimits)


@frozen
class Assignment:
    """The queue from the rebalance that took it to the one that gives it back."""

    next_offset: int
    """Start of the next pull (``PullRequest#nextOffset``)."""
    cache: ProcessQueue = field(factory=ProcessQueue)
    is_dropped: bool = False
    """It is given up: no more messages of it are pulled or consumed."""


class TaskKind(enum.Enum):
    """Kinds of delayed tasks."""

    PULL = "the pull is ready again"
    CORRECT = "progress is corrected, and the queue given back"


@frozen
class DelayedTask:
    """A task that is done after a delay."""

    kind: TaskKind
    assignment: int
    delay_ms: int


@frozen
class ConsumeRequest:
    """Messages that wait to be consumed together (``ConsumeRequest``)."""

    assignment: int
    messages: tuple[CachedMessage, ...]


@frozen
class PushConsumer:
    """A consumer with one queue, assigned to it or not."""

    store: OffsetStore
    settings: ConsumerSettings = ConsumerSettings()
    queue: int = 0
    assignments: tuple[Assignment, ...] = ()
    """Every time that it took the queue; the other fields refer to one by index."""
    assigned: int | None = None
    """The assignment in ``processQueueTable``; a dropped queue may still be there."""
    ready: tuple[int, ...] = ()
    """Assignments whose pulls are sent next, in this order (``pullRequestQueue``)."""
    later: tuple[DelayedTask, ...] = ()
    batches: tuple[ConsumeRequest, ...] = ()
    """In the order in which they were added."""

    @property
    def client(self) -> Client:
        """Its knowledge of the brokers."""
        return self.store.client

    @property
    def memory_offset(self) -> int | None:
        """Its progress in memory; None: no entry."""
        return self.store.offsets.get(self.queue)


@frozen
class ConsumerStep:
    """A step: the consumer after it, the requests sent, and the delays set."""

    consumer: PushConsumer
    sent: tuple[Request, ...] = ()
    scheduled_ms: tuple[int, ...] = ()


def make_consumer(
    client: Client, settings: ConsumerSettings = ConsumerSettings(), queue: int = 0
) -> PushConsumer:
    """A consumer that has not taken its queue."""
    return PushConsumer(OffsetStore(client), settings, queue)


def make_reader(
    client: Client, next_offset: int, memory_offset: int | None = None, cached: int = 0
) -> PushConsumer:
    """A consumer in the middle of its queue, whose next pull is ready.

    ``memory_offset`` is its progress, by default its next offset minus ``cached``, the number of
    messages before that which wait to be consumed.
    """
    progress = next_offset - cached if memory_offset is None else memory_offset
    offsets = tuple(range(next_offset - cached, next_offset))
    cache = ProcessQueue(offsets, last_put=next_offset - 1, is_consuming=bool(offsets))
    store = OffsetStore(client, {0: progress})
    return PushConsumer(
        store, assignments=(Assignment(next_offset, cache),), assigned=0, ready=(0,)
    )


def change_assignment(consumer: PushConsumer, number: int, assignment: Assignment) -> PushConsumer:
    """The consumer with one of its assignments changed."""
    assignments = (*consumer.assignments[:number], assignment, *consumer.assignments[number + 1 :])
    return evolve(consumer, assignments=assignments)


def drop(consumer: PushConsumer, number: int) -> PushConsumer:
    """Give up an assignment: its cached messages are neither consumed nor counted any more."""
    return change_assignment(
        consumer, number, evolve(consumer.assignments[number], is_dropped=True)
    )


def make_ready(consumer: PushConsumer, number: int) -> PushConsumer:
    """A pull is sent again right after those before it (#executePullRequestImmediately)."""
    return evolve(consumer, ready=(*consumer.ready, number))


def schedule(consumer: PushConsumer, kind: TaskKind, number: int, delay_ms: int) -> PushConsumer:
    """Schedule a task (PullMessageService#executePullRequestLater, #executeTaskLater)."""
    return evolve(consumer, later=(*consumer.later, DelayedTask(kind, number, delay_ms)))
