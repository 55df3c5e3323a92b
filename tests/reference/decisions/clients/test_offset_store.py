"""A consumer's own progress: kept, sent, asked for, forgotten."""

from __future__ import annotations

import pytest

from reference.decisions.clients.offset_store import (
    Exchange,
    OffsetStore,
    ReadOffsetType,
    fetch,
    forget,
    persist,
    persist_all,
    read,
    update,
)
from reference.decisions.clients.requests import (
    SILENCE,
    CommitRequest,
    Network,
    RouteRequest,
    StoredOffsetRequest,
    compute_port,
)
from reference.decisions.progress.client_offsets import NOT_READABLE, NOT_STORED, OffsetReply
from reference.decisions.reading.client import Client

STORE = OffsetStore(Client(), {0: 5, 1: 6})
LOST = OffsetStore(Client(brokers=()), {0: 5})


def test_consumption_only_moves_progress_on() -> None:
    """A correction sets it (R-CC-11)."""
    assert update(STORE, 0, 3, is_increase_only=True).offsets == {0: 5, 1: 6}
    assert update(STORE, 0, 8, is_increase_only=True).offsets == {0: 8, 1: 6}
    assert update(STORE, 0, 3, is_increase_only=False).offsets == {0: 3, 1: 6}
    assert update(STORE, 2, -1, is_increase_only=True).offsets == {0: 5, 1: 6, 2: -1}
    assert forget(forget(STORE, 0), 0).offsets == {1: 6}


def test_progress_is_sent_for_assigned_queues() -> None:
    """Changed or not; others are forgotten (R-CC-12)."""
    exchange = persist_all(STORE, frozenset({1, 2}), SILENCE)
    assert exchange.sent == (CommitRequest(0, 1, 6),)
    assert exchange.store.offsets == {1: 6}


def test_without_a_queue_nothing_is_forgotten() -> None:
    """The table is not even looked at."""
    assert persist_all(STORE, frozenset(), SILENCE) == Exchange(STORE)


@pytest.mark.parametrize(("brokers", "broker_id"), [((0, 1), 0), ((2, 1), 1), ((16, 0), 16)])
def test_progress_goes_to_the_first_address(brokers: tuple[int, ...], broker_id: int) -> None:
    """A slave's too (R-CC-13), and to the second port."""
    (sent,) = persist(OffsetStore(Client(brokers=brokers), {0: 5}), 0, SILENCE).sent
    assert sent == CommitRequest(broker_id, 0, 5)
    assert compute_port(sent, 10_911) == 10_909


def test_without_an_address_the_route_is_asked_for() -> None:
    """Once for each queue, until there is one; progress stays in memory."""
    assert persist(LOST, 0, SILENCE) == Exchange(LOST, (RouteRequest(),))
    exchange = persist(LOST, 0, Network(route=(1,)))
    assert exchange.sent == (RouteRequest(), CommitRequest(1, 0, 5))
    assert persist(LOST, 3, SILENCE) == Exchange(LOST)
    both = OffsetStore(Client(brokers=()), {0: 5, 1: 6})
    exchange = persist_all(both, frozenset({0, 1}), Network(route=(1,)))
    assert [RouteRequest(), CommitRequest(1, 0, 5), CommitRequest(1, 1, 6)] == [*exchange.sent]
    assert len(persist_all(both, frozenset({0, 1}), SILENCE).sent) == 2


@pytest.mark.parametrize(
    ("reply", "offset", "memory"),
    [
        (OffsetReply(0, 3), 3, 3),
        (OffsetReply(0, -1), NOT_STORED, -1),
        (OffsetReply(0), NOT_READABLE, 5),
        (OffsetReply(22), NOT_STORED, 5),
        (OffsetReply(1), NOT_STORED, 5),
        (None, NOT_READABLE, 5),
    ],
)
def test_what_a_broker_tells_is_taken_into_memory(
    reply: OffsetReply | None, offset: int, memory: int
) -> None:
    """A lower offset too (R-CC-14)."""
    exchange = fetch(STORE, 0, Network(stored_offset=reply))
    assert exchange.sent == (StoredOffsetRequest(0),)
    assert (exchange.offset, exchange.store.offsets[0]) == (offset, memory)


def test_memory_comes_first_or_alone() -> None:
    """Without an entry only MEMORY_FIRST asks on; without an address nobody can be asked."""
    told = Network(stored_offset=OffsetReply(0, 9))
    for kind in (ReadOffsetType.MEMORY, ReadOffsetType.MEMORY_FIRST):
        assert read(STORE, 0, kind, told) == Exchange(STORE, (), 5)
    assert read(STORE, 2, ReadOffsetType.MEMORY, told).offset == NOT_STORED
    assert read(STORE, 2, ReadOffsetType.MEMORY_FIRST, told).offset == 9
    assert read(STORE, 0, ReadOffsetType.STORE, told).offset == 9
    assert read(LOST, 0, ReadOffsetType.STORE, told).offset == NOT_READABLE
