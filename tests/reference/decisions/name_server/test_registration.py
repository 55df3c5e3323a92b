"""Registrations, from both sides, and what clients make of the route."""

from __future__ import annotations

import itertools

import pytest
from attrs import evolve

from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.name_server.broker_side import (
    Addresses,
    compute_period_ms,
    configure,
    is_permission_rewritten,
    learn,
    rewrite_permissions,
)
from reference.decisions.name_server.client_side import (
    is_read_only,
    list_read_queues,
    list_write_queues,
    pick_route,
)
from reference.decisions.name_server.registry import (
    EXPIRY_MS,
    Answer,
    QueueData,
    Registration,
    Registry,
    expire,
    register,
    remove,
    wipe_write_permission,
)

TOPICS = {"T": QueueData(read_queues=2, write_queues=1)}
MASTER = Registration("b", 0, "m:1", "m:2", DataVersion(0), TOPICS)
SLAVE = Registration("b", 1, "s:1", "s:2", DataVersion(0), {"S": QueueData()})
BOTH = register(register(Registry(), MASTER, 0)[0], SLAVE, 0)[0]


def test_a_slave_is_told_of_a_master_that_is_listed_and_live() -> None:
    """Both are needed (R-NS-02): all four cases."""
    for is_listed, is_live in itertools.product((False, True), repeat=2):
        addresses = {"b": {0: "m:1"}} if is_listed else {}
        live = BOTH.live if is_live else {}
        _, answer = register(Registry(addresses, live), SLAVE, 1)
        assert answer == (Answer("m:1", "m:2") if is_listed and is_live else Answer())


def test_a_master_is_told_nothing() -> None:
    """Also when it registers again."""
    assert register(BOTH, MASTER, 1)[1] == Answer()


def test_queues_come_from_masters_only() -> None:
    """When they are new or have another version."""
    assert set(BOTH.queues) == {"T"}
    more = evolve(MASTER, topics={"U": QueueData()})
    assert set(register(BOTH, more, 1)[0].queues) == {"T"}
    newer = evolve(more, version=DataVersion(1, 1))
    assert set(register(BOTH, newer, 1)[0].queues) == {"T", "U"}


def test_the_last_writer_of_an_id_wins() -> None:
    """Two brokers with one id."""
    other = evolve(SLAVE, address="x:1")
    assert register(BOTH, other, 1)[0].addresses == {"b": {0: "m:1", 1: "x:1"}}


def test_a_dead_master_leaves_its_queues() -> None:
    """Read by consumers, useless for producers: the group is read-only (R-NS-06, R-NS-07, K-60)."""
    route = pick_route(remove(BOTH, "m:1"), "T")
    assert list_read_queues(route) == (("b", 0), ("b", 1))
    assert list_write_queues(route) == ()
    assert is_read_only(route)
    assert not is_read_only(pick_route(BOTH, "T"))
    assert list_write_queues(pick_route(BOTH, "T")) == (("b", 0),)


def test_a_dead_slave_changes_nothing_for_producers() -> None:
    """Nor for consumers."""
    before, after = pick_route(BOTH, "T"), pick_route(remove(BOTH, "s:1"), "T")
    assert list_write_queues(after) == list_write_queues(before)
    assert list_read_queues(after) == list_read_queues(before)


def test_the_last_broker_takes_the_queues_with_it() -> None:
    """Then there is no route."""
    nobody = remove(remove(BOTH, "m:1"), "s:1")
    assert nobody == Registry()
    assert pick_route(nobody, "T") is None
    assert not is_read_only(None)


def test_silence_expires() -> None:
    """Strictly after 120 s (R-NS-05)."""
    assert expire(BOTH, EXPIRY_MS) == BOTH
    assert expire(BOTH, EXPIRY_MS + 1) == Registry()
    later, _ = register(BOTH, SLAVE, 50_000)
    assert expire(later, EXPIRY_MS + 1) == remove(later, "m:1")


def test_a_slave_forgets_its_master_but_not_where_the_log_comes_from() -> None:
    """After a registration without a live master (R-NS-03, R-NS-08; recorded in x3)."""
    known = learn(configure(None), [Answer("m:1", "m:2")])
    assert known == Addresses("m:1", "m:2")
    assert learn(known, [Answer()]) == Addresses(None, "m:2")


def test_only_the_first_answer_counts() -> None:
    """Of several name servers; one-way registrations have none (R-NS-03)."""
    known = Addresses("m:1", "m:2")
    assert learn(known, [Answer(), Answer("x:1", "x:2")]) == Addresses(None, "m:2")
    assert learn(known, [Answer("x:1", "x:2")], is_one_way=True) == known
    assert learn(known, []) == known


@pytest.mark.parametrize(
    ("configured", "ha_master"), [("h:1000", "h:1000"), ("h:100", "m:2"), (None, "m:2")]
)
def test_a_configured_address_stays(configured: str | None, ha_master: str) -> None:
    """From six characters on (R-NS-04)."""
    after = learn(configure(configured), [Answer("m:1", "m:2")])
    assert after.ha_master == ha_master
    assert after.master == "m:1"


@pytest.mark.parametrize(
    ("permission", "is_rewritten"), [(0, True), (2, True), (4, True), (6, False)]
)
def test_permissions_are_rewritten_when_one_is_missing(permission: int, is_rewritten: bool) -> None:
    """Or, not and: a broker that can only be read rewrites as well."""
    assert is_permission_rewritten(permission) == is_rewritten
    written = rewrite_permissions(TOPICS, permission)["T"].permission
    assert written == (permission if is_rewritten else 6)


def test_wiped_permission_returns_with_the_next_version() -> None:
    """Until then the group can only be read."""
    wiped = wipe_write_permission(BOTH, "b")
    assert is_read_only(pick_route(wiped, "T"))
    assert is_read_only(pick_route(register(wiped, MASTER, 1)[0], "T"))
    newer = evolve(MASTER, version=DataVersion(1, 1))
    assert not is_read_only(pick_route(register(wiped, newer, 1)[0], "T"))


@pytest.mark.parametrize(
    ("configured_ms", "period_ms"), [(30_000, 30_000), (1, 10_000), (99_000, 60_000)]
)
def test_period(configured_ms: int, period_ms: int) -> None:
    """Between 10 and 60 s (R-NS-01)."""
    assert compute_period_ms(configured_ms) == period_ms
