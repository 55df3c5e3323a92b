"""Induction: lemma by lemma, rule by rule; and that it can fail."""

from __future__ import annotations

from functools import cache

import pytest
from attrs import evolve

from properties.language.fault_model import FaultModel
from properties.language.property import Property, PropertyRole
from properties.language.world import World
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.fault_models import EVERYTHING, FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import (
    GUARANTEES,
    LEMMAS,
    REPLICATION,
    SANITY_CHECKS,
    ClaimedGroup,
)
from properties.z3 import induction
from properties.z3.induction import (
    InductionProblem,
    InductionResult,
    SolverGaveUpError,
)
from reference.language.leaves import unflatten
from reference.language.machine import Action, compute_machine, record_predicate
from reference.language.operator_table import Sort
from reference.language.terms import constant, leaf, record
from reference.worlds.replication.state import Cluster
from tests.structures import (
    GROUPS,
    SYNCHRONOUS_PAIR,
    TWO_OF_EACH,
    leave_large_to_night,
    name_of,
)

NEEDED = {**SANITY_CHECKS, **LEMMAS}


@pytest.mark.parametrize("structure", leave_large_to_night(GROUPS), ids=name_of)
def test_all_lemmas_are_inductive(structure: ClaimedGroup) -> None:
    """No lemma and no sanity check falls, whatever strikes: Houdini keeps all of them."""
    result = InductionProblem(structure, EVERYTHING).find_inductive_set(NEEDED)
    assert list(NEEDED) == list(result.lemmas)
    assert () == result.dropped


DEMANDING = [
    (GROUPS[i], FAULT_MODEL_BY_NAME[name])
    for name in ("none", "every fault", "master kill in a roll")
    for i in (7, 4, 2)
]
"""Where lemmas are missed: a synchronous and an asynchronous pair, a synchronous master alone."""


@cache
def prove(structure: ClaimedGroup, fault_model: FaultModel, left_out: str = "") -> InductionResult:
    """Houdini from everything but one lemma."""
    names = [n for n in NEEDED if n != left_out]
    return InductionProblem(structure, fault_model).find_inductive_set(names)


@pytest.mark.nightly
@pytest.mark.parametrize("name", LEMMAS)
def test_every_lemma_is_demanded(name: str) -> None:
    """Without a lemma, some proof is lost: another lemma falls, or a guarantee or its vacuity."""
    for structure, fault_model in DEMANDING:
        full, less = prove(structure, fault_model), prove(structure, fault_model, name)
        is_missed = len(less.lemmas) < len(full.lemmas) - 1
        if is_missed or (less.proved, less.vacuous) != (full.proved, full.vacuous):
            return
    pytest.fail(f"no proof needs {name}")


def test_counterexamples_to_induction_are_real_steps() -> None:
    """What Houdini reports is re-judged: the reference takes the step, and the lemma breaks."""
    fault_model = FAULT_MODEL_BY_NAME["master power loss"]
    result = InductionProblem(SYNCHRONOUS_PAIR, fault_model).find_inductive_set(
        [*NEEDED, *GUARANTEES]
    )
    machine = compute_machine(SYNCHRONOUS_PAIR)
    refuted = {
        v.guarantee
        for v in load_cells(SYNCHRONOUS_PAIR).values()
        if v.fault == fault_model.name
        and v.word is VerdictWord.REFUTED
        and v.guarantee in GUARANTEES
    }
    assert refuted == {d.lemma for d in result.dropped}
    for dropped in result.dropped:
        before = unflatten(SYNCHRONOUS_PAIR, dropped.before)
        outcome = machine.step(before, Action(dropped.instance, dropped.arguments))
        predicate = REPLICATION.get_candidates(ClaimedGroup())[dropped.lemma].predicate
        assert not outcome.is_refused
        assert predicate(before)
        assert not predicate(outcome.cluster)


def test_a_false_lemma_falls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lemma that is wrong is dropped with a step that shows it."""

    def nothing_is_ever_flushed(cluster: Cluster) -> bool:
        return cluster.master.log.flushed_offset == 0

    candidates = REPLICATION.get_candidates(ClaimedGroup())
    wrong = Property("wrong", PropertyRole.LEMMA, nothing_is_ever_flushed)
    monkeypatch.setattr(
        World, "get_candidates", lambda self, structure: {**candidates, "wrong": wrong}
    )
    problem = InductionProblem(SYNCHRONOUS_PAIR, FAULT_MODEL_BY_NAME["none"])
    result = problem.find_inductive_set([*NEEDED, "wrong"])
    assert [("wrong", "flush_master")] == [(d.lemma, d.instance) for d in result.dropped]


def test_what_every_step_keeps_must_hold_at_the_beginning() -> None:
    """No step lowers the number of a life, and yet not every life is a later one."""

    def is_a_later_life(cluster: Cluster) -> bool:
        return cluster.master.ghost_life >= 1

    later = record_predicate(SYNCHRONOUS_PAIR, is_a_later_life)
    problem = InductionProblem(SYNCHRONOUS_PAIR, EVERYTHING, facts={"later": later})
    assert ([], []) == problem.run_houdini(["later"])


def test_giving_up_is_not_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """When Z3 runs out of its work limit, an error is raised."""
    monkeypatch.setattr(induction, "RLIMIT_PER_QUERY", 10)
    problem = InductionProblem(SYNCHRONOUS_PAIR, FAULT_MODEL_BY_NAME["none"])
    with pytest.raises(SolverGaveUpError):
        problem.find_inductive_set(NEEDED)


@pytest.mark.parametrize(
    ("size", "is_positive"),
    [
        ("mapped_file_size_bytes", True),
        ("ghost_log_size_max_bytes", True),
        ("ha_slave_fallbehind_max_bytes", False),
    ],
)
def test_only_what_a_broker_enforces_is_assumed(size: str, *, is_positive: bool) -> None:
    """A fall-behind limit may be 0 or less: RocketMQ takes any number, and no slave is near then.

    A file or a log without a byte does not exist.
    """
    problem = InductionProblem(SYNCHRONOUS_PAIR, EVERYTHING)
    value = leaf(f"parameters.{size}", Sort.INTEGER)
    assert is_positive == problem.follows(record("less_equal", constant(1), value), ())


def test_the_last_modelled_life_loses_no_power() -> None:
    """In the last life that is told apart the fault is refused, by a condition that says so."""
    cluster = SYNCHRONOUS_PAIR.make_initial(TWO_OF_EACH)
    last = evolve(cluster.master, ghost_life=SYNCHRONOUS_PAIR.lives - 1)
    outcome = compute_machine(SYNCHRONOUS_PAIR).step(
        evolve(cluster, master=last), Action("lose_master_power")
    )
    assert ("has_modelled_life_left",) == outcome.failed
