"""A broker's table of locked queues, which orderly consumers ask for (R-CC-16).

Source: RebalanceLockManager#tryLockBatch, #unlockBatch of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from attrs import frozen

LIVE_MS = 60_000
"""A lock that was not asked for again for longer is free (``REBALANCE_LOCK_MAX_LIVE_TIME``)."""


@frozen
class LockedQueue:
    """A queue for one group of consumers."""

    group: str
    topic: str
    broker_name: str
    """As the consumer says it: the broker does not compare it with its own."""
    queue: int


@frozen
class LockEntry:
    """Who has a queue."""

    client_id: str
    updated_ms: float
    """When it last asked."""


LockTable: TypeAlias = Mapping[LockedQueue, LockEntry]


def is_expired(entry: LockEntry, now_ms: float) -> bool:
    """Nobody has asked for too long (strictly)."""
    return now_ms - entry.updated_ms > LIVE_MS


def is_granted(entry: LockEntry | None, client_id: str, now_ms: float) -> bool:
    """The client has the queue, or may have it."""
    return entry is None or entry.client_id == client_id or is_expired(entry, now_ms)


def lock(
    table: LockTable, queues: Iterable[LockedQueue], client_id: str, now_ms: float
) -> tuple[LockTable, tuple[LockedQueue, ...]]:
    """The table after a request, and the queues that the client has now."""
    granted = tuple(each for each in queues if is_granted(table.get(each), client_id, now_ms))
    return {**table, **dict.fromkeys(granted, LockEntry(client_id, now_ms))}, granted


def unlock(table: LockTable, queues: Iterable[LockedQueue], client_id: str) -> LockTable:
    """The table after a client has given queues back; those of others stay."""
    given = {each for each in queues if each in table and table[each].client_id == client_id}
    return {each: entry for each, entry in table.items() if each not in given}
