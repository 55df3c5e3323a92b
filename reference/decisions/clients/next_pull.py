"""A push consumer's next pull after an answer: when, from where, and with which progress.

This assumes that nothing else interferes: the consumer keeps the queue, and its requests arrive.
"""

from __future__ import annotations

from attrs import frozen

from reference.decisions.clients.pulling import CORRECTION_MS
from reference.decisions.clients.push_consumer import PushConsumer, TaskKind
from reference.decisions.clients.rebalancing import REBALANCE_MS, rebalance, run_delayed
from reference.decisions.clients.requests import SILENCE, CommitRequest, Network
from reference.decisions.progress.client_offsets import OffsetReply
from reference.decisions.reading.decision import Case, choose_first
from reference.decisions.reading.pull import ResponseCode


@frozen
class NextPull:
    """The next pull of a queue."""

    consumer: PushConsumer
    """The consumer when it sends the pull."""
    least_ms: int = 0
    """Since the previous answer."""
    most_ms: int = 0
    is_queue_given_up: bool = False
    """The queue is dropped with its cached messages, and taken again at a rebalance."""


def is_pull_ready(consumer: PushConsumer) -> bool:
    """It pulls immediately."""
    return bool(consumer.ready)


def is_pull_put_off(consumer: PushConsumer) -> bool:
    """The same pull is ready again after a delay."""
    return any(task.kind is TaskKind.PULL for task in consumer.later)


def is_correction_awaited(consumer: PushConsumer) -> bool:
    """The queue was given up: progress is corrected first, then a rebalance takes the queue."""
    return any(task.kind is TaskKind.CORRECT for task in consumer.later)


def _wait(consumer: PushConsumer) -> NextPull:
    delay_ms = min(task.delay_ms for task in consumer.later)
    return NextPull(run_delayed(consumer, SILENCE).consumer, delay_ms, delay_ms)


def _take_again(consumer: PushConsumer) -> NextPull:
    """Rebalances come every REBALANCE_MS, independently of when the correction is done."""
    corrected = run_delayed(consumer, SILENCE)
    stored = [each.offset for each in corrected.sent if isinstance(each, CommitRequest)]
    told = OffsetReply(ResponseCode.SUCCESS, stored[-1]) if stored else None
    taken = rebalance(corrected.consumer, Network(stored_offset=told), is_assigned=True)
    return NextPull(
        taken.consumer, CORRECTION_MS, CORRECTION_MS + REBALANCE_MS, is_queue_given_up=True
    )


WAITS: tuple[Case[PushConsumer, NextPull], ...] = (
    (is_pull_ready, NextPull),
    (is_pull_put_off, _wait),
    (is_correction_awaited, _take_again),
)
"""What precedes the next pull."""


def find_next_pull(consumer: PushConsumer) -> NextPull:
    """The next pull of a consumer that has just received an answer, or none."""
    decided = choose_first(WAITS, consumer)
    assert decided is not None  # Every reaction makes the pull ready, postpones it, or gives up.
    return decided.value
