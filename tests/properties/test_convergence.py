"""Convergence: healing ends, in whatever order, and what is claimed of its end holds there."""

from __future__ import annotations

import random

import pytest
import z3
from attrs import evolve

from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.walks.steps import choose_evenly
from properties.worlds.replication.convergence import (
    FLUSHES_OF_TOO_FEW_PAGES,
    HEALING_STEPS,
    get_everyone,
    has_all_brokers,
    is_at_rest,
    is_possible,
)
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.healing import RANK
from properties.worlds.replication.world import CLAIMS, CONVERGENCE, GUARANTEES, ClaimedGroup
from properties.z3.induction import InductionProblem, make_solver, prove_lemmas
from properties.z3.ranking import rank_steps
from reference.language.leaves import flatten
from reference.language.machine import (
    Action,
    Instance,
    Machine,
    compute_machine,
    record_predicate,
)
from reference.language.operators import all_of, negate
from reference.language.terms import substitute
from reference.worlds.replication.parameters import SMALL_PARAMETERS, FaultCounts
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.state import Cluster
from tests.structures import (
    GROUPS,
    SYNCHRONOUS_PAIR,
    leave_large_to_night,
    leave_most_to_night,
    name_of,
)

FAULTY = evolve(SMALL_PARAMETERS, limits=FaultCounts(link_cuts=2, master_kills=2, slave_kills=2))
"""Faults after which every claim about rest is proved."""
HEALING_MAX = 400
"""More healing steps than any of these small groups can take."""


@pytest.mark.parametrize("structure", leave_large_to_night(GROUPS), ids=name_of)
def test_every_healing_step_makes_the_rank_smaller(structure: ClaimedGroup) -> None:
    """No group that is left in peace goes on for ever."""
    steps = list(rank_steps(structure, prove_lemmas(structure)))
    assert [] == [s.instance for s in steps if not s.is_smaller]
    assert {s.instance.partition("[")[0] for s in steps} <= set(HEALING_STEPS)


@pytest.mark.parametrize("structure", leave_large_to_night(GROUPS), ids=name_of)
def test_rest_does_not_depend_on_a_flush_of_too_few_pages(structure: ClaimedGroup) -> None:
    """Wherever one is possible, so is a flush of the same broker that forces bytes."""
    instances = compute_machine(structure).instances
    pairs = [
        (instances[name], instances[name.replace("_too_few_pages", "")])
        for name in instances
        if name.partition("[")[0] in FLUSHES_OF_TOO_FEW_PAGES
    ]
    lemmas = prove_lemmas(structure)
    problem = InductionProblem(structure, FAULT_MODEL_BY_NAME["every fault"])
    solver = make_solver()
    solver.add(problem.parameter_constraints)
    solver.add([problem.now(problem.predicates[name]) for name in lemmas])

    def is_found(few: Instance, others: tuple[Instance, ...]) -> bool:
        term = record_predicate(
            structure,
            lambda c: all_of(is_possible(few, c), *(negate(is_possible(o, c)) for o in others)),
        )
        return bool(solver.check(problem.now(term), *problem.now.side_conditions) == z3.sat)

    assert all(is_found(few, ()) for few, _ in pairs)
    assert not any(is_found(few, (enough,)) for few, enough in pairs)


def test_without_lemmas_the_rank_proves_little() -> None:
    """The ranking proof can fail: from any state at all, some steps do not help."""
    endless = [s.instance for s in rank_steps(SYNCHRONOUS_PAIR, ()) if not s.is_smaller]
    assert "receive_report[0]" in endless


def test_a_refused_slave_may_never_rest() -> None:
    """Where reports are compared with the log, a slave that is ahead connects again and again."""
    for name in ("report_capped", "report_capped_from_second"):
        variant = evolve(SYNCHRONOUS_PAIR, variants=(name,))
        steps = rank_steps(variant, prove_lemmas(variant))
        assert [s for s in steps if not s.is_smaller]


def walk_randomly(seed: int, structure: ClaimedGroup) -> Cluster:
    """A state that some seeded schedule reaches."""
    draw, machine = random.Random(seed), compute_machine(structure)
    cluster = structure.make_initial(FAULTY)
    for _ in range(draw.randrange(60)):
        cluster = step_randomly(draw, machine, cluster, set(RULES))
    return cluster


def step_randomly(
    draw: random.Random, machine: Machine, cluster: Cluster, names: set[str]
) -> Cluster:
    """The cluster after one enabled step of these rules, or as it is where there is none."""
    enabled = [e for e in machine.enabled(cluster) if e.instance.rule.name in names]
    if not enabled:
        return cluster
    return machine.step(cluster, choose_evenly(enabled, draw)).cluster


def start_all(cluster: Cluster) -> Cluster:
    """The cluster after every broker has ended its stop and has started."""
    machine = compute_machine(cluster.structure)
    names = {"finish_master_stop", "finish_slave_stop", "restart_slave"}
    names |= {"restart_master", "restart_master_without_blank"}
    draw = random.Random(0)
    for _ in range(2 * (1 + cluster.structure.slaves)):
        cluster = step_randomly(draw, machine, cluster, names)
    return cluster


BY_RECOVERY = {"slaves_come_to_hold_everything", "dispatch_reaches_the_end"}
"""What a recovery that takes a torn record for whole, and retention, keep a group from."""


@pytest.mark.parametrize("structure", leave_most_to_night(GROUPS[4:10], 3), ids=name_of)
def test_groups_in_peace_come_to_rest_as_claimed(structure: ClaimedGroup) -> None:
    """Random walks, then random healing: the rank falls at each step, and at rest claims hold."""
    machine = compute_machine(structure)
    proved = {
        v.guarantee
        for v in load_cells(structure).values()
        if v.fault == "none" and v.word is VerdictWord.PROVED
    }
    claimed = [name for name in CONVERGENCE if name in proved]
    assert {*CONVERGENCE} - {*claimed} <= BY_RECOVERY
    rested = 0
    for seed in range(80):
        cluster, draw = start_all(walk_randomly(seed, structure)), random.Random(seed)
        if not has_all_brokers(cluster):
            continue
        for _ in range(HEALING_MAX):
            before = [number(cluster) for number in RANK]
            after = step_randomly(draw, machine, cluster, set(HEALING_STEPS))
            if after is cluster:
                break
            cluster = after
            assert [number(cluster) for number in RANK] < before
        if not is_at_rest(cluster, HEALING_STEPS, get_everyone(cluster)):
            continue  # The limit of late joins keeps a slave without a log from its start.
        assert all(CLAIMS[name].predicate(cluster) for name in claimed)
        rested += 1
    assert rested >= 10


def test_possible_is_enabled_but_for_limits() -> None:
    """A step is possible where it is enabled, or where only a search's limit forbids it."""
    machine = compute_machine(SYNCHRONOUS_PAIR)
    for seed in range(60):
        cluster = walk_randomly(seed, SYNCHRONOUS_PAIR)
        enabled = {e.instance.name for e in machine.enabled(cluster)}
        for name, instance in machine.instances.items():
            if name in enabled:
                assert is_possible(instance, cluster)
            elif is_possible(instance, cluster):
                _, *failed = ("", *machine.step(cluster, Action(name)).failed)
                assert set(failed) <= {"is_within_limit", "has_modelled_life_left"}


@pytest.mark.parametrize("name", CONVERGENCE)
def test_recorded_claims_agree_with_the_reference(name: str) -> None:
    """As a term or on numbers, a claim about rest says the same."""
    predicate = CLAIMS[name].predicate
    term = record_predicate(SYNCHRONOUS_PAIR, predicate)
    for seed in range(30):
        cluster = walk_randomly(seed, SYNCHRONOUS_PAIR)
        assert bool(substitute(term, flatten(cluster))) == predicate(cluster)


def test_convergence_is_no_guarantee() -> None:
    """The rows of the matrix are guarantees first, then claims about rest; names are unique."""
    assert [*GUARANTEES, *CONVERGENCE] == list(CLAIMS)
    assert FAULT_MODEL_BY_NAME["none"].admitted == ()
