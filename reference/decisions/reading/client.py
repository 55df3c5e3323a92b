"""What a consumer makes of an answer: where its next pull goes, from which offset, and when.

Source: PullAPIWrapper, MQClientInstance and DefaultMQPushConsumerImpl of the 4.4.0 client.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping

from attrs import evolve, frozen

from reference.decisions.reading.decision import Case, choose_first
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.pull_processor import MASTER_ID, PullAnswer

HASH_BUCKETS = 16
"""Buckets of a java.util.HashMap of up to 12 entries."""

RETRY_MS = 3_000
"""A pull that failed is sent again after this time."""

PULL_TIMEOUT_MS = 30_000
"""How long a consumer waits for the answer to a pull; a broker may hold it for half of that."""

CORRECTION_MS = 10_000
"""A corrected offset is stored and the queue given up after this time."""


class ClientError(Exception):
    """The client has no address to pull from."""


class PullStatus(enum.Enum):
    """``PullStatus``: what the client tells apart."""

    FOUND = "FOUND"
    NO_NEW_MSG = "NO_NEW_MSG"
    NO_MATCHED_MSG = "NO_MATCHED_MSG"
    OFFSET_ILLEGAL = "OFFSET_ILLEGAL"


STATUS_BY_CODE: Mapping[ResponseCode, PullStatus] = {
    ResponseCode.SUCCESS: PullStatus.FOUND,
    ResponseCode.PULL_NOT_FOUND: PullStatus.NO_NEW_MSG,
    ResponseCode.PULL_RETRY_IMMEDIATELY: PullStatus.NO_MATCHED_MSG,
    ResponseCode.PULL_OFFSET_MOVED: PullStatus.OFFSET_ILLEGAL,
}
"""The codes that the client decodes; any other one is an exception there."""


@frozen
class Client:
    """One consumer and one queue."""

    suggested_id: int | None = None
    """Its entry in ``pullFromWhichNodeTable``; None before the first answer."""
    forced_id: int | None = None
    """``defaultBrokerId`` with ``connectBrokerByUser``; None without it."""
    brokers: tuple[int, ...] = (MASTER_ID, 1)
    """Ids of the broker's addresses in the client's route, in the order in which they were put."""
    memory_offset: int = 0
    """Its progress in memory."""
    next_offset: int = 0
    """Where its next pull begins."""
    is_cache_empty: bool = True
    """It has no messages of this queue that are not consumed."""


@frozen
class Target:
    """The broker of a pull."""

    broker_id: int
    decided_by: str
    """Name of the condition that chose it."""

    @property
    def is_slave(self) -> bool:
        """It is no master; a pull to it carries no progress (R-CC-06)."""
        return self.broker_id != MASTER_ID


def get_wanted_id(client: Client) -> int:
    """The id that the client wants (R-CC-05, PullAPIWrapper#recalculatePullFromWhichNode)."""
    if client.forced_id is not None:
        return client.forced_id
    return MASTER_ID if client.suggested_id is None else client.suggested_id


def order_as_hash_map(ids: Iterable[int]) -> tuple[int, ...]:
    """Ids as java.util.HashMap<Long, String> lists them: by bucket, in a bucket as they came.

    For up to 12 of them, which need no more than HASH_BUCKETS.
    """
    return tuple(sorted(dict.fromkeys(ids), key=_compute_bucket))


def _compute_bucket(broker_id: int) -> int:
    folded = (broker_id ^ (broker_id >> 32)) & 0xFFFFFFFF
    return (folded ^ (folded >> 16)) % HASH_BUCKETS


def is_wanted_there(client: Client) -> bool:
    """The wanted broker has an address."""
    return get_wanted_id(client) in client.brokers


def is_other_there(client: Client) -> bool:
    """It has none, but another broker of the name has: the first one is taken."""
    return bool(client.brokers)


TARGETS: tuple[Case[Client, int], ...] = (
    (is_wanted_there, get_wanted_id),
    (is_other_there, lambda client: order_as_hash_map(client.brokers)[0]),
)
"""Whom a pull is sent to (R-CC-01, MQClientInstance#findBrokerAddressInSubscribe)."""


def choose_target(client: Client) -> Target:
    """The broker of the next pull (R-CC-06, PullAPIWrapper#pullKernelImpl).

    Raises:
        ClientError: no broker of the name has an address, after the route was refreshed.
    """
    decided = choose_first(TARGETS, client)
    if decided is None:
        raise ClientError("the route has no broker of this name")
    return Target(decided.value, decided.by)


def choose_offset_store(client: Client) -> int:
    """The broker that progress is sent to and asked of: the first address (R-CC-02, R-CC-13).

    Source: MQClientInstance#findBrokerAddressInAdmin.

    Raises:
        ClientError: no broker of the name has an address.
    """
    if not client.brokers:
        raise ClientError("the route has no broker of this name")
    return order_as_hash_map(client.brokers)[0]


def compute_commit_flag(client: Client, target: Target) -> int | None:
    """The progress that goes with a pull; None without the flag (R-CC-06, R-CC-07)."""
    has_progress = client.memory_offset > 0
    return client.memory_offset if has_progress and not target.is_slave else None


@frozen
class Reaction:
    """What a client does upon an answer."""

    client: Client
    """The client after it."""
    status: PullStatus | None
    """What it takes the answer for; None for an exception."""
    pause_ms: int = 0
    """How long it waits before it pulls again."""
    is_queue_given_up: bool = False
    """It drops the queue, cached messages and all, until the next rebalance (R-CC-09)."""
    messages: int = 0
    """Messages that it takes to be consumed."""


def react(client: Client, answer: PullAnswer) -> Reaction:
    """What a push consumer does upon an answer (R-CC-05, R-CC-08, R-CC-09).

    A corrected offset counts as progress CORRECTION_MS later, even when it is lower.
    """
    status = STATUS_BY_CODE.get(answer.code)
    if status is None or answer.result is None:
        return Reaction(client, None, pause_ms=RETRY_MS)
    begin = answer.result.next_begin_offset
    is_found, is_moved = status is PullStatus.FOUND, status is PullStatus.OFFSET_ILLEGAL
    progress = client.memory_offset
    if is_moved:
        progress = begin
    elif client.is_cache_empty and not is_found:
        progress = max(progress, begin)
    after = evolve(
        client,
        suggested_id=answer.suggested_broker_id,
        next_offset=begin,
        memory_offset=progress,
        is_cache_empty=is_moved or (client.is_cache_empty and not is_found),
    )
    return Reaction(
        after,
        status,
        pause_ms=CORRECTION_MS if is_moved else 0,
        is_queue_given_up=is_moved,
        messages=answer.result.message_count,
    )
