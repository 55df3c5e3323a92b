"""A name server with a clock: its calls, one after the other, on the functions of its tables.

The steps have the form of the rows that real 4.4.0 code has answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import asdict

from properties.vectors.question import Data
from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.name_server import registry as tables
from reference.decisions.name_server import removal
from reference.decisions.name_server.client_side import pick_route
from reference.decisions.name_server.registry import QueueData, RegisterBrokerRequest, Registry
from reference.decisions.reading.question import QuestionError


class NameServer:
    """The tables between two calls, the clock, and which connections are open."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.now_ms = 0
        self.open_channels: dict[str, bool] = {}
        """By name, in the order of first use."""


def write_queue_data(data: QueueData) -> dict[str, int]:
    """The queues of a topic on one name."""
    written = ("read", "write", "perm", "flag")
    return dict(zip(written, asdict(data).values(), strict=True))


def write_addresses(addresses: Mapping[int, str]) -> dict[str, str]:
    """The ids of one name."""
    return {str(broker_id): address for broker_id, address in addresses.items()}


def write_state(registry: Registry) -> dict[str, Any]:
    """The four tables."""
    return {
        "addresses": {name: write_addresses(ids) for name, ids in registry.addresses.items()},
        "live": {
            address: {
                "version": [live.version.timestamp_ms, live.version.counter],
                "ha": live.ha_address,
                "channel": live.channel,
            }
            for address, live in registry.live.items()
        },
        "queues": {
            topic: {name: write_queue_data(data) for name, data in names.items()}
            for topic, names in registry.queues.items()
        },
        "clusters": {name: sorted(names) for name, names in registry.clusters.items()},
    }


def register(server: NameServer, body: Data) -> Any:
    """``register``."""
    topics = body["topics"]
    request = RegisterBrokerRequest(
        name=body["name"],
        broker_id=body["id"],
        address=body["addr"],
        ha_address=body["ha"],
        version=DataVersion(*body["version"]),
        topics=None if topics is None else {n: QueueData(*data) for n, data in topics.items()},
        cluster=body["cluster"],
        channel=body["channel"],
    )
    server.open_channels.setdefault(body["channel"], True)
    server.registry, answer = tables.register(server.registry, request, server.now_ms)
    return {"masterAddr": answer.master_address, "haServerAddr": answer.ha_address}


def unregister(server: NameServer, cluster: str, address: str, name: str, broker_id: int) -> Any:
    """``unregister``."""
    request = removal.Unregistration(name, broker_id, address, cluster)
    server.registry = removal.unregister(server.registry, request)


def close_channel(server: NameServer, channel: str, remote_address: str) -> Any:
    """``close_channel``: the name of one that was never opened is that of none."""
    known = channel if channel in server.open_channels else None
    if known is not None:
        server.open_channels[known] = False
    server.registry = removal.close_channel(server.registry, known, remote_address)


def advance(server: NameServer, passed_ms: int) -> Any:
    """``advance``."""
    server.now_ms += passed_ms


def scan(server: NameServer) -> Any:
    """``scan``: also which connections are closed by then."""
    for address in removal.list_expired(server.registry, server.now_ms):
        channel = server.registry.live[address].channel
        server.open_channels[str(channel)] = False
    server.registry = removal.expire(server.registry, server.now_ms)
    return {
        "closed_channels": sorted(n for n, is_open in server.open_channels.items() if not is_open)
    }


def query_version(server: NameServer, address: str, version: list[int]) -> Any:
    """``query_version``."""
    server.registry, answer = tables.answer_version_query(
        server.registry, address, DataVersion(*version), server.now_ms
    )
    return {"changed": answer.is_changed}


def wipe(server: NameServer, name: str) -> Any:
    """``wipe``."""
    count = tables.count_topics(server.registry, name)
    server.registry = tables.wipe_write_permission(server.registry, name)
    return count


def delete_topic(server: NameServer, topic: str) -> Any:
    """``delete_topic``."""
    server.registry = tables.delete_topic(server.registry, topic)


def route(server: NameServer, topic: str) -> Any:
    """``route``."""
    picked = pick_route(server.registry, topic)
    if picked is None:
        return None
    return {
        "queues": {name: write_queue_data(data) for name, data in picked.queues.items()},
        "brokers": {name: write_addresses(ids) for name, ids in picked.addresses.items()},
    }


def cluster_info(server: NameServer) -> Any:
    """``cluster_info``."""
    registry = server.registry
    return {
        "brokerAddrTable": {
            name: {
                "brokerAddrs": write_addresses(ids),
                "brokerName": name,
                "cluster": registry.first_clusters[name],
            }
            for name, ids in registry.addresses.items()
        },
        "clusterAddrTable": {name: sorted(names) for name, names in registry.clusters.items()},
    }


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        register,
        unregister,
        close_channel,
        advance,
        scan,
        query_version,
        wipe,
        delete_topic,
        route,
        cluster_info,
    )
}


def call(server: NameServer, step: Sequence[Any]) -> Any:
    """One step: a call and its arguments. Raises QuestionError for an unknown one."""
    function = OPERATIONS.get(step[0])
    if function is None:
        raise QuestionError(f"there is no operation {step[0]!r}")
    return function(server, *step[1:])
