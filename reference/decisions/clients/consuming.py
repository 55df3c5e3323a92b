"""A push consumer consumes messages: which are done, the resulting progress, and failed messages.

- Messages that are done leave the cache, and progress moves to the first unfinished one
  (R-CC-11; ConsumeMessageConcurrentlyService of 4.4.0).
- A failed message goes back to a broker, to be consumed again later (R-CC-17;
  DefaultMQPushConsumerImpl#sendMessageBack, ConsumeMessageConcurrentlyService and
  SendMessageProcessor#consumerSendMsgBack of 4.4.0).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import evolve, frozen

from reference.decisions.clients import offset_store, process_queue
from reference.decisions.clients.process_queue import CachedMessage
from reference.decisions.clients.push_consumer import (
    ConsumeRequest,
    PushConsumer,
    change_assignment,
)
from reference.decisions.clients.sending import SendAnswer, send
from reference.decisions.name_server.client_side import (
    Route,
    find_publish_address,
    list_write_queues,
)
from reference.decisions.reading.decision import Case, Decided, choose_first
from reference.decisions.reading.pull import ResponseCode
from reference.roles import Role


@frozen
class Consumed:
    """A consumer, and messages of one of its assignments that have just been consumed."""

    consumer: PushConsumer
    assignment: int
    progress: int
    """The cache's progress without them."""


def is_queue_dropped(consumed: Consumed) -> bool:
    """The queue was given up: messages consumed since then do not count, and are redelivered."""
    return consumed.consumer.assignments[consumed.assignment].is_dropped


def is_progress_untold(consumed: Consumed) -> bool:
    """The cache was already empty."""
    return consumed.progress < 0


def is_progress_told(consumed: Consumed) -> bool:
    """Progress is what the cache says, unless it is already further on."""
    return consumed.progress >= 0


def _move_on(consumed: Consumed) -> PushConsumer:
    consumer = consumed.consumer
    store = offset_store.update(
        consumer.store, consumer.queue, consumed.progress, is_increase_only=True
    )
    return evolve(consumer, store=store)


RESULTS: tuple[Case[Consumed, PushConsumer], ...] = (
    (is_queue_dropped, lambda consumed: consumed.consumer),
    (is_progress_untold, lambda consumed: consumed.consumer),
    (is_progress_told, _move_on),
)
"""The effect on progress (ConsumeMessageConcurrentlyService#processConsumeResult)."""


def consume(
    consumer: PushConsumer, batch_number: int, left: Collection[CachedMessage] = ()
) -> PushConsumer:
    """A waiting batch is consumed: all of it, except messages that no broker takes back.

    Those stay in the cache and wait again; the consumer retries them CONSUME_AGAIN_MS later.
    Source: ConsumeMessageConcurrentlyService.ConsumeRequest#run, #processConsumeResult.
    """
    batch = consumer.batches[batch_number]
    others = (*consumer.batches[:batch_number], *consumer.batches[batch_number + 1 :])
    consumer = evolve(consumer, batches=others)
    assignment = consumer.assignments[batch.assignment]
    if assignment.is_dropped:
        return consumer
    done = tuple(message for message in batch.messages if message not in left)
    again = tuple(message for message in batch.messages if message in left)
    cache = process_queue.remove(assignment.cache, done)
    progress = process_queue.compute_progress(assignment.cache, cache)
    consumer = change_assignment(consumer, batch.assignment, evolve(assignment, cache=cache))
    if again:
        consumer = evolve(consumer, batches=(*others, ConsumeRequest(batch.assignment, again)))
    decided = choose_first(RESULTS, Consumed(consumer, batch.assignment, progress))
    assert decided is not None  # The cache reports progress or not.
    return decided.value


CONSUME_AGAIN_MS = 5_000
"""Delay after which a consumer again consumes a message that no broker took back."""


def answer_send_back(role: Role) -> ResponseCode:
    """A broker's answer: anything but PUT_OK is an error, and a slave's store refuses puts."""
    return ResponseCode.SYSTEM_ERROR if role is Role.SLAVE else ResponseCode.SUCCESS


@frozen
class Failed:
    """A message that could not be consumed, with the consumer's knowledge at that time."""

    broker_name: str
    """Name of the broker from which the message was read, whatever its id."""
    route: Route
    """Of the message's topic."""
    retry_route: Route | None
    """Of the group's retry topic; None: there is no such topic yet."""
    answers: Mapping[str, SendAnswer]
    """Answer of each name's master, by name; a dead one gives no answer."""


def is_taken_back(failed: Failed) -> bool:
    """The master of the same name has an address and takes it."""
    is_listed = find_publish_address(failed.route, failed.broker_name) is not None
    return is_listed and failed.answers[failed.broker_name].code == 0


def is_copied(failed: Failed) -> bool:
    """Any master of the retry topic takes a new message with the same content."""
    queues = list_write_queues(failed.retry_route)
    return send(queues, failed.answers).status is not None


def is_left(_failed: Failed) -> bool:
    """No broker takes it."""
    return True


WAYS: tuple[Case[Failed, str], ...] = (
    (is_taken_back, lambda _: "the broker delivers it again, later each time"),
    (is_copied, lambda _: "a copy in the group's retry topic is delivered later"),
    (is_left, lambda _: f"the same consumer consumes it again after {CONSUME_AGAIN_MS} ms"),
)
"""What happens to a message that could not be consumed, in the order of the code.

Progress does not pass a message that is left, so it is not lost; see `consume` and
`reference.decisions.clients.process_queue.compute_progress`.
"""


def send_back(failed: Failed) -> Decided[str]:
    """What happens to a message that could not be consumed."""
    decided = choose_first(WAYS, failed)
    assert decided is not None  # The last condition always holds.
    return decided
