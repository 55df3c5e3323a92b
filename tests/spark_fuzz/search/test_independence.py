"""Steps that do not disturb each other: one order of them is enough, and nothing is missed."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import WORLDS
from properties.worlds.judged_instances import TINY
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from reference.language.parameters import BaseParameters
from spark_fuzz.search import packing
from spark_fuzz.search.breadth_first import BreadthFirstSearch
from spark_fuzz.search.influence import find_independent
from spark_fuzz.search.packing import CELL, LOW, MASK, SHIFT, WORD

PAIR, TWO_SLAVES = ClaimedGroup(slaves=1), ClaimedGroup(slaves=2)
FIRST = [world.structures[0] for world in WORLDS]
INSTANCES = [
    pytest.param(PAIR, "every fault", TINY, id="pair"),
    pytest.param(TWO_SLAVES, "slave kill", TINY, id="two slaves"),
    pytest.param(TWO_SLAVES, "every fault", TINY, id="two slaves, every fault"),
    *(
        pytest.param(
            *(s, s.world.every_fault.name, None),
            id=s.name,
            marks=[pytest.mark.nightly] if "tables" in s.name else [],
        )
        for s in FIRST[1:]
    ),
]


def collect_levels(search: BreadthFirstSearch, states_max: int) -> tuple[list[set[bytes]], int]:
    """The states that need so many steps, and how many steps of them were computed."""
    store = search._make_store(states_max)
    first, count, computed = 0, 1, 0
    levels: list[set[bytes]] = []
    while first < count and (after := search._expand(store, first, count)) < states_max:
        levels.append({row.tobytes() for row in store.words[first:count]})
        for number in range(first, count):
            computed += len(list_steps(search, store.words[number], int(store.asleep[number])))
        first, count = count, after
    return levels, computed


def list_steps(search: BreadthFirstSearch, words: Any, asleep: int = 0) -> list[tuple[Any, Any]]:
    """The steps from a packed state, each an instance with arguments, and where they lead."""
    rows = words[np.newaxis]
    search.scratch.words[:] = rows
    for field in search.space.fields:
        packed = rows[0, field[WORD]] >> field[SHIFT] & field[MASK]
        search.scratch.base[field[CELL]] = packed + field[LOW]
    filled = search.kernel.module.collect_successors(
        search.parameter_values, search.space, search.scratch, search.buffer, 0, asleep
    )
    found = []
    for action, row in zip(search.buffer.actions[:filled], search.buffer.words, strict=False):
        arguments = search.kernel.layout.instances[action[0]].arguments
        found.append((tuple(map(int, action[: 1 + len(arguments)])), row.copy()))
    return found


@pytest.mark.parametrize(("structure", "fault", "sizes"), INSTANCES)
def test_no_state_is_missed(structure: ClaimedStructure, fault: str, sizes: BaseParameters) -> None:
    """Every state is found after as many steps, but fewer steps are computed."""
    search = BreadthFirstSearch(structure, structure.world.get_fault_model(fault), sizes)
    levels, computed = collect_levels(search, 6_000)
    search.space = search.space._replace(bits=search.space.bits * 0)
    whole, computed_whole = collect_levels(search, 6_000)
    assert whole == levels
    assert 2 < len(levels)
    assert computed < computed_whole


@pytest.mark.parametrize(("structure", "fault", "sizes"), INSTANCES[:2])
def test_both_orders_of_independent_steps_lead_to_one_state(
    structure: ClaimedStructure, fault: str, sizes: BaseParameters
) -> None:
    """From many states; and both are possible."""
    model = structure.world.get_fault_model(fault)
    search = BreadthFirstSearch(structure, model, sizes, is_symmetric=False)
    everything = np.ones_like(search.space.can_reach_violation)
    search.space = search.space._replace(can_reach_violation=everything)
    independent = find_independent(search.influence)
    names = [r.instance.name for r in search.kernel.layout.instances]
    pairs = 0
    store = search._make_store(2_000)
    count = search._expand(store, 0, 1)
    while count < len(store.words):
        count = search._expand(store, 0, count)
    for words in store.words[::40]:
        steps = list_steps(search, words)
        for (one, after), (other, after_other) in itertools.combinations(steps, 2):
            if names[other[0]] not in independent[names[one[0]]]:
                continue
            pairs += 1
            then, then_other = (
                dict(list_steps(search, after)),
                dict(list_steps(search, after_other)),
            )
            assert (then[other] == then_other[one]).all(), (one, other)
    assert 100 < pairs


def test_a_wrong_claim_of_independence_loses_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above notices it."""
    every_fault = FAULT_MODEL_BY_NAME["every fault"]
    right, _ = collect_levels(BreadthFirstSearch(PAIR, every_fault, TINY), 6_000)

    def claim_all(influence: Any) -> Any:
        return {one: frozenset(influence.instances) - {one} for one in influence.instances}

    monkeypatch.setattr(packing, "find_independent", claim_all)
    wrong, _ = collect_levels(BreadthFirstSearch(PAIR, every_fault, TINY), 6_000)
    assert right[: len(wrong)] != wrong
