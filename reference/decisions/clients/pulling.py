"""A push consumer pulls: whether it sends, what it sends, and how it reacts to each answer.

Source: DefaultMQPushConsumerImpl#pullMessage, PullAPIWrapper and MQClientAPIImpl of 4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from attrs import evolve, frozen

from reference.decisions.clients import offset_store, process_queue, reactions
from reference.decisions.clients.flow_control import Cached, find_pause
from reference.decisions.clients.process_queue import CachedMessage
from reference.decisions.clients.push_consumer import (
    Assignment,
    ConsumeRequest,
    ConsumerStep,
    PushConsumer,
    TaskKind,
    change_assignment,
    drop,
    make_ready,
    schedule,
)
from reference.decisions.clients.reactions import (
    DECODED_CODES,
    PullResponse,
    ReadPosition,
    is_decoded,
    meet,
)
from reference.decisions.clients.requests import Network, PullReply, PullRequest, Request
from reference.decisions.clients.routes import find
from reference.decisions.reading.client import (
    NO_PROGRESS,
    RETRY_MS,
    PullTarget,
    compute_commit_flag,
    find_target,
    get_wanted_id,
    note_suggestion,
)
from reference.decisions.reading.decision import Case, Decided, choose_first
from reference.decisions.reading.pull_processor import PullAnswer

CORRECTION_MS = 10_000
"""Delay after which a corrected offset is stored and the queue given back."""


class PullStatus(enum.Enum):
    """``PullStatus``: the results that the client distinguishes."""

    FOUND = "FOUND"
    NO_NEW_MSG = "NO_NEW_MSG"
    NO_MATCHED_MSG = "NO_MATCHED_MSG"
    OFFSET_ILLEGAL = "OFFSET_ILLEGAL"


STATUS_BY_CODE: Mapping[int, PullStatus] = dict(zip(DECODED_CODES, PullStatus, strict=True))
"""The codes that the client decodes, with its name for each."""


@frozen
class Decoded:
    """An answer that the client can read."""

    code: int
    """A key of STATUS_BY_CODE."""
    next_begin_offset: int
    suggested_broker_id: int
    messages: tuple[CachedMessage, ...] = ()


def decode(reply: PullReply | None) -> Decoded | None:
    """An answer as the client reads it; None if it throws an exception.

    Source: MQClientAPIImpl#processPullResponse. It needs all four numbers of the header, though it
    uses only two: if one is missing, it cannot read the answer (B3-02544).
    """
    if reply is None or not is_decoded(PullResponse(reply.code)):
        return None
    begin, suggested = reply.next_begin_offset, reply.suggested_broker_id
    is_bound_missing = reply.min_offset is None or reply.max_offset is None
    if begin is None or suggested is None or is_bound_missing:
        return None
    return Decoded(reply.code, begin, suggested, reply.messages)


def make_reply(answer: PullAnswer) -> PullReply:
    """A broker's answer as it arrives: a refusal carries only its code.

    The messages are assumed to be the last ones before the next offset.
    """
    if answer.result is None:
        return PullReply(answer.code)
    begin, count = answer.result.next_begin_offset, answer.result.message_count
    return PullReply(
        answer.code,
        begin,
        answer.result.min_offset,
        answer.result.max_offset,
        answer.suggested_broker_id,
        tuple(map(CachedMessage, range(begin - count, begin))),
    )


def select(messages: tuple[CachedMessage, ...], tags: frozenset[str]) -> tuple[CachedMessage, ...]:
    """The messages that pass the client's own tag filter (PullAPIWrapper#processPullResult)."""
    return tuple(message for message in messages if not tags or message.tag in tags)


@frozen
class Received:
    """A consumer, one of its pulls, and the answer."""

    consumer: PushConsumer
    number: int
    """Of the assignment."""
    decoded: Decoded | None

    @property
    def assignment(self) -> Assignment:
        """The assignment."""
        return self.consumer.assignments[self.number]

    @property
    def kept(self) -> tuple[CachedMessage, ...]:
        """The messages that the consumer keeps."""
        messages = self.decoded.messages if self.decoded else ()
        return select(messages, self.consumer.settings.tags)

    @property
    def answered(self) -> PullResponse:
        """The numbers of the answer; only called if there is one."""
        decoded = self.decoded
        assert decoded is not None
        begin, suggested = decoded.next_begin_offset, decoded.suggested_broker_id
        return PullResponse(decoded.code, begin, suggested, bool(self.kept))


def is_answer_unreadable(received: Received) -> bool:
    """No answer, another code, or a header that lacks a number: nothing is known."""
    return received.decoded is None


def is_message_kept(received: Received) -> bool:
    """FOUND, and a message passes the client's own tag filter."""
    return reactions.is_message_kept(received.answered)


def is_no_message_kept(received: Received) -> bool:
    """FOUND, and no message is left: the cache stays as it was (B3-03239)."""
    return reactions.is_no_message_kept(received.answered)


def is_nothing_for_it(received: Received) -> bool:
    """No new message, or none that matches."""
    return reactions.is_nothing_for_it(received.answered)


def is_offset_illegal(received: Received) -> bool:
    """The broker has corrected the offset."""
    return reactions.is_offset_illegal(received.answered)


def _pull_later(received: Received) -> PushConsumer:
    return schedule(received.consumer, TaskKind.PULL, received.number, RETRY_MS)


def _note_answer(received: Received) -> PushConsumer:
    """Suggestion, next offset and progress after the answer (R-CC-05, R-CC-08)."""
    consumer, assignment = received.consumer, received.assignment
    before = ReadPosition(
        next_offset=assignment.next_offset,
        progress=NO_PROGRESS if consumer.memory_offset is None else consumer.memory_offset,
        suggested_id=get_wanted_id(consumer.client),
        is_cache_empty=process_queue.is_cache_empty(assignment.cache),
    )
    after = meet(before, received.answered)
    store = evolve(consumer.store, client=note_suggestion(consumer.client, after.suggested_id))
    if after.progress != before.progress:
        store = offset_store.update(store, consumer.queue, after.progress, is_increase_only=True)
    moved = evolve(assignment, next_offset=after.next_offset)
    return change_assignment(evolve(consumer, store=store), received.number, moved)


def _take_messages(received: Received) -> PushConsumer:
    consumer, number, kept = _note_answer(received), received.number, received.kept
    assignment = consumer.assignments[number]
    filled = evolve(assignment, cache=process_queue.put(assignment.cache, kept))
    size = consumer.settings.batch_messages
    parts = (kept[start : start + size] for start in range(0, len(kept), size))
    batches = tuple(ConsumeRequest(number, part) for part in parts)
    consumer = change_assignment(consumer, number, filled)
    consumer = evolve(consumer, batches=(*consumer.batches, *batches))
    pause_ms = consumer.settings.pull_interval_ms
    if pause_ms > 0:
        return schedule(consumer, TaskKind.PULL, number, pause_ms)
    return make_ready(consumer, number)


def _pull_on(received: Received) -> PushConsumer:
    return make_ready(_note_answer(received), received.number)


def _give_up(received: Received) -> PushConsumer:
    """The queue is dropped now; its progress is corrected CORRECTION_MS later (R-CC-09)."""
    consumer, number = _note_answer(received), received.number
    return schedule(drop(consumer, number), TaskKind.CORRECT, number, CORRECTION_MS)


REACTIONS: tuple[Case[Received, PushConsumer], ...] = (
    (is_answer_unreadable, _pull_later),
    (is_message_kept, _take_messages),
    (is_no_message_kept, _pull_on),
    (is_nothing_for_it, _pull_on),
    (is_offset_illegal, _give_up),
)
"""A push consumer's reactions to an answer (R-CC-05, R-CC-08, R-CC-09)."""


def react(consumer: PushConsumer, number: int, reply: PullReply | None) -> Decided[PushConsumer]:
    """A push consumer after the answer to one of its pulls; None: there was none.

    A correction changes progress in memory only when the delayed task runs: for CORRECTION_MS the
    old progress is still sent (B3-02956).
    """
    decided = choose_first(REACTIONS, Received(consumer, number, decode(reply)))
    assert decided is not None  # An answer is unreadable, or has one of four statuses.
    return decided


def make_request(consumer: PushConsumer, number: int, target: PullTarget) -> PullRequest:
    """The request of a pull (R-CC-06, R-CC-07)."""
    progress = consumer.memory_offset
    return PullRequest(
        broker_id=target.broker_id,
        queue_offset=consumer.assignments[number].next_offset,
        memory_offset=NO_PROGRESS if progress is None else progress,
        has_commit_flag=compute_commit_flag(progress, target) is not None,
        has_subscription_flag=consumer.settings.is_subscription_posted,
        messages_max=consumer.settings.messages_max,
    )


def describe_cache(consumer: PushConsumer, number: int) -> Cached:
    """An assignment's cache as flow control sees it."""
    cache = consumer.assignments[number].cache
    return Cached(
        messages=len(cache.offsets),
        size_bytes=cache.body_bytes,
        span=cache.span,
        limits=consumer.settings.limits,
    )


def pull(consumer: PushConsumer, network: Network) -> ConsumerStep:
    """The next pull that is ready; ``network.pull`` is the answer if it is sent.

    A pull of a dropped assignment silently ends here (B3-03463).
    """
    number, *others = consumer.ready
    consumer = evolve(consumer, ready=tuple(others))
    if consumer.assignments[number].is_dropped:
        return ConsumerStep(consumer)
    pause = find_pause(describe_cache(consumer, number))
    if pause is not None:
        return _end(consumer, schedule(consumer, TaskKind.PULL, number, pause.value))
    found = find(consumer.client, find_target, network.route)
    consumer = evolve(consumer, store=evolve(consumer.store, client=found.client))
    if found.address is None:
        later = schedule(consumer, TaskKind.PULL, number, RETRY_MS)
        return _end(consumer, later, found.sent)
    sent = (*found.sent, make_request(consumer, number, found.address))
    after = react(consumer, number, network.pull).value
    return _end(consumer, after, sent)


def _end(before: PushConsumer, after: PushConsumer, sent: tuple[Request, ...] = ()) -> ConsumerStep:
    new = after.later[len(before.later) :]
    return ConsumerStep(after, sent, tuple(task.delay_ms for task in new))
