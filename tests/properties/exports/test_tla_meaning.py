"""The exported text, read by an interpreter of its own, says of states what the reference says."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from attrs import evolve

from properties.exports.tla import list_claims, write_module
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import REPLICATION
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import Action, compute_machine
from reference.language.parameters import BaseParameters
from tests.properties.exports.tla_interpreter import Env, Module

STATES, STATES_BY_DAY = 300, 100
SIZES = [STATES_BY_DAY, pytest.param(STATES, marks=pytest.mark.nightly)]
FAULT_SHARE = 1 / 12
CHOSEN = (
    "SYNC_MASTER/ASYNC_FLUSH/1 slave",
    "SYNC_MASTER/SYNC_FLUSH/1 slave",
    "ASYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "SYNC_MASTER/SYNC_FLUSH/2 slaves",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3",
    "reading/open slow/offset check/last",
    "tables/topics/4.4.0",
    "delay/4.4.0",
)

CONNECTIONS_MAX = REPLICATION.numbers.counters["master.connection_count"]


def convert_state(state: Any) -> Env:
    """A state of the reference as the interpreter has it."""
    converted: Env = {}
    for path, value in flatten(state).items():
        if not is_parameter(path):
            *above, last = (int(part) if part.isdigit() else part for part in path.split("."))
            place: dict[Any, Any] = converted
            for part in above:
                place = place.setdefault(part, {})
            place[last] = value
    return converted


@cache
def export(name: str) -> tuple[Module, Any]:
    """The parsed module of a structure, and the parameters of its configuration."""
    structure = STRUCTURES[name]
    small = structure.world.sizes.search
    everything = structure.world.everything
    written = write_module(structure, everything, small)
    lines = (line.split(" = ") for line in written.configuration.splitlines() if " = " in line)
    constants = {key.strip(): int(value) for key, value in lines}
    parameters = evolve(small, limits=everything.search_limits)
    return Module(written.text, constants), parameters


def walk(name: str, parameters: BaseParameters, count: int) -> Iterator[Any]:
    """States of seeded random walks, faults among their steps."""
    machine = compute_machine(STRUCTURES[name])
    chance = random.Random(name)
    initial = state = STRUCTURES[name].make_initial(parameters)
    for number in range(count):
        yield state
        steps = list_steps(machine, state)
        is_over = not steps or number % 40 == 39
        state = initial if is_over else machine.step(state, choose(machine, steps, chance)).cluster


def choose(machine: Any, steps: list[Action], chance: random.Random) -> Action:
    """A rule, seldom a fault, and then its arguments."""
    by_rule: dict[bool, dict[str, list[Action]]] = {False: {}, True: {}}
    for step in steps:
        is_fault = machine.instances[step.instance].rule.is_fault
        by_rule[is_fault].setdefault(step.instance, []).append(step)
    is_fault = not by_rule[False] or (bool(by_rule[True]) and chance.random() < FAULT_SHARE)
    return chance.choice(chance.choice(list(by_rule[is_fault].values())))


def list_steps(machine: Any, state: Any) -> list[Action]:
    """Every action that is possible, with every choice of its arguments."""
    return [
        Action(
            enabled.instance.name, dict(zip((r.name for r in enabled.ranges), chosen, strict=True))
        )
        for enabled in machine.enabled(state)
        for chosen in itertools.product(*(range(r.low, r.high + 1) for r in enabled.ranges))
    ]


def sort_states(states: list[Env]) -> list[str]:
    """Distinct states in an order of their own."""
    return sorted({repr(sort_keys(state)) for state in states})


def sort_keys(value: Any) -> Any:
    """A value in which the order of fields says nothing."""
    if isinstance(value, dict):
        return sorted((str(key), sort_keys(inner)) for key, inner in value.items())
    return int(value)


@pytest.mark.parametrize("name", CHOSEN)
def test_the_module_has_the_same_first_state(name: str) -> None:
    """Init has one solution, which is the first state of the reference."""
    module, parameters = export(name)
    initial = STRUCTURES[name].make_initial(parameters)
    expected = convert_state(initial)
    assert sort_states(module.list_initial()) == sort_states([expected])


SAMPLED = [
    pytest.param(name, marks=[pytest.mark.nightly] * ("2 slaves" in name)) for name in CHOSEN
]
"""Two slaves have so many successors that they are looked at by night."""


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("name", SAMPLED)
def test_every_state_has_the_same_successors(name: str, count: int) -> None:
    """Next leads to the states that the enabled rules lead to, stays, and leads to no other."""
    module, parameters = export(name)
    machine = compute_machine(STRUCTURES[name])
    for state in walk(name, parameters, count):
        steps = list_steps(machine, state)
        expected = [convert_state(machine.step(state, s).cluster) for s in steps]
        expected.append(convert_state(state))
        found = module.list_successors(convert_state(state))
        assert sort_states(found) == sort_states(expected), state


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("name", CHOSEN)
def test_every_claim_is_judged_alike(name: str, count: int) -> None:
    """Sanity checks and guarantees hold in the same states; the bounds hold in all of them."""
    module, parameters = export(name)
    claims = list_claims(STRUCTURES[name])
    for state in walk(name, parameters, count):
        plain = convert_state(state)
        if "Bounds" in module.definitions:
            is_few = plain["master"]["connection_count"] <= CONNECTIONS_MAX
            assert module.holds("Bounds", plain) == is_few
        for claim, found in claims.items():
            assert module.holds(claim, plain) == found.predicate(state), (claim, state)
