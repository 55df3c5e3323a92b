"""Registrations of brokers: what is kept, what is answered, and how it ends.

Source: RouteInfoManager of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, frozen

from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.reading.pull_processor import MASTER_ID

PERM_WRITE = 2
"""The bit of a permission that lets producers in."""
EXPIRY_MS = 120_000
"""A broker that is silent for longer is dead (``BROKER_CHANNEL_EXPIRED_TIME``)."""
SCAN_FIRST_MS = 5_000
SCAN_PERIOD_MS = 10_000
"""When the name server looks for dead ones (R-NS-05)."""


@frozen
class QueueData:
    """The queues of one topic on the brokers of one name."""

    read_queues: int = 4
    write_queues: int = 4
    permission: int = 6


@frozen
class Registration:
    """A REGISTER_BROKER request."""

    name: str
    """``brokerName``, which a master and its slaves share."""
    broker_id: int
    address: str
    ha_address: str
    """Where it takes connections of slaves; slaves have one too."""
    version: DataVersion
    """Of its topics."""
    topics: Mapping[str, QueueData] | None = None
    """None: the request carries none."""


@frozen
class Answer:
    """What a broker is told; both are None for a master."""

    master_address: str | None = None
    ha_address: str | None = None


@frozen
class Live:
    """What is known of a broker that has registered and not ended."""

    updated_ms: float
    version: DataVersion
    ha_address: str


@frozen
class Registry:
    """The tables of a name server."""

    addresses: Mapping[str, Mapping[int, str]] = field(factory=dict)
    """By broker name and id (``brokerAddrTable``)."""
    live: Mapping[str, Live] = field(factory=dict)
    """By address (``brokerLiveTable``)."""
    queues: Mapping[str, Mapping[str, QueueData]] = field(factory=dict)
    """By topic and broker name (``topicQueueTable``)."""


def is_first_registration(registry: Registry, request: Registration) -> bool:
    """The name had no address for this id."""
    return request.broker_id not in registry.addresses.get(request.name, {})


def has_changed_topics(registry: Registry, request: Registration) -> bool:
    """The broker's topics have another version than when it registered last."""
    known = registry.live.get(request.address)
    return known is None or known.version != request.version


def is_queue_data_taken(registry: Registry, request: Registration) -> bool:
    """Queues are taken from masters only, when they are new or changed (R-NS-02)."""
    is_new = is_first_registration(registry, request) or has_changed_topics(registry, request)
    return request.topics is not None and request.broker_id == MASTER_ID and is_new


def is_master_listed_and_live(registry: Registry, name: str) -> bool:
    """Id 0 has an address, and its broker is live; only then is a slave told of it (R-NS-02)."""
    address = registry.addresses.get(name, {}).get(MASTER_ID)
    return address is not None and address in registry.live


def register(registry: Registry, request: Registration, now_ms: float) -> tuple[Registry, Answer]:
    """The tables after a registration, and its answer (RouteInfoManager#registerBroker)."""
    queues = dict(registry.queues)
    if is_queue_data_taken(registry, request):
        for topic, data in (request.topics or {}).items():
            queues[topic] = {**queues.get(topic, {}), request.name: data}
    known = registry.addresses.get(request.name, {})
    after = Registry(
        {**registry.addresses, request.name: {**known, request.broker_id: request.address}},
        {**registry.live, request.address: Live(now_ms, request.version, request.ha_address)},
        queues,
    )
    return after, make_answer(after, request)


def make_answer(registry: Registry, request: Registration) -> Answer:
    """What the broker is told: its master, if it is a slave and the master is there."""
    if request.broker_id == MASTER_ID or not is_master_listed_and_live(registry, request.name):
        return Answer()
    address = registry.addresses[request.name][MASTER_ID]
    return Answer(address, registry.live[address].ha_address)


def remove(registry: Registry, address: str) -> Registry:
    """The tables without one broker: unregistered, its channel closed, or expired (R-NS-05).

    Its name, queues and permissions stay while any id of the name is left (R-NS-06).
    """
    live = {key: value for key, value in registry.live.items() if key != address}
    addresses = {
        name: rest
        for name, ids in registry.addresses.items()
        if (rest := {key: value for key, value in ids.items() if value != address})
    }
    gone = registry.addresses.keys() - addresses.keys()
    queues = {
        topic: left
        for topic, names in registry.queues.items()
        if (left := {name: data for name, data in names.items() if name not in gone})
    }
    return Registry(addresses, live, queues)


def is_expired(live: Live, now_ms: float) -> bool:
    """It has not registered for longer than EXPIRY_MS."""
    return live.updated_ms + EXPIRY_MS < now_ms


def expire(registry: Registry, now_ms: float) -> Registry:
    """The tables after a look for dead brokers (RouteInfoManager#scanNotActiveBroker)."""
    for address, live in registry.live.items():
        if is_expired(live, now_ms):
            registry = remove(registry, address)
    return registry


def wipe_write_permission(registry: Registry, name: str) -> Registry:
    """An operator takes a broker name's topics out of writing (WIPE_WRITE_PERM_OF_BROKER).

    It lasts until the master registers with another version of its topics.
    """
    queues = {
        topic: {
            key: evolve(data, permission=data.permission & ~PERM_WRITE) if key == name else data
            for key, data in names.items()
        }
        for topic, names in registry.queues.items()
    }
    return evolve(registry, queues=queues)
