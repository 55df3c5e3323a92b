"""Which verdicts from put to consumed are about groups that begin at the last offset."""

from __future__ import annotations

import pytest

from properties.scenarios.analysis.system import ABOUT_POSITIONS, begin_at_last, decide_system
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.system.world import SYSTEM_STRUCTURES, ClaimedSystem
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import prove_lemmas

every_structure = pytest.mark.parametrize("structure", SYSTEM_STRUCTURES, ids=lambda s: s.name)


@every_structure
def test_only_what_is_shown_for_them_stands(structure: ClaimedSystem) -> None:
    """Schedules that refute there too, and no proof about positions; the rest is open, and why."""
    certified = load_cells(structure)
    assert decide_system(structure, is_from_first=True) == tuple(certified.values())
    for verdict in decide_system(structure, is_from_first=False):
        was = certified[verdict.guarantee, verdict.fault]
        if verdict.word is VerdictWord.REFUTED:
            assert is_possible(structure, verdict)
        elif verdict.word is VerdictWord.PROVED:
            assert verdict == was
            assert was.is_vacuous or was.guarantee not in ABOUT_POSITIONS
        else:
            assert was.word is VerdictWord.UNDECIDED or verdict.note


def is_possible(structure: ClaimedSystem, verdict: Verdict) -> bool:
    """The schedule refutes the claim for a group that begins at the last offset."""
    world = structure.world
    parameters = world.make_search_parameters(world.get_fault_model(verdict.fault))
    last = begin_at_last(structure)
    return is_refuted_by(verdict.guarantee, last, parameters, verdict.schedule)


@pytest.mark.nightly
@every_structure
def test_other_proofs_do_not_need_the_beginning(structure: ClaimedSystem) -> None:
    """They are made again for groups that begin at the last offset."""
    last = begin_at_last(structure)
    prover = FaultSetProver(last, prove_lemmas(last))
    proved = {c.name: prover.decide(c).proved for c in last.world.fault_models}
    for verdict in decide_system(structure, is_from_first=False):
        if verdict.word is VerdictWord.PROVED:
            assert verdict.guarantee in proved[verdict.fault]
