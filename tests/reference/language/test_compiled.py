"""The compiled rules say the same as the executed ones, in every world."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from properties.language.world import ClaimedStructure
from properties.walks.steps import choose_evenly
from properties.worlds.catalogue import STRUCTURES, SYSTEM, WORLDS
from properties.worlds.toy import TOY
from reference.language.compiled import PythonWriter, compile_predicate, compute_compiled_machine
from reference.language.dependencies import EnabledSteps, compute_dependencies
from reference.language.machine import Action, compute_machine, probe
from reference.language.operator_table import OPERATORS, Sort
from reference.language.terms import constant, leaf, make_raw, substitute

COMPARED = [
    TOY.structures[0],
    *(world.structures[-1] for world in WORLDS),
    SYSTEM.structures[0],
    STRUCTURES["SYNC_MASTER/SYNC_FLUSH/2 slaves"],
    *(s for name, s in STRUCTURES.items() if name.endswith(("5.3.3", "controller"))),
]
WALKS, STEPS = 3, 40


def draw_states(structure: ClaimedStructure, seed: int) -> list[tuple[Any, Action | None]]:
    """The states of a random walk under every fault, with the step that led to each."""
    world = structure.world
    parameters = world.make_search_parameters(world.fault_models[-1])
    walk, chance = EnabledSteps(structure.make_initial(parameters)), random.Random(seed)
    states: list[tuple[Any, Action | None]] = [(walk.cluster, None)]
    for _ in range(STEPS):
        enabled = walk.list_enabled()
        if not enabled:
            break
        action = choose_evenly(enabled, chance)
        assert not walk.take(action)
        states.append((walk.cluster, action))
    return states


@pytest.fixture(scope="module", params=COMPARED, ids=lambda s: s.name)
def structure(request: pytest.FixtureRequest) -> Any:
    """One structure of each world, and of the last releases."""
    return request.param


@pytest.mark.parametrize("seed", range(WALKS))
def test_the_compiled_machine_takes_the_steps_of_the_executed_one(
    structure: ClaimedStructure, seed: int
) -> None:
    """State by state, and what is enabled is kept along the way."""
    compiled, states = compute_compiled_machine(structure), draw_states(structure, seed)
    assert len(states) > 2
    flat = compiled.encode(states[0][0])
    enabled = compiled.list_enabled(flat)
    for cluster, action in states:
        if action is not None:
            taken = compiled.take(flat, action)
            assert taken is not None, action
            flat = taken
            compiled.update_enabled(enabled, action.instance, flat)
        assert flat == compiled.encode(cluster)
        assert compiled.decode(flat) == cluster
        assert enabled == compiled.list_enabled(flat)


@pytest.mark.parametrize("seed", range(WALKS))
def test_conditions_and_ranges_are_the_executed_ones(
    structure: ClaimedStructure, seed: int
) -> None:
    """All failed conditions by name, each range, and a number beyond it is refused."""
    compiled, executed = compute_compiled_machine(structure), compute_machine(structure)
    refusals = 0
    for cluster, _ in draw_states(structure, seed):
        flat = compiled.encode(cluster)
        for name, instance in executed.instances.items():
            failed, ranges = probe(instance, cluster)
            expected = None if failed else tuple((r.low, r.high) for r in ranges)
            each = compiled.instances[name]
            assert each.list_failed(flat) == tuple(failed), name
            assert each.find_ranges(flat) == expected, name
            if failed:
                refusals += 1
                assert each.take(flat, {}) is None, name
            for argument in ranges:
                beyond = Action(name, {argument.name: argument.high + 1})
                assert (compiled.take(flat, beyond) is None) == bool(
                    executed.step(cluster, beyond).is_refused
                )
    assert refusals, "no step was refused"


def test_claims_are_judged_as_the_executed_ones(structure: ClaimedStructure) -> None:
    """Every claim of the world, in each state of the walks."""
    world = structure.world
    compiled = compute_compiled_machine(structure)
    predicates = {name: claim.predicate for name, claim in world.judged.items()}
    holds = {name: compile_predicate(structure, p) for name, p in predicates.items()}
    for seed in range(WALKS):
        for cluster, _ in draw_states(structure, seed):
            flat = compiled.encode(cluster)
            for name, predicate in predicates.items():
                assert holds[name](flat) == predicate(cluster), name


@pytest.mark.parametrize("seed", range(WALKS))
def test_steps_kept_as_enabled_are_the_enabled_ones(structure: ClaimedStructure, seed: int) -> None:
    """Asking only the affected instances finds what asking all of them finds."""
    machine, states = compute_machine(structure), draw_states(structure, seed)
    walk = EnabledSteps(states[0][0])
    for cluster, action in states:
        if action is not None:
            walk.take(action)
        kept = [(e.instance.name, e.ranges) for e in walk.list_enabled()]
        assert walk.cluster == cluster
        assert kept == [(e.instance.name, e.ranges) for e in machine.enabled(cluster)]


def test_a_refused_step_changes_nothing() -> None:
    """The very same state is kept."""
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
    begin = structure.make_initial(structure.world.sizes.search)
    walk = EnabledSteps(begin)
    assert walk.take(Action("receive_report[0]")) == ("is_link_open", "has_report_in_flight")
    assert walk.cluster is begin


def test_an_instance_is_asked_again_when_what_it_reads_was_written() -> None:
    """By the leaves of its conditions."""
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
    found = compute_dependencies(structure)
    assert "master.is_up" in found.writes["kill_master"]
    assert "master.is_up" in found.reads["append_message[0]"]
    assert "append_message[0]" in found.affected["kill_master"]
    assert len(found.affected["flush_slave[0]"]) < len(found.recorded) / 2


NUMBERS, FLAGS = (-7, -1, 0, 1, 2, 5), (False, True)


@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_means_in_python_what_it_means_in_terms(operator: str) -> None:
    """On numbers around zero, below it too; used once, and used twice in one term."""
    sorts, result = OPERATORS[operator].sorts, OPERATORS[operator].result
    leaves = [leaf(f"x{i}", sort) for i, sort in enumerate(sorts)]
    term = make_raw(operator, *leaves)
    # Used twice, so that it gets a name; and within itself, so that the parentheses count.
    twice = make_raw("equal", term, term) if result is Sort.INTEGER else make_raw("or", term, term)
    values = [NUMBERS if sort is Sort.INTEGER else FLAGS for sort in sorts]
    for root in (term, twice):
        writer = PythonWriter({f"x{i}": i for i in range(len(sorts))})
        writer.lines.append(f"return {writer.write(root)}")
        compiled = writer.compile("s")
        for state in itertools.product(*values):
            if operator in ("quotient", "remainder") and state[1] == 0:
                continue
            named = {f"x{i}": value for i, value in enumerate(state)}
            assert compiled(state) == substitute(root, named)


def test_a_deep_term_is_cut_into_parts() -> None:
    """Python's parser refuses deeper nesting than a hundred parentheses."""
    term = leaf("x0", Sort.INTEGER)
    for number in range(1000):
        term = make_raw("maximum", make_raw("add", term, constant(1)), constant(number % 7))
    writer = PythonWriter({"x0": 0})
    writer.lines.append(f"return {writer.write(term)}")
    assert writer.compile("s")((5,)) == substitute(term, {"x0": 5})
