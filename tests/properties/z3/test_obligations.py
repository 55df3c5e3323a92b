"""Proof obligations: counted out completely, decided one by one, each with a minimal core."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.language.property import Property, PropertyRole
from properties.language.world import World
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import CLAIMS, REPLICATION, ClaimedGroup
from properties.z3 import induction
from properties.z3.discharge import (
    DischargeOutcome,
    Fact,
    FactKind,
    compute_minimal_core,
    follows_from,
)
from properties.z3.obligations import Discharge, Obligation, ObligationKind, Proof, load_proof
from reference.language.leaves import unflatten
from reference.language.machine import compute_machine
from reference.worlds.replication.state import Cluster
from tests.structures import SYNCHRONOUS_PAIR

ALONE = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/0 slaves"]

NUMBERS = st.frozensets(st.integers(0, 7), max_size=8)


@cache
def make_proof() -> Proof:
    """The certified proof of the synchronous pair."""
    return load_proof(SYNCHRONOUS_PAIR)


def discharge_safety(guarantee: str, fault: str) -> Discharge:
    """What becomes of a cell of the synchronous pair, with a minimal core."""
    obligation = Obligation(ObligationKind.SAFETY, guarantee, fault)
    return make_proof().discharge_minimally(obligation)


def get_absent_faults(discharge: Discharge) -> set[str]:
    """The faults whose absence a proof takes."""
    return {fact.name for fact in discharge.core if fact.kind is FactKind.ABSENCE}


def test_obligations_are_complete() -> None:
    """Each lemma begins; each step meets each lemma that reads what it changes; each cell."""
    proof = make_proof()
    obligations = list(proof.list_obligations())
    assert len(obligations) == len(set(obligations))
    assert obligations == [Obligation.parse(str(o)) for o in obligations]
    asked = {(o.kind, o.claim, o.where) for o in obligations}
    lemmas, cells = set(REPLICATION.get_lemmas(ClaimedGroup())), set(proof.proved)
    assert lemmas == {claim for kind, claim, _ in asked if kind is ObligationKind.INITIATION}
    assert cells == {(c, w) for kind, c, w in asked if kind is ObligationKind.SAFETY}
    for instance, step in proof.problem.steps.items():
        met = {c for kind, c, w in asked if kind is ObligationKind.CONSECUTION and w == instance}
        assert lemmas & step.touched == met
    assert set(compute_machine(SYNCHRONOUS_PAIR).instances) == set(proof.problem.steps)


def test_absence_of_faults_is_told() -> None:
    """With ASYNC_FLUSH a message stays on the master while no power, disk or young file is lost."""
    discharge = discharge_safety("acknowledged_is_kept_on_master", "slave kill")
    assert DischargeOutcome.HOLDS is discharge.outcome
    absent = {"master_power_losses", "master_disk_losses", "forced_deletions"}
    assert absent == get_absent_faults(discharge)
    lemmas = {fact.name for fact in discharge.core if fact.kind is FactKind.LEMMA}
    assert "intact_master_holds_what_was_written" in lemmas


def test_conditions_and_arguments_of_a_rule_are_told() -> None:
    """An acknowledged message was received: by the condition that compares its end."""
    lemma = "acknowledged_by_sync_master_in_first_life_is_received"
    obligation = Obligation(ObligationKind.CONSECUTION, lemma, "answer_slave_wait[0]")
    core = set(make_proof().discharge_minimally(obligation).core)
    instance = make_proof().problem.steps["answer_slave_wait[0]"].recorded
    conditions = {fact.name for fact in core if fact.kind is FactKind.CONDITION}
    assert conditions
    assert conditions <= set(instance.conditions)
    assert Fact(FactKind.LEMMA, "lacked_put_is_not_reported") in core
    append = Obligation(ObligationKind.CONSECUTION, "log_ends_in_last_file", "append_to_slave[0]")
    assert Fact(FactKind.RANGE, "size_bytes") in make_proof().discharge_minimally(append).core


def test_a_refuted_cell_fails_in_a_state_with_every_lemma() -> None:
    """The counterexample is a state in which the reference finds all lemmas, not the guarantee."""
    discharge = discharge_safety("acknowledged_is_held_twice", "slave power loss")
    assert DischargeOutcome.FAILS is discharge.outcome
    assert discharge.counterexample is not None
    state = unflatten(SYNCHRONOUS_PAIR, discharge.counterexample.before)
    assert not CLAIMS["acknowledged_is_held_twice"].predicate(state)
    assert all(lemma.predicate(state) for lemma in REPLICATION.get_lemmas(ClaimedGroup()).values())


def test_a_lemma_that_does_not_hold_initially_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Initiation is asked for with every parameter open."""

    def no_file_is_large(cluster: Cluster) -> bool:
        return cluster.parameters.mapped_file_size_bytes <= 1000

    wrong = Property("wrong", PropertyRole.LEMMA, no_file_is_large)
    candidates = {**REPLICATION.get_candidates(ClaimedGroup()), "wrong": wrong}
    monkeypatch.setattr(World, "get_candidates", lambda self, structure: candidates)
    discharge = Proof(ALONE, ["wrong"]).discharge(Obligation(ObligationKind.INITIATION, "wrong"))
    assert DischargeOutcome.FAILS is discharge.outcome
    assert discharge.counterexample is not None
    assert discharge.counterexample.before["parameters.mapped_file_size_bytes"] > 1000


def test_giving_up_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """When Z3 comes to the end of its work, nothing is claimed."""
    monkeypatch.setattr(induction, "RLIMIT_PER_QUERY", 10)
    obligation = Obligation(ObligationKind.SAFETY, "acknowledged_is_kept_on_master", "none")
    discharge = make_proof().discharge_minimally(obligation)
    assert (DischargeOutcome.GAVE_UP, ()) == (discharge.outcome, discharge.core)
    assert not follows_from(make_proof().pose(obligation), ())


@pytest.mark.nightly
def test_work_does_not_depend_on_what_was_asked_before() -> None:
    """The same obligation takes the same work and has the same core, in any order."""
    proof = load_proof(ALONE)
    obligations = list(proof.list_obligations())[::12]
    forwards = [proof.discharge_minimally(o) for o in obligations]
    backwards = [load_proof(ALONE).discharge_minimally(o) for o in reversed(obligations)]
    assert forwards == backwards[::-1]
    assert all(d.work > 0 for d in forwards)


@given(st.lists(NUMBERS, min_size=1, max_size=4), NUMBERS)
def test_minimal_core_is_minimal(sufficient: list[frozenset[int]], more: frozenset[int]) -> None:
    """What remains suffices, and nothing of it can be left out."""
    facts = {n: Fact(FactKind.LEMMA, str(n)) for n in range(8)}
    proofs = [{facts[n] for n in numbers} for numbers in sufficient]

    def suffices(core: tuple[Fact, ...]) -> bool:
        return any(proof <= set(core) for proof in proofs)

    begin = tuple(facts[n] for n in sorted(sufficient[0] | more))
    core = compute_minimal_core(begin, suffices)
    assert suffices(core)
    assert set(core) <= set(begin)
    assert not any(suffices(tuple(f for f in core if f != fact)) for fact in core)
