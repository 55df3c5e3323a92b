"""Registrations, from both sides, and what clients make of the route."""

from __future__ import annotations

import itertools

import pytest
from attrs import evolve

from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.name_server.broker_side import (
    Addresses,
    NoAnswer,
    VersionQuery,
    compute_period_ms,
    configure,
    is_permission_rewritten,
    is_registration_needed,
    is_registration_sent,
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
    QueueData,
    RegisterBrokerRequest,
    RegisterBrokerResult,
    Registry,
    VersionAnswer,
    answer_version_query,
    count_topics,
    delete_topic,
    register,
    wipe_write_permission,
)
from reference.decisions.name_server.removal import EXPIRY_MS, expire, remove_address

TOPICS = {"T": QueueData(read_queues=2, write_queues=1)}
MASTER = RegisterBrokerRequest("b", 0, "m:1", "m:2", DataVersion(0), TOPICS)
SLAVE = RegisterBrokerRequest("b", 1, "s:1", "s:2", DataVersion(0), {"S": QueueData()})
BOTH = register(register(Registry(), MASTER, 0)[0], SLAVE, 0)[0]


def test_a_slave_is_told_of_a_master_that_is_listed_and_live() -> None:
    """Both are needed (R-NS-02): all four cases."""
    for is_listed, is_live in itertools.product((False, True), repeat=2):
        addresses = {"b": {0: "m:1"}} if is_listed else {}
        live = BOTH.live if is_live else {}
        _, answer = register(Registry(addresses, live), SLAVE, 1)
        assert answer == (
            RegisterBrokerResult("m:1", "m:2") if is_listed and is_live else RegisterBrokerResult()
        )


def test_a_master_is_told_nothing() -> None:
    """Also when it registers again."""
    assert register(BOTH, MASTER, 1)[1] == RegisterBrokerResult()


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
    route = pick_route(remove_address(BOTH, "m:1"), "T")
    assert list_read_queues(route) == (("b", 0), ("b", 1))
    assert list_write_queues(route) == ()
    assert is_read_only(route)
    assert not is_read_only(pick_route(BOTH, "T"))
    assert list_write_queues(pick_route(BOTH, "T")) == (("b", 0),)


def test_a_dead_slave_changes_nothing_for_producers() -> None:
    """Nor for consumers."""
    before, after = pick_route(BOTH, "T"), pick_route(remove_address(BOTH, "s:1"), "T")
    assert list_write_queues(after) == list_write_queues(before)
    assert list_read_queues(after) == list_read_queues(before)


def test_the_last_broker_takes_the_queues_with_it() -> None:
    """Then there is no route."""
    nobody = remove_address(remove_address(BOTH, "m:1"), "s:1")
    assert nobody == Registry()
    assert pick_route(nobody, "T") is None
    assert not is_read_only(None)


def test_silence_expires() -> None:
    """Strictly after 120 s (R-NS-05)."""
    assert expire(BOTH, EXPIRY_MS) == BOTH
    assert expire(BOTH, EXPIRY_MS + 1) == Registry()
    later, _ = register(BOTH, SLAVE, 50_000)
    assert expire(later, EXPIRY_MS + 1) == remove_address(later, "m:1")


def test_a_slave_forgets_its_master_but_not_where_the_log_comes_from() -> None:
    """After a registration without a live master (R-NS-03, R-NS-08; recorded in x3)."""
    known = learn(configure(None), [RegisterBrokerResult("m:1", "m:2")])
    assert known == Addresses("m:1", "m:2")
    assert learn(known, [RegisterBrokerResult()]) == Addresses(None, "m:2")


def test_only_the_first_answer_counts() -> None:
    """Of several name servers; one-way registrations have none (R-NS-03)."""
    known = Addresses("m:1", "m:2")
    assert learn(known, [RegisterBrokerResult(), RegisterBrokerResult("x:1", "x:2")]) == Addresses(
        None, "m:2"
    )
    assert learn(known, [RegisterBrokerResult("x:1", "x:2")], is_one_way=True) == known
    assert learn(known, []) == known


@pytest.mark.parametrize(
    ("configured", "ha_master"), [("h:1000", "h:1000"), ("h:100", "m:2"), (None, "m:2")]
)
def test_a_configured_address_stays(configured: str | None, ha_master: str) -> None:
    """From six characters on (R-NS-04)."""
    after = learn(configure(configured), [RegisterBrokerResult("m:1", "m:2")])
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


def test_a_wipe_tells_how_many_topics_it_met() -> None:
    """Those that have queues on the name, writable or not."""
    assert count_topics(BOTH, "b") == 1
    assert count_topics(wipe_write_permission(BOTH, "b"), "b") == 1
    assert count_topics(BOTH, "c") == 0


def test_a_topic_is_deleted_with_all_its_queues() -> None:
    """It comes back with the master's next version, or not at all."""
    without = delete_topic(BOTH, "T")
    assert without.queues == {}
    assert register(without, MASTER, 1)[0].queues == {}
    assert set(register(without, evolve(MASTER, version=DataVersion(1, 1)), 1)[0].queues) == {"T"}


def test_a_query_of_the_same_version_keeps_a_broker_alive() -> None:
    """And only that one (B4-0041)."""
    known, answer = answer_version_query(BOTH, "m:1", DataVersion(0), 50_000)
    assert answer == VersionAnswer(is_changed=False, version=DataVersion(0))
    assert set(expire(known, EXPIRY_MS + 1).live) == {"m:1"}
    other, answer = answer_version_query(BOTH, "m:1", DataVersion(1), 50_000)
    assert (other, answer) == (BOTH, VersionAnswer(is_changed=True, version=DataVersion(0)))
    unknown, answer = answer_version_query(BOTH, "x:1", DataVersion(0), 50_000)
    assert (unknown, answer) == (BOTH, VersionAnswer(is_changed=True, version=None))


EQUAL = VersionQuery(DataVersion(0), VersionAnswer(is_changed=False, version=DataVersion(0)))


@pytest.mark.parametrize(
    ("answer", "is_needed"),
    [
        (VersionAnswer(is_changed=False, version=DataVersion(0)), False),
        (VersionAnswer(is_changed=False, version=None), False),
        (VersionAnswer(is_changed=False, version=DataVersion(1)), True),
        (VersionAnswer(is_changed=True, version=DataVersion(0)), True),
        (VersionAnswer(is_changed=True, version=None), True),
        (NoAnswer.FAILED, True),
        (NoAnswer.REFUSED, False),
        (NoAnswer.LATE, False),
    ],
)
def test_one_name_server_makes_a_registration_needed(
    answer: VersionAnswer | NoAnswer, is_needed: bool
) -> None:
    """Whatever the others say; of none there is nothing to hear."""
    query = VersionQuery(DataVersion(0), answer)
    assert is_registration_needed([query]) == is_needed
    assert is_registration_needed([EQUAL, query, EQUAL]) == is_needed
    assert is_registration_sent([query], is_forced=False) == is_needed
    assert is_registration_sent([query])
    assert not is_registration_needed([])


def test_a_slave_that_skips_registrations_never_learns_its_master() -> None:
    """It was started first; its queries keep it listed, and nobody answers whom to copy."""
    registry, answer = register(Registry(), SLAVE, 0)
    known = learn(configure(None), [answer])
    registry, _ = register(registry, MASTER, 1)
    for now_ms in range(30_000, 10 * EXPIRY_MS, 30_000):
        registry, told = answer_version_query(registry, "s:1", SLAVE.version, now_ms)
        assert not is_registration_sent([VersionQuery(SLAVE.version, told)], is_forced=False)
        registry, _ = register(registry, MASTER, now_ms)
        registry = expire(registry, now_ms)
    assert known == Addresses()
    assert registry.addresses == {"b": {0: "m:1", 1: "s:1"}}
    assert learn(known, [register(registry, SLAVE, 0)[1]]) == Addresses("m:1", "m:2")
