"""How registrations of brokers end: by a clean stop, with their connection, or by silence.

A broker that stops cleanly states its name and id, and that entry is removed, whatever address it
has by then. When a connection ends or a broker is silent, only an address is known, and the first
entry with it is removed. So an entry in use can be removed, and one without a broker can stay
(B4-1006, B4-1004). Source: RouteInfoManager of 4.4.0.
"""

from __future__ import annotations

from attrs import evolve, frozen

from reference.decisions.hash_order import order_as_listed
from reference.decisions.name_server.registry import DEFAULT_CLUSTER, Live, Registry
from reference.decisions.reading.client import order_as_hash_map

EXPIRY_MS = 120_000
"""A broker that is silent for longer is dead (``BROKER_CHANNEL_EXPIRED_TIME``)."""
SCAN_FIRST_MS = 5_000
SCAN_PERIOD_MS = 10_000
"""How often the name server scans for dead brokers (R-NS-05)."""
NAME_BUCKETS, CLUSTER_BUCKETS, LIVE_BUCKETS = 128, 32, 256
"""Initial numbers of buckets of the name server's tables of names, clusters and live brokers."""


@frozen
class Unregistration:
    """An UNREGISTER_BROKER request, with the broker's own data."""

    name: str
    broker_id: int
    address: str
    cluster: str = DEFAULT_CLUSTER


def unregister(registry: Registry, request: Unregistration) -> Registry:
    """The tables after a broker has stopped cleanly (RouteInfoManager#unregisterBroker).

    The id leaves the name whatever address it has, and the stated address leaves the live brokers,
    with or without an entry. So a master that was replaced removes its living successor from the
    name until that registers again (B4-1006).
    """
    return remove_id(forget_live(registry, request.address), request, request.cluster)


def close_channel(registry: Registry, channel: str | None, remote_address: str) -> Registry:
    """The tables after a connection has ended (RouteInfoManager#onChannelDestroy).

    For a broker that registered through it the address is known. Otherwise only the other end of
    the connection is known, where brokers do not listen.
    """
    address = find_live_address(registry, channel)
    return remove_address(registry, remote_address if address is None else address)


def find_live_address(registry: Registry, channel: str | None) -> str | None:
    """The broker that last registered through a connection: the first one that the table lists."""
    if channel is None:
        return None
    listed = order_as_listed(registry.live, LIVE_BUCKETS)
    return next((str(a) for a in listed if registry.live[str(a)].channel == channel), None)


def remove_address(registry: Registry, address: str) -> Registry:
    """The tables without a broker of which only the address is known (R-NS-05).

    Only the first entry that has it is removed. An address that is listed twice stays listed, and
    since it is no longer live, no later scan finds it again (B4-1004).
    """
    without = forget_live(registry, address)
    entry = find_first_entry(registry, address)
    if entry is None:
        return without
    return remove_id(without, entry, find_first_cluster(registry, entry.name))


def find_first_entry(registry: Registry, address: str) -> Unregistration | None:
    """The first name and id with an address, in the order in which the tables list them."""
    for name in map(str, order_as_listed(registry.addresses, NAME_BUCKETS)):
        ids = registry.addresses[name]
        for broker_id in order_as_hash_map(ids):
            if ids[broker_id] == address:
                return Unregistration(name, broker_id, address)
    return None


def find_first_cluster(registry: Registry, name: str) -> str | None:
    """The first cluster that has a broker name, in the order in which the table lists them."""
    listed = map(str, order_as_listed(registry.clusters, CLUSTER_BUCKETS))
    return next((cluster for cluster in listed if name in registry.clusters[cluster]), None)


def forget_live(registry: Registry, address: str) -> Registry:
    """The tables with an address that is no longer live."""
    return evolve(registry, live={k: v for k, v in registry.live.items() if k != address})


def remove_id(registry: Registry, entry: Unregistration, cluster: str | None) -> Registry:
    """The tables without one id of a name.

    The name, its queues and permissions stay while any id of it is left (R-NS-06). With the last
    one the name leaves this cluster, and no other.
    """
    ids = registry.addresses.get(entry.name)
    if ids is None:
        return registry
    left = {key: value for key, value in ids.items() if key != entry.broker_id}
    if left:
        return evolve(registry, addresses={**registry.addresses, entry.name: left})
    return remove_name(registry, entry.name, cluster)


def remove_name(registry: Registry, name: str, cluster: str | None) -> Registry:
    """The tables without a name; topics without queues and clusters without names go too."""
    queues = {
        topic: left
        for topic, names in registry.queues.items()
        if (left := {key: data for key, data in names.items() if key != name})
    }
    clusters = {
        key: kept
        for key, members in registry.clusters.items()
        if (kept := members - {name} if key == cluster else members)
    }
    return evolve(
        registry,
        addresses={key: ids for key, ids in registry.addresses.items() if key != name},
        queues=queues,
        clusters=clusters,
        first_clusters={k: v for k, v in registry.first_clusters.items() if k != name},
    )


def is_expired(live: Live, now_ms: float) -> bool:
    """Nothing was heard of it for longer than EXPIRY_MS."""
    return live.updated_ms + EXPIRY_MS < now_ms


def list_expired(registry: Registry, now_ms: float) -> tuple[str, ...]:
    """The addresses that a scan finds dead; the name server closes their connections."""
    listed = map(str, order_as_listed(registry.live, LIVE_BUCKETS))
    return tuple(address for address in listed if is_expired(registry.live[address], now_ms))


def expire(registry: Registry, now_ms: float) -> Registry:
    """The tables after a scan for dead brokers (RouteInfoManager#scanNotActiveBroker).

    Each is assumed to have its own connection; if two addresses share one, the real scan throws.
    """
    for address in list_expired(registry, now_ms):
        if address in registry.live:
            channel = registry.live[address].channel
            registry = close_channel(forget_live(registry, address), channel, address)
    return registry
