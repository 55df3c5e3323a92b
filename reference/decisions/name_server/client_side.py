"""How producers and consumers use a topic's route, and how long they use an outdated one.

Source: RouteInfoManager#pickupTopicRouteData, MQClientInstance#topicRouteData2TopicPublishInfo and
#topicRouteData2TopicSubscribeInfo of 4.4.0.

A master that is gone remains in use for three periods in a row (K-45): until the name server
notices, until the client fetches its route again, and until failed requests are retried. They run
independently of each other.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from reference.decisions.name_server.broker_side import compute_period_ms
from reference.decisions.name_server.registry import PERM_WRITE, QueueData, Registry
from reference.decisions.name_server.removal import EXPIRY_MS, SCAN_PERIOD_MS
from reference.decisions.reading.client import PULL_TIMEOUT_MS, RETRY_MS
from reference.decisions.reading.settings import PERM_READ
from reference.roles import MASTER_ID


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
    """Producers use the queues of this name: they are writable, and it has a master."""
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
    """The topic can be read, but not written."""
    return bool(list_read_queues(route)) and not list_write_queues(route)


ROUTE_PERIOD_MS = 30_000
"""``pollNameServerInterval``: how often a client fetches its routes (R-CC-04)."""


@frozen
class DurationRange:
    """From the master's end to an event, in milliseconds."""

    least_ms: int
    most_ms: int
    """Neither bound need be reached; nothing lies outside."""


def compute_unlisted(*, is_channel_closed: bool, register_period_ms: int = 30_000) -> DurationRange:
    """Until the name server no longer lists the master (R-NS-05).

    A dead process closes its channel, and is removed immediately. A dead host closes nothing: the
    first scan that finds it silent for too long expires it. The silence counts from its last
    registration, which came up to a period before the end.
    """
    if is_channel_closed:
        return DurationRange(0, 0)
    return DurationRange(
        EXPIRY_MS - compute_period_ms(register_period_ms), EXPIRY_MS + SCAN_PERIOD_MS
    )


def compute_unknown_to_clients(*, is_channel_closed: bool) -> DurationRange:
    """Until a client knows that the name has no master: it fetches its route somewhat later."""
    unlisted = compute_unlisted(is_channel_closed=is_channel_closed)
    return DurationRange(unlisted.least_ms, unlisted.most_ms + ROUTE_PERIOD_MS)


def compute_pulls_elsewhere(*, is_channel_closed: bool) -> DurationRange:
    """Until a consumer pulls from a slave: a failed pull is retried after RETRY_MS.

    It fails immediately if the channel was closed, otherwise at its own timeout.
    """
    known = compute_unknown_to_clients(is_channel_closed=is_channel_closed)
    failing_ms = 0 if is_channel_closed else PULL_TIMEOUT_MS
    return DurationRange(known.least_ms, known.most_ms + failing_ms + RETRY_MS)
