"""A producer sends: which queue it chooses, how it reacts to an answer, and when it tries again.

Source: DefaultMQProducerImpl#sendDefaultImpl, TopicPublishInfo#selectOneMessageQueue and
MQClientAPIImpl#processSendResponse of 4.4.0, with ``sendLatencyFaultEnable`` off.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from attrs import frozen

from reference.decisions.reading.decision import Case, Decided, choose_first

Queue: TypeAlias = tuple[str, int]
"""Broker name and number of a queue."""


class SendStatus(enum.Enum):
    """``SendStatus``: the status that a producer gets for a stored message."""

    SEND_OK = "SEND_OK"
    FLUSH_DISK_TIMEOUT = "FLUSH_DISK_TIMEOUT"
    SLAVE_NOT_AVAILABLE = "SLAVE_NOT_AVAILABLE"
    FLUSH_SLAVE_TIMEOUT = "FLUSH_SLAVE_TIMEOUT"


STATUS_BY_CODE: Mapping[int, SendStatus] = {
    0: SendStatus.SEND_OK,
    10: SendStatus.FLUSH_DISK_TIMEOUT,
    11: SendStatus.SLAVE_NOT_AVAILABLE,
    12: SendStatus.FLUSH_SLAVE_TIMEOUT,
}
"""The response codes that are not exceptions (R-PR-01)."""

RETRIED_CODES: Mapping[int, str] = {
    1: "SYSTEM_ERROR",
    14: "SERVICE_NOT_AVAILABLE",
    16: "NO_PERMISSION",
    17: "TOPIC_NOT_EXIST",
    204: "NO_BUYER_ID",
    205: "NOT_IN_CURRENT_UNIT",
}
"""The errors after which a producer tries another queue (R-PR-04)."""


@frozen
class SendSettings:
    """Settings of DefaultMQProducer for synchronous sends."""

    timeout_ms: int = 3_000
    """``sendMsgTimeout``, for all attempts together."""
    retries: int = 2
    """``retryTimesWhenSendFailed``."""
    is_weak_status_retried: bool = False
    """``retryAnotherBrokerWhenNotStoreOK``."""


@frozen
class SendAnswer:
    """The result of one attempt."""

    code: int | None
    """The broker's response code; None if there was no answer: an exception of the network."""
    took_ms: int = 0


@frozen
class Attempt:
    """An answer, and the settings of the producer that got it."""

    answer: SendAnswer
    settings: SendSettings


def is_sent(attempt: Attempt) -> bool:
    """SEND_OK."""
    return attempt.answer.code == 0


def is_weak_status_final(attempt: Attempt) -> bool:
    """One of the three other statuses: the message is stored; the application gets the status."""
    is_status = attempt.answer.code in STATUS_BY_CODE
    return is_status and not attempt.settings.is_weak_status_retried


def is_weak_status_refused(attempt: Attempt) -> bool:
    """One of these statuses, but ``retryAnotherBrokerWhenNotStoreOK`` requests another copy."""
    return attempt.answer.code in STATUS_BY_CODE


def is_unanswered(attempt: Attempt) -> bool:
    """The network failed or the time was up: it is unknown whether the message is stored."""
    return attempt.answer.code is None


def is_error_retried(attempt: Attempt) -> bool:
    """An error that another broker may not have."""
    return attempt.answer.code in RETRIED_CODES


def is_error_final(attempt: Attempt) -> bool:
    """Any other error, such as SYSTEM_BUSY (2) or MESSAGE_ILLEGAL (13)."""
    return attempt.answer.code is not None and attempt.answer.code not in STATUS_BY_CODE


class Next(enum.Enum):
    """A producer's next step after an attempt."""

    RETURN = "returns the status"
    TRY_AGAIN = "tries another queue"
    THROW = "throws"


REACTIONS: tuple[Case[Attempt, Next], ...] = (
    (is_sent, lambda _: Next.RETURN),
    (is_weak_status_final, lambda _: Next.RETURN),
    (is_weak_status_refused, lambda _: Next.TRY_AGAIN),
    (is_unanswered, lambda _: Next.TRY_AGAIN),
    (is_error_retried, lambda _: Next.TRY_AGAIN),
    (is_error_final, lambda _: Next.THROW),
)
"""The decision after an attempt, in the order of the code (R-PR-01, R-PR-04)."""


def react(attempt: Attempt) -> Decided[Next]:
    """A producer's next step after one attempt, and why."""
    decided = choose_first(REACTIONS, attempt)
    assert decided is not None  # No answer, a status, or one of two kinds of error.
    return decided


def choose_queue(queues: Sequence[Queue], turn: int, last_name: str | None) -> Queue:
    """The queue of the next attempt: in turn, and if possible on another broker than the last.

    ``turn`` counts the queues that this producer has considered. ``queues`` is not empty.
    """
    in_turn = [queues[(turn + step) % len(queues)] for step in range(len(queues))]
    return next((queue for queue in in_turn if queue[0] != last_name), in_turn[0])


@frozen
class SendResult:
    """How a synchronous send ended."""

    tried: tuple[Queue, ...]
    status: SendStatus | None
    """The status that the application gets; None: an exception."""
    copies: int
    """The number of brokers that have certainly stored the message."""
    copies_unknown: int
    """The number of further brokers that may have stored it: those that gave no answer."""


def send(
    queues: Sequence[Queue],
    answers: Mapping[str, SendAnswer],
    settings: SendSettings = SendSettings(),
) -> SendResult:
    """A synchronous send; ``answers`` is the answer of each broker name to it.

    ``queues`` are those of `name_server.client_side.list_write_queues`; without any there is no
    attempt, only an exception (K-60).
    """
    tried: list[Queue] = []
    codes: list[int | None] = []
    spent_ms = 0
    while queues and len(tried) <= settings.retries and spent_ms <= settings.timeout_ms:
        last_name = tried[-1][0] if tried else None
        tried.append(choose_queue(queues, len(tried), last_name))
        answer = answers[tried[-1][0]]
        codes.append(answer.code)
        spent_ms += answer.took_ms
        if react(Attempt(answer, settings)).value is not Next.TRY_AGAIN:
            break
    statuses = [
        STATUS_BY_CODE[code] for code in codes if code is not None and code in STATUS_BY_CODE
    ]
    return SendResult(
        tuple(tried),
        status=statuses[-1] if statuses else None,
        copies=len(statuses),
        copies_unknown=codes.count(None),
    )
