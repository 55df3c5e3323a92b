"""Walks through consumption: every rule is reached, what is proved holds, readings agree."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from attrs import evolve
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from properties import certificates
from properties.consumption.world import (
    CONSUMPTION_FAULT_CLASSES,
    CONSUMPTION_RULES,
    CONSUMPTION_STRUCTURES,
    PROGRESS_GUARANTEES,
    PROGRESS_LEMMAS,
)
from properties.fault_class import FaultClass
from properties.hypothesis_machine import make_state_machine
from properties.subject import get_everything
from reference.consumption.state import Consumption, initial_consumption
from reference.consumption.structure import SMALL_CONSUMPTION, ConsumptionStructure
from reference.leaves import flatten
from reference.machine import Action, compute_machine, record_machine
from reference.terms import substitute
from tests.structures import name_of

EVERYTHING_READ = ConsumptionStructure(is_slave_read=True, is_offset_checked_in_slave=True)


def walk(
    structure: ConsumptionStructure, seed: int, steps: int
) -> Iterator[tuple[Consumption, Action]]:
    """States and the random step taken from each."""
    draw = random.Random(seed)
    machine = compute_machine(structure)
    limits = get_everything(structure).search_limits
    state = initial_consumption(structure, evolve(SMALL_CONSUMPTION, limits=limits))
    for _ in range(steps):
        enabled = machine.enabled(state)
        if not enabled:
            return
        chosen = draw.choice(enabled)
        numbers = {r.name: draw.randint(r.low, r.high) for r in chosen.ranges}
        action = Action(chosen.instance.name, numbers)
        yield state, action
        state = machine.step(state, action).cluster


def test_every_rule_is_reached() -> None:
    """None stands there for nothing."""
    taken = {a.instance for seed in range(60) for _, a in walk(EVERYTHING_READ, seed, 120)}
    assert set(CONSUMPTION_RULES) == taken


@pytest.mark.parametrize("structure", CONSUMPTION_STRUCTURES, ids=name_of)
def test_the_recorded_terms_say_what_the_reference_does(structure: ConsumptionStructure) -> None:
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


@pytest.mark.parametrize("fault_class", CONSUMPTION_FAULT_CLASSES, ids=name_of)
def test_what_is_proved_holds_on_every_walk(fault_class: FaultClass) -> None:
    """Lemmas, and the guarantees of the column."""
    structure = CONSUMPTION_STRUCTURES[0]
    document = certificates.load(structure)
    assert document is not None
    proved = {
        c["guarantee"]
        for c in document["cells"]
        if c["fault"] == fault_class.name and c["verdict"] == "proved"
    }
    properties = {**PROGRESS_LEMMAS, **{n: PROGRESS_GUARANTEES[n] for n in proved}}
    parameters = evolve(SMALL_CONSUMPTION, limits=fault_class.search_limits)
    claims = {n: p.predicate for n, p in properties.items()}
    machine = make_state_machine(structure, parameters, claims)
    examples = settings.default.max_examples if settings.default else 50
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=30)
    )
