"""How a consumer finds an address, with and without a refresh of its route."""

from __future__ import annotations

from reference.decisions.clients.requests import RouteRequest
from reference.decisions.clients.routes import find, take_route
from reference.decisions.reading.client import Client, find_master, find_offset_store

LOST = Client(brokers=())


def test_an_address_that_is_there_is_taken() -> None:
    """Nobody is asked."""
    found = find(Client(brokers=(1,)), find_offset_store, (0, 1))
    assert (found.address, found.sent, found.client.brokers) == (1, (), (1,))


def test_the_name_server_is_asked_once() -> None:
    """Whether it knows an address or not."""
    found = find(LOST, find_offset_store, (2, 1))
    assert (found.address, found.sent, found.client.brokers) == (1, (RouteRequest(),), (2, 1))
    assert found.client.route == {1, 2}
    found = find(LOST, find_offset_store, None)
    assert (found.address, found.sent, found.client) == (None, (RouteRequest(),), LOST)
    found = find(Client(brokers=(1,)), find_master, (1,))
    assert (found.address, found.sent) == (None, (RouteRequest(),))


def test_the_same_route_again_changes_nothing() -> None:
    """An address that was lost meanwhile is not put back (B3-02338)."""
    known = Client(brokers=(), route=frozenset({0, 1}))
    assert take_route(known, (1, 0)) == known
    assert take_route(known, (1,)).brokers == (1,)
