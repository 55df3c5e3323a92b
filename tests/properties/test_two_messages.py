"""What is proved of one followed message is proved of two.

A proof follows one arbitrary message. That what holds of it holds of every one needs that messages
do not get in one another's way, in the log and in the line of the group transfer.
"""

from __future__ import annotations

import itertools

import pytest
from attrs import evolve

from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.worlds.replication.fault_models import EVERYTHING
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.machine import record_predicate
from reference.language.operators import all_of, implies
from reference.language.terms import Term
from reference.worlds.replication.lineage import is_written
from reference.worlds.replication.state import NOT_SENT, Cluster
from tests.structures import SYNCHRONOUS_PAIR

PAIRS = tuple(s for s in list_tagged(Tag.USUAL) if s.name.endswith("_FLUSH/1 slave"))


def followed_messages_do_not_overlap(cluster: Cluster) -> bool:
    """Of two followed messages the one that is put first is in an older life, or lies before."""
    return all_of(
        *(
            all_of(
                implies(later.phase > NOT_SENT, earlier.phase > NOT_SENT),
                implies(
                    is_written(earlier) & is_written(later),
                    (earlier.ghost_life < later.ghost_life)
                    | (
                        (earlier.ghost_life == later.ghost_life)
                        & (earlier.end_offset <= later.start_offset)
                    ),
                ),
            )
            for earlier, later in itertools.combinations(cluster.messages, 2)
        )
    )


def record_fact(structure: ClaimedGroup) -> dict[str, Term]:
    """The lemma by its name, as a fact for ``InductionProblem`` and ``FaultSetProver``."""
    lemma = followed_messages_do_not_overlap
    return {lemma.__name__: record_predicate(structure, lemma)}


def prove_with_two(structure: ClaimedGroup) -> tuple[str, ...]:
    """The inductive set of a structure with two followed messages, the lemma among them.

    Raises SolverGaveUpError.
    """
    facts = record_fact(structure)
    problem = InductionProblem(structure, EVERYTHING, facts=facts)
    kept, _ = problem.run_houdini((*structure.world.get_lemmas(structure), *facts))
    return tuple(kept)


COVERED = "received_in_first_life_is_held"
"""The lemma that two followed messages break, and a claim that rests on it.

A log tells which of its bytes are of a torn record by one range. With two followed messages it may
grow over one that lies whole between two torn ones. One followed message has no such neighbour: of
others the range says nothing.
"""
RESTS_ON_COVERED = {"acknowledged_is_held_twice"}


@pytest.mark.parametrize(
    "structure",
    [pytest.param(s, marks=[pytest.mark.nightly] * (s != SYNCHRONOUS_PAIR)) for s in PAIRS],
    ids=lambda s: s.name,
)
def test_two_messages_behave_as_one(structure: ClaimedGroup) -> None:
    """Every lemma is kept and every proved cell stays proved, but for what one range tells."""
    two = evolve(structure, messages=2)
    lemmas, facts = prove_with_two(two), record_fact(two)
    assert {*prove_lemmas(structure), *facts} - {COVERED} == {*lemmas} - {COVERED}
    one_prover = FaultSetProver(structure, prove_lemmas(structure))
    two_prover = FaultSetProver(two, lemmas, facts)
    for column in structure.world.fault_models:
        proved = set(one_prover.decide(column).proved)
        assert proved
        assert proved - set(two_prover.decide(column).proved) <= RESTS_ON_COVERED


def test_the_lemma_is_needed() -> None:
    """Without it a second message makes the first one look torn."""
    pair = STRUCTURES["SYNC_MASTER/SYNC_FLUSH/1 slave"]
    assert set(prove_lemmas(pair)) - set(prove_lemmas(evolve(pair, messages=2)))
