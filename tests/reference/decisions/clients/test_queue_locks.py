"""Who has a queue at the broker."""

from __future__ import annotations

from reference.decisions.clients.queue_locks import LIVE_MS, LockedQueue, LockTable, lock, unlock

QUEUES = tuple(LockedQueue("G", "T", "b", queue) for queue in range(2))


def test_the_first_one_has_a_queue_until_it_is_silent_for_too_long() -> None:
    """Whoever asks again keeps it (strictly later than a minute it is free)."""
    table: LockTable = {}
    table, granted = lock(table, QUEUES[:1], "one", 0)
    assert granted == QUEUES[:1]
    table, granted = lock(table, QUEUES, "two", LIVE_MS)
    assert granted == QUEUES[1:]
    table, granted = lock(table, QUEUES[:1], "one", LIVE_MS)
    table, granted = lock(table, QUEUES, "two", 2 * LIVE_MS)
    assert granted == QUEUES[1:]
    table, granted = lock(table, QUEUES, "two", 2 * LIVE_MS + 1)
    assert granted == QUEUES


def test_nobody_gives_back_the_queue_of_another() -> None:
    """Groups do not see each other's locks either."""
    table, _ = lock({}, QUEUES, "one", 0)
    assert unlock(table, QUEUES, "two") == table
    assert list(unlock(table, QUEUES[:1], "one")) == [QUEUES[1]]
    other = tuple(LockedQueue("H", each.topic, "b", each.queue) for each in QUEUES)
    assert lock(table, other, "two", 0)[1] == other
