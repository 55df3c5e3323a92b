"""Bounded search: as deep as it is asked, and no shorter schedule is overlooked."""

from __future__ import annotations

import pytest

from properties.language.world import ClaimedStructure
from properties.verdicts.verdict import Verdict, VerdictWord, inherit, record_violation
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.toy import TOY
from properties.z3.bounded_search import BoundedSearch
from reference.language.machine import Action
from reference.roles import FlushDiskType, Role
from tests.structures import name_of

TANK = TOY.structures[0]
ALONE = ClaimedGroup(Role.SYNC_MASTER, FlushDiskType.SYNC_FLUSH, slaves=0)


def find_lengths(search: BoundedSearch, depth: int) -> dict[str, int | None]:
    """The steps of the shortest schedule against each claim, up to a depth; None: there is none."""
    structure = search.structure
    questions = {name: record_violation(structure, name) for name in structure.world.claims}
    found = search.find_shortest(questions, depth_limits=dict.fromkeys(questions, depth))
    return {n: None if a.schedule is None else len(a.schedule) for n, a in found.items()}


def test_the_deepest_step_is_searched() -> None:
    """A limit of as many steps as a schedule has finds it; one less says how deep it was."""
    (length,) = {n for n in find_lengths(make_search(TANK), 9).values() if n is not None}
    assert length in find_lengths(make_search(TANK), length).values()
    assert {None} == set(find_lengths(make_search(TANK), length - 1).values())


def make_search(structure: ClaimedStructure) -> BoundedSearch:
    """A search under every fault."""
    return BoundedSearch(structure, structure.world.every_fault)


@pytest.mark.parametrize(("structure", "depth"), [(TANK, 6), (ALONE, 3)], ids=name_of)
def test_orders_that_are_left_out_are_not_needed(structure: ClaimedStructure, depth: int) -> None:
    """With every order of steps the schedules are as long."""
    plain, usual = make_search(structure), make_search(structure)
    plain.needless_orders = []
    lengths = find_lengths(usual, depth)
    assert len(set(lengths.values()) - {None}) >= 1
    assert find_lengths(plain, depth) == lengths


def test_the_shortest_known_schedule_is_inherited() -> None:
    """Of those under fewer faults; those under others are none here."""
    columns = ("link cut", "slave kill", "none")
    known = [
        (FAULT_MODEL_BY_NAME[fault], Verdict("a", fault, VerdictWord.REFUTED, (Action("x"),) * n))
        for fault, n in zip(columns, (5, 3, 4), strict=True)
    ]
    for column, steps in (("every fault", 3), ("link cut", 4), ("none", 4), ("slave kill", 3)):
        found = inherit(known, FAULT_MODEL_BY_NAME[column])["a"]
        assert (steps, column) == (found.steps, found.fault)
    assert {} == inherit(known[:1], FAULT_MODEL_BY_NAME["slave kill"])
