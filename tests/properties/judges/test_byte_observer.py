"""Ghosts, claims and power losses of the log, held against bytes that have identities."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from attrs import evolve

from properties.judges.byte_observer import ByteObserver, compare_along
from properties.judges.judge_checks import list_ways
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.replication.world import CLAIMS, ClaimedGroup
from reference.language.machine import compute_machine
from reference.roles import FlushDiskType
from tests.structures import name_of

PREDICATES = {name: claim.predicate for name, claim in CLAIMS.items()}

GROUPS = tuple(
    ClaimedGroup(flush_disk_type=flush, slaves=slaves)
    for flush in FlushDiskType
    for slaves in (0, 1, 2)
)
BY_DAY = (GROUPS[0], evolve(STOCK_PAIR, flush_disk_type=FlushDiskType.SYNC_FLUSH))
"""A lonely master, and the pair that has every step of a flush."""


@pytest.mark.parametrize(
    "structure",
    [pytest.param(group, marks=[pytest.mark.nightly] * (group not in BY_DAY)) for group in GROUPS],
    ids=name_of,
)
def test_the_model_says_what_the_bytes_say(structure: ClaimedGroup) -> None:
    """Along every known schedule and along seeded walks, in each state."""
    machine = compute_machine(structure)
    told = (compare_along(machine, PREDICATES, way) for way in list_ways(structure))
    assert [] == [each for each in told if each]


def test_every_claim_and_ghost_is_seen_both_ways() -> None:
    """Else the comparison would say nothing of it: each holds somewhere and fails somewhere."""
    seen: Counter[tuple[str, bool]] = Counter()
    machine = compute_machine(STOCK_PAIR)
    for way in itertools.islice(list_ways(STOCK_PAIR), 200):
        observer: Any = None
        before: Any = None
        for action, cluster in way:
            if action is None:
                observer = ByteObserver(cluster)
            else:
                observer.observe(before, action, cluster)
            before = cluster
            expected = dict(observer._judge(cluster))
            if observer._is_quiet(cluster, machine):
                expected |= dict(observer._judge_rest(cluster))
            seen.update(expected.items())
            for message in observer.messages.values():
                for ghost in ("is_received", "is_readable", "has_expired"):
                    seen[ghost, getattr(message, ghost)] += 1
    names = {name for name, _ in seen}
    assert set(PREDICATES) <= names
    one_sided = {n for n in names if not (seen[n, True] and seen[n, False])}
    assert {"puts_are_answered"} == one_sided, "a put always comes to its answer"


def lie(name: str) -> dict[str, Any]:
    """The claims, one of which says the contrary."""
    return {**PREDICATES, name: lambda cluster: not PREDICATES[name](cluster)}


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_a_claim_that_lies_is_noticed(name: str) -> None:
    """Whatever claim is judged wrongly, some state shows it."""
    structure = evolve(STOCK_PAIR, flush_disk_type=FlushDiskType.SYNC_FLUSH)
    machine = compute_machine(structure)
    told = (compare_along(machine, lie(name), way) for way in list_ways(structure))
    assert any(each.startswith(name) for each in told)
