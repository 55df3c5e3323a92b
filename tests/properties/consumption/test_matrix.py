"""The matrix of consumption: proved again, replayed again, as expected, and not vacuous."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties import certificates
from properties.consumption.world import (
    CONSUMPTION_FAULT_CLASSES,
    CONSUMPTION_STRUCTURES,
    PROGRESS_GUARANTEES,
    PROGRESS_LEMMAS,
)
from properties.expectation import find_expectation, get_expectations_file, load_expectations
from properties.fault_sets import FaultSetProver
from properties.induction import prove_lemmas
from properties.judgement import find_needless_steps, is_refuted_by
from properties.subject import get_fault_class
from properties.verdict import InternalDisagreementError, Verdict, VerdictWord, search_structure
from reference.consumption.structure import ConsumptionParameters, ConsumptionStructure
from tests.structures import name_of

DEFAULTS = CONSUMPTION_STRUCTURES[0]


def recheck(structure: ConsumptionStructure) -> tuple[Verdict, ...]:
    """The cells of a structure from its certificate."""
    document = certificates.load(structure)
    assert document is not None, "run ./rmqspec prove --search"
    return certificates.recheck(structure, ConsumptionParameters(), document)


@pytest.mark.parametrize("structure", CONSUMPTION_STRUCTURES, ids=name_of)
def test_every_lemma_is_inductive(structure: ConsumptionStructure) -> None:
    """Whatever strikes."""
    assert set(PROGRESS_LEMMAS) == set(prove_lemmas(structure))


@pytest.mark.parametrize("structure", CONSUMPTION_STRUCTURES, ids=name_of)
def test_every_cell_is_as_expected(structure: ConsumptionStructure) -> None:
    """None is undecided, and each has its reason."""
    cells = recheck(structure)
    assert len(cells) == len(PROGRESS_GUARANTEES) * len(CONSUMPTION_FAULT_CLASSES)
    for v in cells:
        expected = find_expectation(v.guarantee, structure, v.fault)
        assert expected.verdict is v.word, (v.guarantee, v.fault)
        assert expected.reason


@pytest.mark.parametrize("structure", CONSUMPTION_STRUCTURES, ids=name_of)
def test_schedules_are_minimal(structure: ConsumptionStructure) -> None:
    """From no refuting schedule can a step be left out."""
    for v in recheck(structure):
        limits = get_fault_class(structure, v.fault).search_limits
        parameters = evolve(ConsumptionParameters(), limits=limits)
        if v.word is VerdictWord.REFUTED:
            assert is_refuted_by(v.guarantee, structure, parameters, v.schedule)
            assert [] == find_needless_steps(
                v.schedule,
                lambda trial, v=v, p=parameters: is_refuted_by(v.guarantee, structure, p, trial),  # type: ignore[misc]
            )


@pytest.mark.parametrize("structure", CONSUMPTION_STRUCTURES, ids=name_of)
def test_more_faults_never_help(structure: ConsumptionStructure) -> None:
    """What is refuted under fewer faults is refuted under more, in as few steps."""
    cells = {(v.guarantee, v.fault): v for v in recheck(structure)}
    for weaker in CONSUMPTION_FAULT_CLASSES:
        for stronger in CONSUMPTION_FAULT_CLASSES:
            if weaker.is_contained_in(stronger):
                for name in PROGRESS_GUARANTEES:
                    if cells[name, weaker.name].word is VerdictWord.REFUTED:
                        found = cells[name, stronger.name].schedule
                        assert 0 < len(found) <= len(cells[name, weaker.name].schedule)


def test_every_expectation_decides_a_cell() -> None:
    """No entry of the expectations is dead."""
    used = {
        find_expectation(g, s, c.name)
        for g in PROGRESS_GUARANTEES
        for s in CONSUMPTION_STRUCTURES
        for c in CONSUMPTION_FAULT_CLASSES
    }
    assert set(load_expectations(get_expectations_file(DEFAULTS))) == used


def test_the_search_finds_the_certificate_anew() -> None:
    """The same verdicts, and schedules of the same length."""
    stored = {(v.guarantee, v.fault): (v.word, v.steps) for v in recheck(DEFAULTS)}
    found = search_structure(DEFAULTS)
    assert stored == {(v.guarantee, v.fault): (v.word, v.steps) for v in found}


@pytest.mark.parametrize("left_out", PROGRESS_LEMMAS)
def test_every_lemma_is_needed(left_out: str) -> None:
    """Without it something is not proved any more: a guarantee in a column, or another lemma."""
    others = [name for name in PROGRESS_LEMMAS if name != left_out]

    def prove(structure: ConsumptionStructure, names: list[str]) -> tuple[set[str], set[object]]:
        kept = prove_lemmas(structure, names)
        prover = FaultSetProver(structure, kept)
        cells = {(c.name, g) for c in CONSUMPTION_FAULT_CLASSES for g in prover.decide(c).proved}
        return set(kept), set(cells)

    lost = False
    for structure in CONSUMPTION_STRUCTURES:
        kept, cells = prove(structure, others)
        _, all_cells = prove(structure, list(PROGRESS_LEMMAS))
        lost = lost or kept != set(others) or cells != all_cells
    assert lost


def test_a_forged_proof_is_refused() -> None:
    """A refuted cell that a certificate calls proved is a disagreement."""
    document = certificates.load(DEFAULTS)
    assert document is not None
    cell = next(c for c in document["cells"] if c["verdict"] == "refuted")
    cell["verdict"] = "proved"
    with pytest.raises(InternalDisagreementError, match="certified, not proved"):
        certificates.recheck(DEFAULTS, ConsumptionParameters(), document)
