"""A push consumer consumes: when it puts off a pull, locks a queue, and gives a message back.

- It puts off a pull when too much of the queue waits in it already (R-CC-07;
  DefaultMQPushConsumerImpl#pullMessage of 4.4.0). What a pull carries, once it is sent, is
  `reference.decisions.reading.client.compute_commit_flag`.
- One that consumes in order locks a queue at the master, and at nobody else (R-CC-16;
  RebalanceImpl#lock, #lockAll and #updateProcessQueueTableInRebalance, ProcessQueue#isLockExpired
  and ConsumeMessageOrderlyService of 4.4.0). A slave would grant a lock, but no client asks it for
  one.
- A message that could not be consumed goes back, to be consumed again later (R-CC-17;
  DefaultMQPushConsumerImpl#sendMessageBack, ConsumeMessageConcurrentlyService and
  SendMessageProcessor#consumerSendMsgBack of 4.4.0).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import evolve, frozen

from reference.decisions.clients.sending import SendAnswer, send
from reference.decisions.name_server.client_side import (
    Route,
    find_publish_address,
    list_write_queues,
)
from reference.decisions.reading.client import RETRY_MS
from reference.decisions.reading.decision import Case, Decided, choose_first
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.pull_processor import MASTER_ID
from reference.worlds.replication.roles import Role

FLOW_CONTROL_MS = 50
"""A pull that flow control stops is looked at again after this time."""
MIB = 1024 * 1024


@frozen
class FlowLimits:
    """What DefaultMQPushConsumer sets for each queue."""

    messages: int = 1_000
    """``pullThresholdForQueue``."""
    mebibytes: int = 100
    """``pullThresholdSizeForQueue``."""
    span: int = 2_000
    """``consumeConcurrentlyMaxSpan``: from the first cached message to the last, in messages."""


@frozen
class Cached:
    """What a consumer has of a queue, and has not consumed (ProcessQueue)."""

    messages: int = 0
    size_bytes: int = 0
    span: int = 0
    is_orderly: bool = False
    is_locked: bool = False
    """An orderly consumer once had the queue's lock; whether it is too old, a pull does not ask."""
    limits: FlowLimits = FlowLimits()


def has_too_many_messages(cached: Cached) -> bool:
    """More messages than the limit."""
    return cached.messages > cached.limits.messages


def has_too_many_bytes(cached: Cached) -> bool:
    """More whole mebibytes than the limit: the division cuts off what is less than one."""
    return cached.size_bytes // MIB > cached.limits.mebibytes


def has_too_wide_a_span(cached: Cached) -> bool:
    """One message that is not done holds back progress while many behind it are."""
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
"""What puts off a pull, in the order of the code, and for how many milliseconds."""


def find_pause(cached: Cached) -> Decided[int] | None:
    """Why a pull is put off, and for how many milliseconds; None: it is sent."""
    return choose_first(PAUSES, cached)


RENEW_MS = 20_000
"""How often a consumer locks its queues again (``REBALANCE_LOCK_INTERVAL``)."""
LIVE_MS = 30_000
"""A consumer does not trust a lock that is older (``REBALANCE_LOCK_MAX_LIVE_TIME``)."""


def choose_lock_broker(brokers: Collection[int]) -> int | None:
    """Whom a client asks for a lock: id 0 of its route, and no other address."""
    return MASTER_ID if MASTER_ID in brokers else None


@frozen
class Lock:
    """A consumer's lock on one queue."""

    is_locked: bool = False
    """It has once been granted, and not been refused since."""
    granted_ms: float = 0
    """When it was granted last."""


def ask(lock: Lock, brokers: Collection[int], now_ms: float, *, is_granted: bool | None) -> Lock:
    """The lock after the consumer has asked for it.

    ``is_granted`` is what the master says; None: it says nothing. Without an address or an answer
    the lock stays as it was, and grows old.
    """
    if choose_lock_broker(brokers) is None or is_granted is None:
        return lock
    return Lock(is_locked=True, granted_ms=now_ms) if is_granted else evolve(lock, is_locked=False)


def is_expired(lock: Lock, now_ms: float) -> bool:
    """The lock is older than it may be (strictly)."""
    return now_ms - lock.granted_ms > LIVE_MS


def may_consume(lock: Lock, now_ms: float) -> bool:
    """Messages of the queue are handed to the application."""
    return lock.is_locked and not is_expired(lock, now_ms)


def may_take_queue(brokers: Collection[int], *, is_granted: bool | None) -> bool:
    """A queue that is newly assigned is only taken with a lock that is granted now."""
    return ask(Lock(), brokers, now_ms=0, is_granted=is_granted).is_locked


CONSUME_AGAIN_MS = 5_000
"""A message that nobody takes back is consumed again by the same consumer after this time."""


def answer_send_back(role: Role) -> ResponseCode:
    """What a broker answers: anything but PUT_OK is an error, and a slave's store refuses puts."""
    return ResponseCode.SYSTEM_ERROR if role is Role.SLAVE else ResponseCode.SUCCESS


@frozen
class Failed:
    """A message that could not be consumed, and what the consumer knows then."""

    broker_name: str
    """Where the message was read from, whatever the id."""
    route: Route
    """Of the message's topic."""
    retry_route: Route | None
    """Of the group's retry topic; None: there is no such topic yet."""
    answers: Mapping[str, SendAnswer]
    """What the master of each name answers, by name; one that is dead gives no answer."""


def is_taken_back(failed: Failed) -> bool:
    """The master of the same name has an address and takes it."""
    is_listed = find_publish_address(failed.route, failed.broker_name) is not None
    return is_listed and failed.answers[failed.broker_name].code == 0


def is_copied(failed: Failed) -> bool:
    """Any master of the retry topic takes a new message with the same content."""
    queues = list_write_queues(failed.retry_route)
    return send(queues, failed.answers).status is not None


def is_left(_failed: Failed) -> bool:
    """Nobody takes it."""
    return True


WAYS: tuple[Case[Failed, str], ...] = (
    (is_taken_back, lambda _: "the broker delivers it again, later each time"),
    (is_copied, lambda _: "a copy in the group's retry topic is delivered later"),
    (is_left, lambda _: f"the same consumer consumes it again after {CONSUME_AGAIN_MS} ms"),
)
"""What becomes of a message that could not be consumed, in the order of the code.

Progress does not pass a message that is left, so it is not missed; see
`reference.decisions.progress.client_offsets.compute_consumed`.
"""


def send_back(failed: Failed) -> Decided[str]:
    """What becomes of a message that could not be consumed."""
    decided = choose_first(WAYS, failed)
    assert decided is not None  # The last condition always holds.
    return decided
