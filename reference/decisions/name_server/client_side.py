"""What producers and consumers make of a topic's route.

Source: RouteInfoManager#pickupTopicRouteData, MQClientInstance#topicRouteData2TopicPublishInfo and
#topicRouteData2TopicSubscribeInfo of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from reference.decisions.name_server.registry import PERM_WRITE, QueueData, Registry
from reference.decisions.reading.pull_processor import MASTER_ID
from reference.decisions.reading.settings import PERM_READ


@frozen
class Route:
    """A topic's queues and its brokers' addresses."""

    queues: Mapping[str, QueueData] = field(factory=dict)
    """By broker name."""
    addresses: Mapping[str, Mapping[int, str]] = field(factory=dict)
    """By broker name and id."""


def pick_route(registry: Registry, topic: str) -> Route | None:
    """The route of a topic; None: no queue, or no broker of any name that has one."""
    queues = registry.queues.get(topic, {})
    addresses = {name: registry.addresses[name] for name in queues if name in registry.addresses}
    return Route(queues, addresses) if addresses else None


def find_publish_address(route: Route, name: str) -> str | None:
    """Where messages for this name are sent: to id 0, never to a slave (R-CC-03).

    Source: MQClientInstance#findBrokerAddressInPublish.
    """
    return route.addresses.get(name, {}).get(MASTER_ID)


def is_writable_there(route: Route, name: str) -> bool:
    """Producers use the queues of this name: they may be written, and it has a master."""
    has_permission = bool(route.queues[name].permission & PERM_WRITE)
    return has_permission and find_publish_address(route, name) is not None


def is_readable_there(route: Route, name: str) -> bool:
    """Consumers use the queues of this name, with or without a master (R-NS-07)."""
    return bool(route.queues[name].permission & PERM_READ)


def list_write_queues(route: Route | None) -> tuple[tuple[str, int], ...]:
    """The queues that a producer chooses from (R-PR-02); none: no send is possible (K-60)."""
    if route is None:
        return ()
    names = [name for name in route.queues if is_writable_there(route, name)]
    return tuple((name, n) for name in names for n in range(route.queues[name].write_queues))


def list_read_queues(route: Route | None) -> tuple[tuple[str, int], ...]:
    """The queues that consumers share among themselves."""
    if route is None:
        return ()
    names = [name for name in route.queues if is_readable_there(route, name)]
    return tuple((name, n) for name in names for n in range(route.queues[name].read_queues))


def is_read_only(route: Route | None) -> bool:
    """The topic can be read, and nobody can write to it."""
    return bool(list_read_queues(route)) and not list_write_queues(route)
