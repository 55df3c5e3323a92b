"""When a slave uses another address of its master."""

from __future__ import annotations

from reference.decisions.name_server.ha_client import (
    HaClient,
    close,
    connect,
    is_connection_stale,
    update_address,
)


def test_a_new_address_is_used_at_the_next_connect() -> None:
    """Not before, however long the connection lasts (R-HC-03)."""
    client = connect(update_address(HaClient(), "m:1"))
    moved = connect(update_address(client, "x:1"))
    assert moved.connected_to == "m:1"
    assert is_connection_stale(moved)
    again = connect(close(moved))
    assert again.connected_to == "x:1"
    assert not is_connection_stale(again)


def test_without_an_address_there_is_no_connection() -> None:
    """A slave that was never told of a master waits."""
    assert connect(HaClient()).connected_to is None
    assert not is_connection_stale(HaClient())


def test_a_closed_connection_keeps_the_address() -> None:
    """A slave tries its master's old address until it learns of another one (R-NS-08)."""
    assert connect(close(HaClient("m:1", "m:1"))) == HaClient("m:1", "m:1")
