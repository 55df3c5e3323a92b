"""How registrations end: what goes, and what stays though nobody is behind it."""

from __future__ import annotations

from attrs import evolve

from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.name_server.client_side import pick_route
from reference.decisions.name_server.registry import (
    QueueData,
    RegisterBrokerRequest,
    RegisterBrokerResult,
    Registry,
    make_answer,
    register,
)
from reference.decisions.name_server.removal import (
    EXPIRY_MS,
    Unregistration,
    close_channel,
    expire,
    list_expired,
    remove_address,
    unregister,
)

TOPICS = {"T": QueueData()}
MASTER = RegisterBrokerRequest("b", 0, "m:1", "m:2", DataVersion(0), TOPICS, channel="to m")
SLAVE = RegisterBrokerRequest("b", 1, "s:1", "s:2", DataVersion(0), TOPICS, channel="to s")
SUCCESSOR = evolve(MASTER, address="n:1", ha_address="n:2", channel="to n")


def list_in(*requests: RegisterBrokerRequest) -> Registry:
    """The tables after registrations at time 0."""
    registry = Registry()
    for request in requests:
        registry, _ = register(registry, request, 0)
    return registry


def leave(request: RegisterBrokerRequest) -> Unregistration:
    """What a broker says when it stops in order."""
    return Unregistration(request.name, request.broker_id, request.address, request.cluster)


def test_a_broker_that_stops_in_order_leaves() -> None:
    """Its connection ends after that, and changes nothing more."""
    left = unregister(list_in(MASTER, SLAVE), leave(MASTER))
    assert left.addresses == {"b": {1: "s:1"}}
    assert set(left.live) == {"s:1"}
    assert close_channel(left, "to m", "m:50001") == left


def test_a_replaced_master_that_stops_takes_its_successor_from_the_name() -> None:
    """Though the successor lives, and slaves are told no master any more (B4-1006)."""
    replaced = list_in(MASTER, SLAVE, SUCCESSOR)
    assert make_answer(replaced, SLAVE) == RegisterBrokerResult("n:1", "n:2")
    left = unregister(replaced, leave(MASTER))
    assert left.addresses == {"b": {1: "s:1"}}
    assert set(left.live) == {"s:1", "n:1"}
    assert make_answer(left, SLAVE) == RegisterBrokerResult()
    assert make_answer(register(left, SUCCESSOR, 1)[0], SLAVE) == RegisterBrokerResult("n:1", "n:2")


def test_without_a_slave_the_queues_of_the_successor_go_too() -> None:
    """Id 0 was the last one; the same version does not bring the queues back by itself."""
    left = unregister(list_in(MASTER, SUCCESSOR), leave(MASTER))
    assert (left.addresses, left.queues, left.clusters) == ({}, {}, {})
    assert pick_route(left, "T") is None
    assert pick_route(register(left, SUCCESSOR, 1)[0], "T") is not None


def test_a_replaced_master_that_is_killed_takes_nothing() -> None:
    """Only its address is known, and no entry has it any more."""
    killed = close_channel(list_in(MASTER, SLAVE, SUCCESSOR), "to m", "m:50001")
    assert killed.addresses == {"b": {0: "n:1", 1: "s:1"}}
    assert set(killed.live) == {"s:1", "n:1"}


def test_an_address_that_is_listed_twice_stays_listed() -> None:
    """A broker that is its own slave ends; nobody finds its other entry (B4-1004)."""
    own_slave = list_in(MASTER, evolve(MASTER, broker_id=1))
    assert own_slave.addresses == {"b": {0: "m:1", 1: "m:1"}}
    ended = close_channel(own_slave, "to m", "m:50001")
    assert ended.addresses == {"b": {1: "m:1"}}
    assert ended.live == {}
    assert expire(ended, 10 * EXPIRY_MS) == ended
    assert pick_route(ended, "T") is not None


def test_the_first_id_is_the_first_in_the_hash_table() -> None:
    """Of 16 buckets: 16 comes before 1."""
    twice = list_in(evolve(SLAVE, broker_id=1), evolve(SLAVE, broker_id=16))
    assert remove_address(twice, "s:1").addresses == {"b": {1: "s:1"}}


def test_the_first_name_is_the_first_in_the_hash_table() -> None:
    """Of 128 buckets, whoever came first: the hash of "a" is 97, that of "ab" 3105, bucket 33."""
    names = list_in(MASTER, evolve(MASTER, name="a"), evolve(MASTER, name="ab"))
    assert set(remove_address(names, "m:1").addresses) == {"a", "b"}


def test_another_connection_of_the_same_broker_may_end() -> None:
    """It has registered through a newer one since (B4-0085)."""
    newer = list_in(MASTER, evolve(MASTER, channel="to m again"))
    assert close_channel(newer, "to m", "m:50001") == newer
    assert close_channel(newer, "to m again", "m:50002") == Registry()
    assert close_channel(newer, None, "m:50001") == newer


def test_a_name_leaves_the_cluster_that_it_says() -> None:
    """Another one keeps it, with nobody behind."""
    other = evolve(leave(MASTER), cluster="other")
    assert unregister(list_in(MASTER), other).clusters == {MASTER.cluster: {"b"}}
    assert unregister(list_in(MASTER), leave(MASTER)).clusters == {}


def test_a_name_in_two_clusters_leaves_one() -> None:
    """The first in the hash table; "c2" comes after "c1"."""
    both = list_in(evolve(MASTER, cluster="c2"), evolve(SLAVE, cluster="c1"))
    assert both.first_clusters == {"b": "c2"}
    ended = remove_address(remove_address(both, "m:1"), "s:1")
    assert ended.clusters == {"c2": {"b"}}


def test_silence_ends_who_is_silent() -> None:
    """In the order of the table of live brokers; each with its own entry."""
    later = register(list_in(MASTER, SLAVE), SLAVE, 50_000)[0]
    assert list_expired(later, EXPIRY_MS) == ()
    assert list_expired(later, EXPIRY_MS + 1) == ("m:1",)
    assert expire(later, EXPIRY_MS + 1).addresses == {"b": {1: "s:1"}}


def test_unknown_brokers_change_nothing() -> None:
    """No such name, or no such id."""
    registry = list_in(MASTER)
    assert unregister(registry, Unregistration("x", 0, "x:1")) == registry
    assert unregister(registry, Unregistration("b", 7, "x:1")) == registry
    assert remove_address(registry, "x:1") == registry
