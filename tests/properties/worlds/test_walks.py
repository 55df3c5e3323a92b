"""Walks through each world: every rule is reached, what is proved holds, readings agree."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.verdicts import certificates
from properties.verdicts.verdict import VerdictWord
from properties.walks.hypothesis_machine import make_state_machine, run_state_machine
from properties.walks.steps import choose_evenly
from properties.worlds.catalogue import OTHER_WORLDS, list_other_structures
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine, record_machine
from reference.language.terms import substitute
from tests.structures import name_of

QUICK_SHARE = 0.4
"""Part of a profile's walks that each fault model gets: they overlap."""
COLUMNS = [
    pytest.param(
        *(structure, fault_model),
        marks=[pytest.mark.nightly] * (fault_model.name != chosen),
    )
    for world in OTHER_WORLDS
    for structure, chosen in {
        world.structures[0]: "none",
        world.structures[-1]: "every fault",
    }.items()
    for fault_model in world.fault_models
]
"""The widest fault model has the steps of all others, and the first one what needs no fault.

Of each world the first structure and the last one, which is the least like it.
"""


def walk(structure: ClaimedStructure, seed: int, steps: int) -> Iterator[tuple[Any, Action]]:
    """States and the random step taken from each; in every other walk nothing strikes."""
    draw, world = random.Random(seed), structure.world
    machine = compute_machine(structure)
    fault_model = world.everything if seed % 2 else world.fault_models[0]
    state = structure.make_initial(world.make_search_parameters(fault_model))
    for _ in range(steps):
        enabled = machine.enabled(state)
        if not enabled:
            return
        (picked,) = draw.choices(enabled, [e.instance.rule.weight for e in enabled])
        action = choose_evenly([picked], draw)
        yield state, action
        state = machine.step(state, action).cluster


@pytest.mark.parametrize("structure", list_other_structures(), ids=name_of)
def test_the_recorded_terms_say_what_the_reference_does(structure: ClaimedStructure) -> None:
    """Conditions and effects of every rule, in states of random walks."""
    machine = compute_machine(structure)
    recorded = {r.instance.name: r for r in record_machine(structure)}
    for seed in range(5):
        for state, action in walk(structure, seed, 60):
            leaves = flatten(state)
            enabled = {e.instance.name for e in machine.enabled(state)}
            for name, r in recorded.items():
                holds = all(substitute(c, leaves) for c in r.conditions.values())
                assert (name in enabled) is holds, (name, action)
            given = {f"argument.{n}": v for n, v in action.arguments.items()}
            after = flatten(machine.step(state, action).cluster)
            effects = recorded[action.instance].effects
            told = {path: substitute(term, {**leaves, **given}) for path, term in effects.items()}
            assert after == {**leaves, **told}


@pytest.mark.parametrize(("structure", "fault_model"), COLUMNS, ids=name_of)
def test_what_is_proved_holds_on_every_walk(
    structure: ClaimedStructure, fault_model: FaultModel
) -> None:
    """Lemmas, and the guarantees of the fault model."""
    world = structure.world
    cells = certificates.decode_cells(structure, certificates.load_required(structure))
    proved = {
        v.guarantee for v in cells if v.fault == fault_model.name and v.word is VerdictWord.PROVED
    }
    properties = {**world.lemmas, **{n: world.claims[n] for n in proved}}
    machine = make_state_machine(structure, fault_model, properties)
    examples = settings.default.max_examples if settings.default else 50
    run_state_machine(
        machine, settings(max_examples=int(QUICK_SHARE * examples), stateful_step_count=64)
    )
