"""When a consumer has the lock of a queue."""

from __future__ import annotations

from reference.decisions.clients.flow_control import Cached, find_pause
from reference.decisions.clients.locking import (
    LIVE_MS,
    RENEW_MS,
    Lock,
    ask,
    choose_lock_broker,
    may_consume,
    may_take_queue,
)

PAIR, ALONE = (0, 1), (1,)


def test_only_the_master_is_asked() -> None:
    """Although a slave would be listed (R-CC-16)."""
    assert choose_lock_broker(PAIR) == 0
    assert choose_lock_broker(ALONE) is None


def test_a_lock_is_kept_while_the_master_answers() -> None:
    """It is renewed before it is too old."""
    lock = Lock()
    for now_ms in range(0, 10 * RENEW_MS, RENEW_MS):
        lock = ask(lock, PAIR, now_ms, is_granted=True)
        assert may_consume(lock, now_ms + RENEW_MS)


def test_consumption_ends_30_s_after_the_last_answer() -> None:
    """Whether the dead master is still listed or not; the lock is never given back."""
    for brokers in (PAIR, ALONE):
        lock = ask(Lock(), PAIR, 0, is_granted=True)
        for now_ms in range(RENEW_MS, 10 * RENEW_MS, RENEW_MS):
            lock = ask(lock, brokers, now_ms, is_granted=None)
        assert may_consume(lock, LIVE_MS)
        assert not may_consume(lock, LIVE_MS + 1)


def test_a_refused_lock_ends_it_at_once() -> None:
    """Another consumer has it."""
    lock = ask(Lock(), PAIR, 0, is_granted=True)
    refused = ask(lock, PAIR, 1, is_granted=False)
    assert not may_consume(refused, 1)


def test_a_new_queue_is_not_taken_without_the_master() -> None:
    """A consumer that starts during the outage gets no queue at all."""
    assert may_take_queue(PAIR, is_granted=True)
    for brokers, is_granted in ((PAIR, False), (PAIR, None), (ALONE, None)):
        assert not may_take_queue(brokers, is_granted=is_granted)


def test_pulls_go_on_though_nothing_is_consumed() -> None:
    """An old lock does not stop them; the limits of the cache do (R-CC-07)."""
    lock = ask(Lock(), PAIR, 0, is_granted=True)
    assert not may_consume(lock, 10 * LIVE_MS)
    assert find_pause(Cached(is_orderly=True, is_locked=lock.is_locked)) is None
