"""When a consumer puts off a pull, locks a queue, and gives a message back."""

from __future__ import annotations

import pytest

from reference.decisions.clients.consuming import (
    LIVE_MS,
    MIB,
    RENEW_MS,
    Cached,
    Failed,
    FlowLimits,
    Lock,
    answer_send_back,
    ask,
    choose_lock_broker,
    find_pause,
    may_consume,
    may_take_queue,
    send_back,
)
from reference.decisions.clients.sending import SendAnswer
from reference.decisions.name_server.client_side import Route
from reference.decisions.name_server.registry import QueueData
from reference.decisions.progress.client_offsets import compute_consumed
from reference.decisions.reading.pull import ResponseCode
from reference.worlds.replication.roles import Role


@pytest.mark.parametrize(
    ("cached", "by"),
    [
        (Cached(messages=1_000), None),
        (Cached(messages=1_001), "has_too_many_messages"),
        (Cached(size_bytes=101 * MIB - 1), None),
        (Cached(size_bytes=101 * MIB), "has_too_many_bytes"),
        (Cached(span=2_000), None),
        (Cached(span=2_001), "has_too_wide_a_span"),
        (Cached(span=2_001, is_orderly=True, is_locked=True), None),
        (Cached(is_orderly=True), "is_lock_missing"),
        (Cached(messages=11, limits=FlowLimits(messages=10)), "has_too_many_messages"),
    ],
)
def test_pauses(cached: Cached, by: str | None) -> None:
    """Strictly above each limit; bytes count in whole mebibytes, so nearly one more fits."""
    pause = find_pause(cached)
    assert (pause.by if pause else None) == by
    if pause:
        assert pause.value == (3_000 if by == "is_lock_missing" else 50)


def test_the_first_limit_is_told() -> None:
    """In the order of the code."""
    pause = find_pause(Cached(messages=5_000, size_bytes=500 * MIB, span=5_000))
    assert pause is not None
    assert pause.by == "has_too_many_messages"


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


OK, ERROR, NOTHING = SendAnswer(0), SendAnswer(1), SendAnswer(None)
BOTH = Route({"a": QueueData()}, {"a": {0: "m:1", 1: "s:1"}})
SLAVE_ONLY = Route({"a": QueueData()}, {"a": {1: "s:1"}})
TWO = Route({"a": QueueData(), "b": QueueData()}, {"a": {1: "s:1"}, "b": {0: "m:2"}})


@pytest.mark.parametrize(
    ("failed", "by"),
    [
        (Failed("a", BOTH, BOTH, {"a": OK}), "is_taken_back"),
        (Failed("a", BOTH, BOTH, {"a": NOTHING}), "is_left"),
        (Failed("a", BOTH, BOTH, {"a": ERROR}), "is_left"),
        (Failed("a", SLAVE_ONLY, SLAVE_ONLY, {}), "is_left"),
        (Failed("a", SLAVE_ONLY, None, {}), "is_left"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": OK}), "is_copied"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": SendAnswer(11)}), "is_copied"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": NOTHING}), "is_left"),
    ],
)
def test_ways(failed: Failed, by: str) -> None:
    """To the master of the name, else as a copy to any master, else nowhere (R-CC-17)."""
    assert send_back(failed).by == by


def test_a_message_that_is_left_holds_back_progress() -> None:
    """The consumer keeps it, so its progress does not pass it."""
    assert send_back(Failed("a", SLAVE_ONLY, None, {})).by == "is_left"
    assert compute_consumed(frozenset({4}), 9) == 4


def test_a_slave_takes_nothing_back() -> None:
    """Its store refuses puts, which is answered as an error."""
    assert answer_send_back(Role.SLAVE) is ResponseCode.SYSTEM_ERROR
    for role in (Role.ASYNC_MASTER, Role.SYNC_MASTER):
        assert answer_send_back(role) is ResponseCode.SUCCESS
