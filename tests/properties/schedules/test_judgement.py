"""Schedules made shorter: what is left refutes, and nothing of it is needless."""

from __future__ import annotations

import random
from typing import Any

import pytest

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import (
    find_needless_steps,
    follow,
    is_refuted_by,
    keep_possible,
    shorten_refutation,
)
from properties.walks.steps import choose_evenly
from properties.worlds.catalogue import STRUCTURES
from reference.language.machine import Action, compute_machine
from tests.structures import SYNCHRONOUS_PAIR, name_of

CONSUMER = STRUCTURES["reading/open all/no offset check/last"]
SEEDS = range(24)


def walk_to_violation(structure: ClaimedStructure, seed: int) -> tuple[str, list[Action]] | None:
    """A random schedule up to its first violation, with the guarantee that it violates."""
    draw, machine = random.Random(seed), compute_machine(structure)
    parameters = structure.world.make_search_parameters(structure.world.every_fault)
    state, actions = structure.make_initial(parameters), []
    for _ in range(200):
        actions.append(choose_evenly(machine.enabled(state), draw))
        state = machine.step(state, actions[-1]).cluster
        for name, guarantee in structure.world.guarantees.items():
            if not guarantee.predicate(state):
                return name, actions
    return None


@pytest.mark.parametrize("structure", [SYNCHRONOUS_PAIR, CONSUMER], ids=name_of)
def test_what_is_left_refutes_and_is_minimal(structure: ClaimedStructure) -> None:
    """Also without a step and those that are impossible without it, nothing would be refuted."""
    parameters = structure.world.make_search_parameters(structure.world.every_fault)
    found = [f for seed in SEEDS if (f := walk_to_violation(structure, seed)) is not None]
    assert len(found) >= 3
    for name, actions in found:
        shorter = shorten_refutation(name, structure, parameters, actions)
        assert is_refuted_by(name, structure, parameters, shorter)
        assert shorter == shorten_refutation(name, structure, parameters, shorter)

        def is_refuting(trial: Any, name: str = name) -> bool:
            return is_refuted_by(name, structure, parameters, trial)

        assert [] == find_needless_steps(shorter, is_refuting)
        for index in range(len(shorter)):
            others = [*shorter[:index], *shorter[index + 1 :]]
            assert not is_refuting(keep_possible(structure, parameters, others))


def test_a_stop_goes_with_the_start_after_it() -> None:
    """Neither could go alone."""
    parameters = CONSUMER.world.make_search_parameters(CONSUMER.world.every_fault)
    needed = (
        Action("start_consumer"),
        Action("take_queue"),
        Action("put_messages"),
        Action("pull_messages[0]"),
    )
    outage = (Action("stop_broker[1]"), Action("drop_slave"), Action("start_broker[1]"))
    name = "no_pull_is_repeated_at_once"
    assert is_refuted_by(name, CONSUMER, parameters, needed)
    longer = (*outage, Action("list_slave"), *needed)
    assert needed == shorten_refutation(name, CONSUMER, parameters, longer)


def test_refused_steps_are_passed_over() -> None:
    """What is possible without them takes place."""
    parameters = CONSUMER.world.make_search_parameters(CONSUMER.world.every_fault)
    schedule = (Action("start_broker[0]"), Action("put_messages"), Action("start_broker[1]"))
    assert [Action("put_messages")] == keep_possible(CONSUMER, parameters, schedule)


@pytest.mark.parametrize("structure", [SYNCHRONOUS_PAIR, CONSUMER], ids=name_of)
def test_a_refutation_ends_with_the_first_violation(structure: ClaimedStructure) -> None:
    """What goes on after it, and still violates, is no refutation; neither is what ends before."""
    parameters = structure.world.make_search_parameters(structure.world.every_fault)
    machine, judged = compute_machine(structure), 0
    for name, actions in filter(None, (walk_to_violation(structure, seed) for seed in SEEDS)):
        if judged >= 3:
            break
        assert is_refuted_by(name, structure, parameters, actions)
        assert not is_refuted_by(name, structure, parameters, actions[:-1])
        *_, (_, state) = follow(structure, parameters, actions)
        holds = structure.world.get_claim(name).predicate
        for enabled in machine.enabled(state):
            more = Action(enabled.instance.name, {r.name: r.low for r in enabled.ranges})
            if not holds(machine.step(state, more).cluster):
                assert not is_refuted_by(name, structure, parameters, [*actions, more])
                judged += 1
    assert judged >= 3
