"""A consumer looks for a broker's address, and asks the name server once where it has none.

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
"""A broker's id, alone or with what chose it."""


@frozen
class Refresh:
    """A client, and the route that the name server has told it."""

    client: Client
    told: tuple[int, ...] | None
    """Ids of the brokers of the name; None: no answer, or no such topic."""


def is_route_missing(refresh: Refresh) -> bool:
    """The name server has told none: the client keeps what it has."""
    return refresh.told is None


def is_route_unchanged(refresh: Refresh) -> bool:
    """It is the one that was taken over last: no address is changed, not even a missing one.

    Source: MQClientInstance#topicRouteDataIsChange (B3-02338).
    """
    return refresh.told is not None and refresh.client.route == frozenset(refresh.told)


def is_route_new(refresh: Refresh) -> bool:
    """It is another one: its addresses take the place of all those of the name."""
    return refresh.told is not None


def _take_over(refresh: Refresh) -> Client:
    told = refresh.told or ()
    return evolve(refresh.client, brokers=told, route=frozenset(told))


REFRESHES: tuple[Case[Refresh, Client], ...] = (
    (is_route_missing, lambda refresh: refresh.client),
    (is_route_unchanged, lambda refresh: refresh.client),
    (is_route_new, _take_over),
)
"""What becomes of a client's addresses, in the order of the code."""


def take_route(client: Client, told: tuple[int, ...] | None) -> Client:
    """The client after the name server was asked for the topic's route."""
    decided = choose_first(REFRESHES, Refresh(client, told))
    assert decided is not None  # A route is told or not.
    return decided.value


@frozen
class Found(Generic[Address]):
    """What a search for an address comes to."""

    client: Client
    address: Address | None
    """None: there is none, also after the name server was asked."""
    sent: tuple[Request, ...] = ()


Search: TypeAlias = Callable[[Client], Address | None]
"""Looks for an address in what the client has."""


def find(client: Client, search: Search[Address], told: tuple[int, ...] | None) -> Found[Address]:
    """An address, if need be after a refresh of the route; ``told`` is what that would bring.

    Source: PullAPIWrapper#pullKernelImpl, RemoteBrokerOffsetStore#updateConsumeOffsetToBroker and
    #fetchConsumeOffsetFromBroker, MQAdminImpl#maxOffset and #searchOffset.
    """
    address = search(client)
    if address is not None:
        return Found(client, address)
    refreshed = take_route(client, told)
    return Found(refreshed, search(refreshed), (RouteRequest(),))
