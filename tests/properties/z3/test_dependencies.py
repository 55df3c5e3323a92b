"""The property graph: what is not in it can go, and what cores leave open may be mixed."""

from __future__ import annotations

import pytest

from properties.language.fault_model import FaultModel
from properties.worlds.replication.fault_models import EVERYTHING
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import CLAIMS, REPLICATION, ClaimedGroup
from properties.z3.cores import Core, DependencyNode, NodeKind, PropertyGraph, load_cores
from properties.z3.discharge import Fact, FactKind
from properties.z3.induction import InductionProblem
from properties.z3.obligations import Obligation, ObligationKind
from reference.worlds.replication.parameters import FaultCounts
from tests.structures import leave_most_to_night

FULL_PAIR = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/1 slave"]


def make_core(*facts: tuple[FactKind, str]) -> Core:
    """A core of these facts."""
    return Core(1, tuple(Fact(kind, name) for kind, name in facts))


SMALL = PropertyGraph(
    {
        Obligation(ObligationKind.SAFETY, "kept", "none"): make_core(
            (FactKind.LEMMA, "first"), (FactKind.ABSENCE, "fire")
        ),
        Obligation(ObligationKind.CONSECUTION, "first", "move[0]"): make_core(
            (FactKind.CONDITION, "is_open"), (FactKind.LEMMA, "first"), (FactKind.LEMMA, "second")
        ),
        Obligation(ObligationKind.CONSECUTION, "second", "move[1]"): make_core(
            (FactKind.RANGE, "size"), (FactKind.LEMMA, "second"), (FactKind.SIZE, "batch")
        ),
        Obligation(ObligationKind.INITIATION, "third"): make_core(),
        Obligation(ObligationKind.CONSECUTION, "third", "rest"): make_core(
            (FactKind.CONDITION, "is_closed"), (FactKind.LEMMA, "first")
        ),
    }
)
"""One guarantee that rests on two of three lemmas."""


def test_edges_are_those_of_the_cores() -> None:
    """Guarantee to lemma, lemma to lemma and rule, rule to condition."""
    first, second = (
        DependencyNode(NodeKind.LEMMA, "first"),
        DependencyNode(NodeKind.LEMMA, "second"),
    )
    move, is_open = (
        DependencyNode(NodeKind.RULE, "move"),
        DependencyNode(NodeKind.CONDITION, "move.is_open"),
    )
    size = DependencyNode(NodeKind.CONDITION, "move.size")
    assert {first} == SMALL.edges[DependencyNode(NodeKind.GUARANTEE, "kept")]
    assert {second, move, is_open} == SMALL.edges[first]
    assert {move, size} == SMALL.edges[second]
    assert {is_open, size} == SMALL.edges[move]


def test_what_is_reached_is_transitive() -> None:
    """A lemma below a lemma counts; one that only looks at others does not."""
    kept = DependencyNode(NodeKind.GUARANTEE, "kept")
    assert {"first", "second"} == {n.name for n in SMALL.compute_reached_lemmas([kept])}
    assert ["third"] == [n.name for n in SMALL.find_unused_lemmas()]
    assert {"move.is_open", "move.size"} == SMALL.compute_conditions("kept")
    assert {("fire",): ["none"]} == SMALL.get_columns_by_absent_faults("kept")


def test_reached_lemmas_prove_everything_alone() -> None:
    """Without the unused lemmas the rest is inductive and proves the same cells."""
    graph = PropertyGraph(load_cores(FULL_PAIR))
    unused = {node.name for node in graph.find_unused_lemmas()}
    kept = tuple(name for name in REPLICATION.get_lemmas(ClaimedGroup()) if name not in unused)
    assert 0 < len(kept) < len(REPLICATION.get_lemmas(ClaimedGroup()))
    problem = InductionProblem(FULL_PAIR, EVERYTHING)
    assert kept == problem.find_inductive_set(kept).lemmas
    for name in CLAIMS:
        for absent in graph.get_columns_by_absent_faults(name):
            assert name in problem_under_all_but(absent).find_consequences(kept).proved


def problem_under_all_but(absent: tuple[str, ...]) -> InductionProblem:
    """The pair under every fault and circumstance but these, in any mixture."""
    mixed = tuple(name for name in EVERYTHING.admitted if name not in absent)
    return InductionProblem(FULL_PAIR, FaultModel("mixed", mixed, FaultCounts))


@pytest.mark.parametrize("guarantee", leave_most_to_night(CLAIMS, 5))
def test_absences_are_needed_in_every_core(guarantee: str) -> None:
    """A guarantee does not follow where one of the absent faults may strike as well."""
    graph = PropertyGraph(load_cores(FULL_PAIR))
    for absent in graph.get_columns_by_absent_faults(guarantee):
        for fault in absent:
            less = tuple(name for name in absent if name != fault)
            result = problem_under_all_but(less).find_consequences(
                tuple(REPLICATION.get_lemmas(ClaimedGroup()))
            )
            assert guarantee not in result.proved, fault
