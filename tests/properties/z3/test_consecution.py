"""Consecution rule by rule: which rule breaks which lemma."""

from __future__ import annotations

from functools import cache

import pytest

from properties.language.property import Predicate, Property, PropertyRole
from properties.language.world import World
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import REPLICATION, ClaimedGroup
from properties.z3.obligations import Proof, check_rule, describe_failure
from reference.language.leaves import unflatten
from reference.language.machine import Action, compute_machine
from reference.worlds.replication.state import Cluster
from tests.structures import leave_most_to_night

ALONE = CERTIFIED_BY_NAME["SYNC_MASTER/ASYNC_FLUSH/0 slaves"]
FULL_PAIR = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/1 slave"]


@cache
def make_proof() -> Proof:
    """The proof of the pair that waits for disk and slave."""
    return Proof(FULL_PAIR)


@pytest.mark.parametrize("instance", leave_most_to_night(compute_machine(FULL_PAIR).instances, 16))
def test_rule_preserves_every_lemma(instance: str) -> None:
    """A step of this rule from a state with all lemmas leads to a state with all lemmas."""
    proof = make_proof()
    row = check_rule(proof, instance)
    assert [] == [line for d in row.broken for line in describe_failure(proof, d)]
    assert sorted(REPLICATION.get_lemmas(ClaimedGroup())) == sorted(row.preserved + row.untouched)


def nothing_is_ever_flushed(cluster: Cluster) -> bool:
    """A wrong lemma: rules that flush end it, and so do those that begin with flushed files."""
    return cluster.master.log.flushed_offset == 0


def dispatch_waits_for_flush(cluster: Cluster) -> bool:
    """A wrong lemma: the dispatch reads what is only in the page cache."""
    return cluster.master.log.dispatched_offset <= cluster.master.log.flushed_offset


def make_wrong_proof(
    monkeypatch: pytest.MonkeyPatch, wrong: Predicate, lemmas: tuple[str, ...]
) -> Proof:
    """A master without slaves, with one lemma more, a wrong one."""
    extra = Property("wrong", PropertyRole.LEMMA, wrong)
    candidates = {**REPLICATION.get_candidates(ClaimedGroup()), "wrong": extra}
    monkeypatch.setattr(World, "get_candidates", lambda self, structure: candidates)
    return Proof(ALONE, (*lemmas, "wrong"))


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        pytest.param(
            nothing_is_ever_flushed,
            {
                "flush_master",
                "flush_master_too_few_pages",
                "finish_master_stop",
                "restart_master",
                "restart_master_without_blank",
                "restart_master_behind_blank",
                "restart_master_with_stale_bytes",
                "swallow_flush_error",
            },
            marks=pytest.mark.nightly,
        ),
        (dispatch_waits_for_flush, {"dispatch_master"}),
    ],
    ids=["flush", "dispatch"],
)
def test_a_wrong_lemma_breaks_at_the_rules_that_end_it(
    monkeypatch: pytest.MonkeyPatch, wrong: Predicate, expected: set[str]
) -> None:
    """Exactly the expected rules, nothing but the wrong lemma, each by a step that is real."""
    proof = make_wrong_proof(monkeypatch, wrong, tuple(REPLICATION.get_lemmas(ClaimedGroup())))
    failures = [d for i in proof.problem.steps for d in check_rule(proof, i).broken]
    assert expected == {d.obligation.where for d in failures}
    assert {"wrong"} == {d.obligation.claim for d in failures}
    machine = compute_machine(ALONE)
    for discharge in failures:
        shown = discharge.counterexample
        assert shown is not None
        before = unflatten(ALONE, shown.before)
        outcome = machine.step(before, Action(discharge.obligation.where, shown.arguments))
        after = unflatten(ALONE, {**shown.before, **shown.after})
        assert after == outcome.cluster
        assert wrong(before)
        assert not wrong(after)
