"""A consumer looks up a broker's address, and queries the name server once if it has none.

Source: MQClientInstance#updateTopicRouteInfoFromNameServer of the 4.4.0 client, and its callers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

from attrs import evolve, frozen

from reference.decisions.clients.requests import Request, RouteRequest
from reference.decisions.reading.client import Client
from reference.decisions.reading.decision import Case, choose_first

Address = TypeVar("Address")
"""A broker's id, alone or with the reason for choosing it."""


@frozen
class Refresh:
    """A client, and the route that the name server has answered."""

    client: Client
    told: tuple[int, ...] | None
    """Ids of the brokers of the name; None: no answer, or no such topic."""


def is_route_missing(refresh: Refresh) -> bool:
    """The name server has no route: the client keeps its own."""
    return refresh.told is None


def is_route_unchanged(refresh: Refresh) -> bool:
    """It equals the last route taken over: no address changes, not even a missing one.

    Source: MQClientInstance#topicRouteDataIsChange (B3-02338).
    """
    return refresh.told is not None and refresh.client.route == frozenset(refresh.told)


def is_route_new(refresh: Refresh) -> bool:
    """It differs: its addresses replace all those of the name."""
    return refresh.told is not None


def _take_over(refresh: Refresh) -> Client:
    told = refresh.told or ()
    return evolve(refresh.client, brokers=told, route=frozenset(told))


REFRESHES: tuple[Case[Refresh, Client], ...] = (
    (is_route_missing, lambda refresh: refresh.client),
    (is_route_unchanged, lambda refresh: refresh.client),
    (is_route_new, _take_over),
)
"""The effect on a client's addresses, in the order of the code."""


def take_route(client: Client, told: tuple[int, ...] | None) -> Client:
    """The client after it has queried the name server for the topic's route."""
    decided = choose_first(REFRESHES, Refresh(client, told))
    assert decided is not None  # There is a route or not.
    return decided.value


@frozen
class FoundAddress(Generic[Address]):
    """The result of a search for an address."""

    client: Client
    address: Address | None
    """None: there is none, even after the name server was queried."""
    sent: tuple[Request, ...] = ()


Search: TypeAlias = Callable[[Client], Address | None]
"""Looks for an address among those that the client has."""


def find(
    client: Client, search: Search[Address], told: tuple[int, ...] | None
) -> FoundAddress[Address]:
    """An address, if need be after a refresh of the route to ``told``.

    Source: PullAPIWrapper#pullKernelImpl, RemoteBrokerOffsetStore#updateConsumeOffsetToBroker and
    #fetchConsumeOffsetFromBroker, MQAdminImpl#maxOffset and #searchOffset.
    """
    address = search(client)
    if address is not None:
        return FoundAddress(client, address)
    refreshed = take_route(client, told)
    return FoundAddress(refreshed, search(refreshed), (RouteRequest(),))
