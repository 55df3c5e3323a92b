"""A consumer's own progress: what it keeps in memory, what it sends where, what it forgets.

Source: RemoteBrokerOffsetStore of the 4.4.0 client. Progress goes to the first address of the
name, the master's or a slave's (`reference.decisions.reading.client.find_offset_store`).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from attrs import evolve, field, frozen

from reference.decisions.clients.reactions import move_on
from reference.decisions.clients.requests import (
    CommitRequest,
    Network,
    Request,
    StoredOffsetRequest,
)
from reference.decisions.clients.routes import find
from reference.decisions.progress.client_offsets import (
    NOT_READABLE,
    NOT_STORED,
    read_stored,
    read_told,
)
from reference.decisions.reading.client import Client, find_offset_store

PERSIST_MS = 5_000
"""How often all progress is sent, changed or not (``persistConsumerOffsetInterval``, R-CC-12)."""


class ReadOffsetType(enum.Enum):
    """``ReadOffsetType``: where progress is read."""

    MEMORY = "READ_FROM_MEMORY"
    STORE = "READ_FROM_STORE"
    MEMORY_FIRST = "MEMORY_FIRST_THEN_STORE"


@frozen
class OffsetStore:
    """Progress in memory, and the addresses through which it is sent and queried."""

    client: Client
    offsets: Mapping[int, int] = field(factory=dict)
    """By queue (``offsetTable``)."""


@frozen
class Exchange:
    """The store after an operation, and the requests sent."""

    store: OffsetStore
    sent: tuple[Request, ...] = ()
    offset: int | None = None
    """The progress read; None for operations that read nothing."""


def update(store: OffsetStore, queue: int, offset: int, *, is_increase_only: bool) -> OffsetStore:
    """Consumption only advances progress; a correction sets it (R-CC-11, #updateOffset)."""
    known = store.offsets.get(queue)
    new = move_on(known, offset) if is_increase_only and known is not None else offset
    return evolve(store, offsets={**store.offsets, queue: new})


def forget(store: OffsetStore, queue: int) -> OffsetStore:
    """The store without a queue (#removeOffset); nothing is sent."""
    kept = {each: offset for each, offset in store.offsets.items() if each != queue}
    return evolve(store, offsets=kept)


def persist(store: OffsetStore, queue: int, network: Network) -> Exchange:
    """A queue's progress is sent, if an address is known or one lookup finds one (#persist).

    The queue's entry stays, and whether the request arrives is not known.
    """
    if queue not in store.offsets:
        return Exchange(store)
    found = find(store.client, find_offset_store, network.route)
    after = evolve(store, client=found.client)
    if found.address is None:
        return Exchange(after, found.sent)
    commit = CommitRequest(found.address, queue, store.offsets[queue])
    return Exchange(after, (*found.sent, commit))


def persist_all(store: OffsetStore, assigned: frozenset[int], network: Network) -> Exchange:
    """Progress of the consumer's own queues is sent; the rest is forgotten (R-CC-12).

    Without any queue nothing happens: even leftover entries stay (#persistAll).
    """
    if not assigned:
        return Exchange(store)
    exchange = Exchange(store)
    for queue in store.offsets:
        if queue in assigned:
            one = persist(exchange.store, queue, network)
            exchange = Exchange(one.store, (*exchange.sent, *one.sent))
        else:
            exchange = evolve(exchange, store=forget(exchange.store, queue))
    return exchange


def fetch(store: OffsetStore, queue: int, network: Network) -> Exchange:
    """A queue's progress is queried from a broker; the answer replaces memory, even if lower.

    Source: #readOffset, #fetchConsumeOffsetFromBroker.
    """
    found = find(store.client, find_offset_store, network.route)
    asked = evolve(store, client=found.client)
    if found.address is None:
        return Exchange(asked, found.sent, NOT_READABLE)
    sent = (*found.sent, StoredOffsetRequest(found.address))
    told = read_told(network.stored_offset)
    if told is not None:
        asked = update(asked, queue, told, is_increase_only=False)
    return Exchange(asked, sent, read_stored(network.stored_offset))


def read(store: OffsetStore, queue: int, kind: ReadOffsetType, network: Network) -> Exchange:
    """A queue's progress from memory, from a broker, or from the first that has it (#readOffset).

    NOT_STORED and NOT_READABLE mean that there is none.
    """
    if kind is not ReadOffsetType.STORE and queue in store.offsets:
        return Exchange(store, (), store.offsets[queue])
    if kind is ReadOffsetType.MEMORY:
        return Exchange(store, (), NOT_STORED)
    return fetch(store, queue, network)
