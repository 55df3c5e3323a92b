"""One queue of a push consumer: all that decides its pulls, its progress and its consumption.

What happens to it is in `pulling` (a pull, its answer, delayed tasks), `rebalancing` (the queue is
taken and given back) and `consuming` (messages are done). A queue that was given back and taken
again has a new cache and a new pull; what belongs to the old ones may still be under way.
Source: DefaultMQPushConsumerImpl, RebalanceImpl and PullMessageService of the 4.4.0 client.
"""

from __future__ import annotations

import enum

from attrs import evolve, field, frozen

from reference.decisions.clients.flow_control import FlowLimits
from reference.decisions.clients.offset_store import OffsetStore
from reference.decisions.clients.process_queue import Message, ProcessQueue
from reference.decisions.clients.requests import Request
from reference.decisions.progress.client_offsets import ConsumeFromWhere
from reference.decisions.reading.client import Client


@frozen
class ConsumerSettings:
    """What DefaultMQPushConsumer sets, and what it has subscribed to."""

    strategy: ConsumeFromWhere = ConsumeFromWhere.LAST_OFFSET
    """``consumeFromWhere``."""
    is_retry_topic: bool = False
    tags: frozenset[str] = frozenset()
    """Those that are subscribed to; none: all messages."""
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
    """The queue from one rebalance that took it to the one that gives it back."""

    next_offset: int
    """Where the next pull begins (``PullRequest#nextOffset``)."""
    cache: ProcessQueue = field(factory=ProcessQueue)
    is_dropped: bool = False
    """It is given up: nothing more of it is pulled or consumed."""


class TaskKind(enum.Enum):
    """What is done later."""

    PULL = "the pull is ready again"
    CORRECT = "progress is corrected, and the queue given back"


@frozen
class Task:
    """Something that is done after a delay."""

    kind: TaskKind
    assignment: int
    delay_ms: int


@frozen
class Batch:
    """Messages that wait to be consumed together (``ConsumeRequest``)."""

    assignment: int
    messages: tuple[Message, ...]


@frozen
class PushConsumer:
    """A consumer with one queue, which is its own or is not."""

    store: OffsetStore
    settings: ConsumerSettings = ConsumerSettings()
    queue: int = 0
    assignments: tuple[Assignment, ...] = ()
    """Every time that it took the queue; the other fields name one by its place."""
    assigned: int | None = None
    """The assignment in ``processQueueTable``; a queue that is dropped may still stand there."""
    ready: tuple[int, ...] = ()
    """Whose pulls are sent next, in this order (``pullRequestQueue``)."""
    later: tuple[Task, ...] = ()
    batches: tuple[Batch, ...] = ()
    """In the order in which they were put there."""

    @property
    def client(self) -> Client:
        """Whom it asks."""
        return self.store.client

    @property
    def memory_offset(self) -> int | None:
        """Its progress in memory; None: no entry."""
        return self.store.offsets.get(self.queue)


@frozen
class Step:
    """What happens: the consumer after it, what it sent, and the delays that it set."""

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

    ``memory_offset`` is its progress, by default where it reads next, less ``cached``: so many
    messages before that wait to be consumed.
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
    """An assignment is given up: what it has cached is neither consumed nor counted any more."""
    return change_assignment(
        consumer, number, evolve(consumer.assignments[number], is_dropped=True)
    )


def make_ready(consumer: PushConsumer, number: int) -> PushConsumer:
    """A pull is sent again as soon as those before it (#executePullRequestImmediately)."""
    return evolve(consumer, ready=(*consumer.ready, number))


def schedule(consumer: PushConsumer, kind: TaskKind, number: int, delay_ms: int) -> PushConsumer:
    """Something is done later (PullMessageService#executePullRequestLater, #executeTaskLater)."""
    return evolve(consumer, later=(*consumer.later, Task(kind, number, delay_ms)))
