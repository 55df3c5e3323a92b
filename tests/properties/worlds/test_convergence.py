"""Consumers in peace: healing ends where it is said to end, and goes on where it is said to."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from attrs import evolve

from properties.healing import is_moving
from properties.property import PropertyRole
from properties.worlds import find_healing
from properties.worlds.consumption.rest import HEALING_STEPS, is_at_rest, is_quiescent
from properties.worlds.consumption.world import CONSUMPTION
from properties.z3.induction import prove_lemmas
from properties.z3.ranking import rank_steps
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine, record_predicate
from reference.language.terms import substitute
from reference.worlds.consumption.state import SMALL_CONSUMPTION, Broker, Consumer, Consumption
from reference.worlds.consumption.structure import CONSUMPTION_STRUCTURES, ConsumptionStructure
from tests.structures import name_of

of_structures = pytest.mark.parametrize("structure", CONSUMPTION_STRUCTURES, ids=name_of)
CLAIMS = [g for g in CONSUMPTION.claims.values() if g.premise is is_at_rest]
STEPS_MAX = 120
"""More healing steps than any of these small states can take, where they end."""


def make_states(structure: ConsumptionStructure) -> Iterator[Consumption]:
    """States in peace: with a slave that is behind, level or ahead, and any position."""
    initial = structure.make_initial(SMALL_CONSUMPTION)
    for slave_max in (1, 2, 3):
        for position in (-1, 0, 1, 3):
            yield evolve(
                initial,
                master=Broker(queue_max=2),
                slave=Broker(queue_max=slave_max),
                consumer=Consumer(is_running=True, position=position),
                ghost_same_below=min(2, slave_max),
            )


def heal(
    state: Consumption, seed: int, *, is_late: bool = False
) -> Iterator[tuple[Consumption, str]]:
    """Random steps that change something, until there is none.

    ``is_late`` puts the slave's catching up off as long as something else goes on.
    """
    draw, machine = random.Random(seed), compute_machine(state.structure)
    for _ in range(STEPS_MAX):
        moving = [
            n
            for n in HEALING_STEPS
            if n in machine.instances and is_moving(machine.instances[n], state)
        ]
        if not moving:
            return
        early = [n for n in moving if n != "replicate_messages"]
        name = draw.choice(early if is_late and early else moving)
        chosen = next(e for e in machine.enabled(state) if e.instance.name == name)
        numbers = {r.name: draw.randint(r.low, r.high) for r in chosen.ranges}
        state = machine.step(state, Action(name, numbers)).cluster
        yield state, name


def test_claims_about_rest_follow_the_guarantees() -> None:
    """Although this file imports them first: certificates rest on the order."""
    roles = [g.role for g in CONSUMPTION.claims.values()]
    assert roles == sorted(roles, key=lambda role: role is PropertyRole.CONVERGENCE)
    assert set(roles) == {PropertyRole.GUARANTEE, PropertyRole.CONVERGENCE}


@of_structures
def test_the_rank_bounds_every_step_but_the_known_ones(structure: ConsumptionStructure) -> None:
    """Neither more nor fewer."""
    steps = rank_steps(structure, prove_lemmas(structure))
    healing = find_healing(structure)
    assert healing is not None
    assert set(healing.endless) == {s.instance for s in steps if not s.is_smaller}


@of_structures
def test_endless_steps_really_go_round(structure: ConsumptionStructure) -> None:
    """From some state a walk comes back to where it was, by each of them; elsewhere none does."""
    healing = find_healing(structure)
    assert healing is not None
    in_circles: set[str] = set()
    for state in make_states(structure):
        for seed in range(5):
            seen: dict[Consumption, int] = {}
            names: list[str] = []
            for after, name in heal(state, seed, is_late=True):
                names.append(name)
                if after in seen:
                    in_circles |= set(names[seen[after] :])
                seen[after] = len(names)
    assert set(healing.endless) <= in_circles
    assert bool(healing.endless) is bool(in_circles)


@of_structures
def test_walks_in_peace_end_where_it_is_claimed(structure: ConsumptionStructure) -> None:
    """At rest the consumer has drained its queue, and both brokers know."""
    rests = 0
    for state in make_states(structure):
        assert is_quiescent(state)
        for seed in range(5):
            *_, last = (state, *(after for after, _ in heal(state, seed)))
            if is_at_rest(last):
                rests += 1
                assert all(
                    g.predicate(last)
                    for g in CONSUMPTION.claims.values()
                    if g.premise is is_at_rest
                )
                assert 2 == last.consumer.position == last.slave.progress_on_disk
            else:
                assert structure.is_slave_read
    assert rests > 20


@of_structures
def test_rest_is_the_same_to_reference_and_proof(structure: ConsumptionStructure) -> None:
    """Its recorded term says of each state on such walks what the function says."""
    term = record_predicate(structure, is_at_rest)
    for state in make_states(structure):
        for after, _ in heal(state, 7):
            assert bool(substitute(term, flatten(after))) is bool(is_at_rest(after))
