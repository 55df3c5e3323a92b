"""An orderly push consumer locks a queue at the master, and at no other broker (R-CC-16).

A slave would grant a lock, but no client requests one from it. Source: RebalanceImpl#lock, #lockAll
and #updateProcessQueueTableInRebalance, ProcessQueue#isLockExpired and ConsumeMessageOrderlyService
of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve, frozen

from reference.decisions.reading.client import find_only
from reference.roles import MASTER_ID

RENEW_MS = 20_000
"""How often a consumer renews its locks (``REBALANCE_LOCK_INTERVAL``)."""
LIVE_MS = 30_000
"""A consumer does not trust a lock that is older (``REBALANCE_LOCK_MAX_LIVE_TIME``)."""


def choose_lock_broker(brokers: Collection[int]) -> int | None:
    """The broker that a client asks for a lock: id 0 of its route, and no other address."""
    return find_only(brokers, MASTER_ID)


@frozen
class Lock:
    """A consumer's lock on one queue."""

    is_locked: bool = False
    """It has been granted, and not refused since."""
    granted_ms: float = 0
    """When it was last granted."""


def ask(lock: Lock, brokers: Collection[int], now_ms: float, *, is_granted: bool | None) -> Lock:
    """The lock after the consumer has requested it.

    ``is_granted`` is the master's answer; None: there is none. Without an address or an answer the
    lock stays as it was, and ages.
    """
    if choose_lock_broker(brokers) is None or is_granted is None:
        return lock
    return Lock(is_locked=True, granted_ms=now_ms) if is_granted else evolve(lock, is_locked=False)


def is_expired(lock: Lock, now_ms: float) -> bool:
    """The lock is older than allowed (strictly)."""
    return now_ms - lock.granted_ms > LIVE_MS


def may_consume(lock: Lock, now_ms: float) -> bool:
    """Messages of the queue are handed to the application."""
    return lock.is_locked and not is_expired(lock, now_ms)


def may_take_queue(brokers: Collection[int], *, is_granted: bool | None) -> bool:
    """A newly assigned queue is only taken with a lock that is granted now."""
    return ask(Lock(), brokers, now_ms=0, is_granted=is_granted).is_locked
