"""How registrations of brokers end: in order, with their connection, or by silence.

A broker that stops in order says under which name and id it leaves, and that entry goes, whatever
address has taken it since. Where a connection ends, or a broker is silent, only an address is
known, and the first entry with it goes. So an entry can go that is in use, and one can stay that
nobody is behind (B4-1006, B4-1004). Source: RouteInfoManager of 4.4.0.
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
"""When the name server looks for dead ones (R-NS-05)."""
NAME_BUCKETS, CLUSTER_BUCKETS, LIVE_BUCKETS = 128, 32, 256
"""With how many buckets the name server makes its tables of names, clusters and live brokers."""


@frozen
class Unregistration:
    """An UNREGISTER_BROKER request: who leaves, in its own words."""

    name: str
    broker_id: int
    address: str
    cluster: str = DEFAULT_CLUSTER


def unregister(registry: Registry, request: Unregistration) -> Registry:
    """The tables after a broker has stopped in order (RouteInfoManager#unregisterBroker).

    The id leaves the name with whatever address stands there, and the told address leaves the live
    brokers, with or without an entry. So a master that was replaced takes its living successor from
    the name until that registers again (B4-1006).
    """
    return remove_id(forget_live(registry, request.address), request, request.cluster)


def close_channel(registry: Registry, channel: str | None, remote_address: str) -> Registry:
    """The tables after a connection has ended (RouteInfoManager#onChannelDestroy).

    Of a broker that has registered through it the address is known, of others only the other end of
    the connection, where brokers do not listen.
    """
    address = find_live_address(registry, channel)
    return remove_address(registry, remote_address if address is None else address)


def find_live_address(registry: Registry, channel: str | None) -> str | None:
    """Who has registered through a connection last: the first one that the table lists."""
    if channel is None:
        return None
    listed = order_as_listed(registry.live, LIVE_BUCKETS)
    return next((str(a) for a in listed if registry.live[str(a)].channel == channel), None)


def remove_address(registry: Registry, address: str) -> Registry:
    """The tables without a broker of which only the address is known (R-NS-05).

    One entry goes, the first that has it. An address that is listed twice stays listed, and as it
    is not live any more no look for dead brokers finds it again (B4-1004).
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
    """The tables with an address that is not live."""
    return evolve(registry, live={k: v for k, v in registry.live.items() if k != address})


def remove_id(registry: Registry, entry: Unregistration, cluster: str | None) -> Registry:
    """The tables without one id of a name.

    The name, its queues and permissions stay while any id of it is left (R-NS-06); with the last
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
    """The addresses that a look finds dead; the name server closes their connections."""
    listed = map(str, order_as_listed(registry.live, LIVE_BUCKETS))
    return tuple(address for address in listed if is_expired(registry.live[address], now_ms))


def expire(registry: Registry, now_ms: float) -> Registry:
    """The tables after a look for dead brokers (RouteInfoManager#scanNotActiveBroker).

    Each has a connection of its own; where two addresses share one, the real look throws.
    """
    for address in list_expired(registry, now_ms):
        if address in registry.live:
            channel = registry.live[address].channel
            registry = close_channel(forget_live(registry, address), channel, address)
    return registry
