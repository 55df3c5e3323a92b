"""Registrations of brokers: the data kept, and the answers.

How a registration ends is in ``removal``. Source: RouteInfoManager of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, frozen

from reference.decisions.metadata.broker_tables import DataVersion
from reference.roles import MASTER_ID

PERM_WRITE = 2
"""The bit of a permission that allows producers to write."""


@frozen
class QueueData:
    """The queues of one topic on the brokers of one name."""

    read_queues: int = 4
    write_queues: int = 4
    permission: int = 6
    sys_flag: int = 0
    """``topicSynFlag``: the bits of units, which no decision here uses."""


DEFAULT_CLUSTER = "DefaultCluster"
"""``brokerClusterName`` if none is configured."""


@frozen
class RegisterBrokerRequest:
    """A REGISTER_BROKER request."""

    name: str
    """``brokerName``, which a master and its slaves share."""
    broker_id: int
    address: str
    ha_address: str
    """Where it accepts connections of slaves; slaves have one too."""
    version: DataVersion
    """Of its topics."""
    topics: Mapping[str, QueueData] | None = None
    """None: the request carries none."""
    cluster: str = DEFAULT_CLUSTER
    channel: str | None = None
    """The connection that carried the request, identified by any name."""


@frozen
class RegisterBrokerResult:
    """The answer to a broker; both fields are None for a master."""

    master_address: str | None = None
    ha_address: str | None = None


@frozen
class Live:
    """The entry of a broker that has registered and not ended."""

    updated_ms: float
    version: DataVersion
    ha_address: str
    channel: str | None = None
    """The connection of its last registration."""


@frozen
class Registry:
    """The tables of a name server."""

    addresses: Mapping[str, Mapping[int, str]] = field(factory=dict)
    """By broker name and id (``brokerAddrTable``)."""
    live: Mapping[str, Live] = field(factory=dict)
    """By address (``brokerLiveTable``)."""
    queues: Mapping[str, Mapping[str, QueueData]] = field(factory=dict)
    """By topic and broker name (``topicQueueTable``)."""
    clusters: Mapping[str, frozenset[str]] = field(factory=dict)
    """The broker names of each cluster (``clusterAddrTable``)."""
    first_clusters: Mapping[str, str] = field(factory=dict)
    """By broker name: the cluster of the first broker to register (``BrokerData.cluster``)."""


def is_first_registration(registry: Registry, request: RegisterBrokerRequest) -> bool:
    """The name had no address for this id."""
    return request.broker_id not in registry.addresses.get(request.name, {})


def has_changed_topics(registry: Registry, request: RegisterBrokerRequest) -> bool:
    """The broker's topics have another version than at its last registration."""
    known = registry.live.get(request.address)
    return known is None or known.version != request.version


def is_queue_data_taken(registry: Registry, request: RegisterBrokerRequest) -> bool:
    """Queues are taken from masters only, when they are new or changed (R-NS-02)."""
    is_new = is_first_registration(registry, request) or has_changed_topics(registry, request)
    return request.topics is not None and request.broker_id == MASTER_ID and is_new


def is_master_listed_and_live(registry: Registry, name: str) -> bool:
    """Id 0 has an address, and its broker is live; only then does a slave learn of it (R-NS-02)."""
    address = registry.addresses.get(name, {}).get(MASTER_ID)
    return address is not None and address in registry.live


def register(
    registry: Registry, request: RegisterBrokerRequest, now_ms: float
) -> tuple[Registry, RegisterBrokerResult]:
    """The tables after a registration, and its answer (RouteInfoManager#registerBroker)."""
    queues = dict(registry.queues)
    if is_queue_data_taken(registry, request):
        for topic, data in (request.topics or {}).items():
            queues[topic] = {**queues.get(topic, {}), request.name: data}
    known = registry.addresses.get(request.name, {})
    live = Live(now_ms, request.version, request.ha_address, request.channel)
    names = registry.clusters.get(request.cluster, frozenset())
    after = Registry(
        {**registry.addresses, request.name: {**known, request.broker_id: request.address}},
        {**registry.live, request.address: live},
        queues,
        {**registry.clusters, request.cluster: names | {request.name}},
        {request.name: request.cluster, **registry.first_clusters},
    )
    return after, make_answer(after, request)


def make_answer(registry: Registry, request: RegisterBrokerRequest) -> RegisterBrokerResult:
    """The answer to a broker: its master, if it is a slave and the master is live."""
    if request.broker_id == MASTER_ID or not is_master_listed_and_live(registry, request.name):
        return RegisterBrokerResult()
    address = registry.addresses[request.name][MASTER_ID]
    return RegisterBrokerResult(address, registry.live[address].ha_address)


@frozen
class VersionAnswer:
    """The answer to a broker that queries its topics' version (QUERY_DATA_VERSION)."""

    is_changed: bool
    version: DataVersion | None
    """The name server's version; None: the broker is not live."""


def answer_version_query(
    registry: Registry, address: str, version: DataVersion, now_ms: float
) -> tuple[Registry, VersionAnswer]:
    """The tables and the answer: a broker with an equal version counts as heard of.

    Source: DefaultRequestProcessor#queryBrokerTopicConfig,
    RouteInfoManager#isBrokerTopicConfigChanged and #updateBrokerInfoUpdateTimestamp.
    """
    known = registry.live.get(address)
    if known is None or known.version != version:
        had = known.version if known else None
        return registry, VersionAnswer(is_changed=True, version=had)
    live = {**registry.live, address: evolve(known, updated_ms=now_ms)}
    return evolve(registry, live=live), VersionAnswer(is_changed=False, version=version)


def wipe_write_permission(registry: Registry, name: str) -> Registry:
    """An operator makes a broker name's topics unwritable (WIPE_WRITE_PERM_OF_BROKER).

    This lasts until the master registers with another version of its topics.
    """
    queues = {
        topic: {
            key: evolve(data, permission=data.permission & ~PERM_WRITE) if key == name else data
            for key, data in names.items()
        }
        for topic, names in registry.queues.items()
    }
    return evolve(registry, queues=queues)


def count_topics(registry: Registry, name: str) -> int:
    """The number of topics with queues on a broker name: the answer to a wipe."""
    return sum(name in names for names in registry.queues.values())


def delete_topic(registry: Registry, topic: str) -> Registry:
    """The tables without a topic's queues (DELETE_TOPIC_IN_NAMESRV)."""
    return evolve(registry, queues={k: v for k, v in registry.queues.items() if k != topic})
