"""What is proved of one followed message is proved of two."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.fault_sets import FaultSetProver
from properties.induction import prove_lemmas
from properties.subject import get_fault_classes
from properties.two_messages import TWO_MESSAGE_LEMMAS
from properties.worlds import STRUCTURES

PAIRS = tuple(s for name, s in STRUCTURES.items() if name.endswith("_FLUSH/1 slave"))


@pytest.mark.parametrize("structure", PAIRS, ids=lambda s: s.name)
def test_two_messages_behave_as_one(structure: object) -> None:
    """Every lemma is kept and every proved cell stays proved."""
    two = evolve(structure, messages=2)
    lemmas = prove_lemmas(two)
    assert {*prove_lemmas(structure), *TWO_MESSAGE_LEMMAS} == set(lemmas)
    one_prover = FaultSetProver(structure, prove_lemmas(structure))
    two_prover = FaultSetProver(two, lemmas)
    for column in get_fault_classes(structure):
        proved = set(one_prover.decide(column).proved)
        assert proved
        assert proved <= set(two_prover.decide(column).proved)


def test_the_lemma_is_needed() -> None:
    """Without it a second message makes the first one look torn."""
    two = evolve(STRUCTURES["SYNC_MASTER/SYNC_FLUSH/1 slave"], messages=2)
    without = [n for n in prove_lemmas(two) if n not in TWO_MESSAGE_LEMMAS]
    assert set(without) - set(prove_lemmas(two, without))
