"""Premises hold where their claims say something."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from attrs import evolve

from properties.judges.foundations import find_wrong_premises
from properties.judges.judge_checks import PROVED_STRUCTURES
from properties.schedules.judgement import follow_while_possible
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_world_folder
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.guarantees import is_any_written
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.replication.world import CLAIMS, ClaimedGroup
from properties.z3.induction import prove_lemmas
from tests.structures import leave_most_to_night


@cache
def list_states(name: str) -> tuple[Any, ...]:
    """Every state on the way of the known schedules."""
    structure = STRUCTURES[name]
    sizes = structure.world.make_search_parameters(structure.world.everything)
    schedules = load_known_schedules(get_world_folder(structure))
    ways = (follow_while_possible(structure, sizes, schedule) for schedule in schedules)
    return tuple(state for way in ways for _, state in way)


@pytest.mark.parametrize("name", leave_most_to_night(PROVED_STRUCTURES, 4))
def test_premises_are_right(name: str) -> None:
    """None is too weak, none makes a cell vacuous that says something."""
    structure = STRUCTURES[name]
    assert [] == list(find_wrong_premises(structure, prove_lemmas(structure), list_states(name)))


@pytest.mark.parametrize(
    ("claim", "premise", "told"),
    [
        ("acknowledged_is_held_twice", is_any_written, "of which the claim cannot fail"),
        ("equal_offsets_mean_equal_bytes", lambda c: c.faults.late_joins < 0, "says something"),
    ],
)
def test_a_wrong_premise_is_noticed(
    claim: str, premise: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that holds too often, and one that never holds."""
    wrong = {claim: evolve(CLAIMS[claim], premise=premise)}
    lemmas = prove_lemmas(STOCK_PAIR)
    world = evolve(STOCK_PAIR.world, properties={**STOCK_PAIR.world.lemmas, **wrong})
    monkeypatch.setattr(ClaimedGroup, "world", property(lambda structure: world))
    found = list(find_wrong_premises(STOCK_PAIR, lemmas, list_states(STOCK_PAIR.name)))
    assert found
    assert told in found[0]
