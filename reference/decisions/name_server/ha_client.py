"""Whom a slave copies its log from: the address that it knows, and the one that it is connected to.

Source: HAService.HAClient#updateMasterAddress, #connectMaster and #closeMaster of 4.4.0.
"""

from __future__ import annotations

from attrs import evolve, frozen


@frozen
class HaClient:
    """A slave's side of replication, as far as addresses go."""

    address: str | None = None
    """``masterAddress``: whom it will connect to."""
    connected_to: str | None = None
    """The other end of its socket; None without one."""


def update_address(client: HaClient, address: str) -> HaClient:
    """Another address is known; the connection is not dropped, nor the thread woken (R-HC-03)."""
    return evolve(client, address=address)


def connect(client: HaClient) -> HaClient:
    """A connect, which only happens without a socket, and needs an address (R-HC-02)."""
    return client if client.connected_to else evolve(client, connected_to=client.address)


def close(client: HaClient) -> HaClient:
    """The connection is gone, for whatever reason; the address stays (R-HC-12)."""
    return evolve(client, connected_to=None)


def is_connection_stale(client: HaClient) -> bool:
    """The slave still copies from a broker that it would not connect to any more."""
    return client.connected_to not in (None, client.address)
