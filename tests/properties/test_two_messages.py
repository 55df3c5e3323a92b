"""What is proved of one followed message is proved of two."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.fault_sets import FaultSetProver
from properties.induction import prove_lemmas
from properties.two_messages import prove_with_two, record_fact
from properties.worlds import STRUCTURES, find_world
from reference.structure import Structure

PAIRS = tuple(s for name, s in STRUCTURES.items() if name.endswith("_FLUSH/1 slave"))


@pytest.mark.parametrize("structure", PAIRS, ids=lambda s: s.name)
def test_two_messages_behave_as_one(structure: Structure) -> None:
    """Every lemma is kept and every proved cell stays proved."""
    two = evolve(structure, messages=2)
    lemmas, facts = prove_with_two(two), record_fact(two)
    assert {*prove_lemmas(structure), *facts} == set(lemmas)
    one_prover = FaultSetProver(structure, prove_lemmas(structure))
    two_prover = FaultSetProver(two, lemmas, facts)
    for column in find_world(structure).columns:
        proved = set(one_prover.decide(column).proved)
        assert proved
        assert proved <= set(two_prover.decide(column).proved)


def test_the_lemma_is_needed() -> None:
    """Without it a second message makes the first one look torn."""
    pair = STRUCTURES["SYNC_MASTER/SYNC_FLUSH/1 slave"]
    assert set(prove_lemmas(pair)) - set(prove_lemmas(evolve(pair, messages=2)))
