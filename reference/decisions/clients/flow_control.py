"""A push consumer postpones a pull if too much of the queue already waits in it (R-CC-07).

Source: DefaultMQPushConsumerImpl#pullMessage of 4.4.0. For the content of a pull, see
`reference.decisions.clients.pulling`.
"""

from __future__ import annotations

from attrs import frozen

from reference.decisions.reading.client import RETRY_MS
from reference.decisions.reading.decision import Case, Decided, choose_first

FLOW_CONTROL_MS = 50
"""Delay after which a pull postponed by flow control is checked again."""
MIB = 1024 * 1024


@frozen
class FlowLimits:
    """Settings of DefaultMQPushConsumer for each queue."""

    messages: int = 1_000
    """``pullThresholdForQueue``."""
    mebibytes: int = 100
    """``pullThresholdSizeForQueue``."""
    span: int = 2_000
    """``consumeConcurrentlyMaxSpan``: from the first cached message to the last, in messages."""


@frozen
class Cached:
    """A consumer's unconsumed messages of a queue (ProcessQueue)."""

    messages: int = 0
    size_bytes: int = 0
    span: int = 0
    is_orderly: bool = False
    is_locked: bool = False
    """An orderly consumer has had the queue's lock; a pull does not check the lock's age."""
    limits: FlowLimits = FlowLimits()


def has_too_many_messages(cached: Cached) -> bool:
    """More messages than the limit."""
    return cached.messages > cached.limits.messages


def has_too_many_bytes(cached: Cached) -> bool:
    """More whole mebibytes than the limit: the division drops the fraction."""
    return cached.size_bytes // MIB > cached.limits.mebibytes


def has_too_wide_a_span(cached: Cached) -> bool:
    """One unfinished message holds back progress while many after it are cached."""
    return not cached.is_orderly and cached.span > cached.limits.span


def is_lock_missing(cached: Cached) -> bool:
    """An orderly consumer without the queue's lock."""
    return cached.is_orderly and not cached.is_locked


PAUSES: tuple[Case[Cached, int], ...] = (
    (has_too_many_messages, lambda _: FLOW_CONTROL_MS),
    (has_too_many_bytes, lambda _: FLOW_CONTROL_MS),
    (has_too_wide_a_span, lambda _: FLOW_CONTROL_MS),
    (is_lock_missing, lambda _: RETRY_MS),
)
"""Reasons to postpone a pull, in the order of the code, with the delay in milliseconds."""


def find_pause(cached: Cached) -> Decided[int] | None:
    """Why a pull is postponed, and for how many milliseconds; None: it is sent."""
    return choose_first(PAUSES, cached)
