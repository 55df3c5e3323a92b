"""The matrix of each world: proved again, replayed again, as expected, and not vacuous."""

from __future__ import annotations

from functools import cache

import pytest

from properties.language.world import ClaimedStructure, World
from properties.schedules.judgement import find_needless_steps, is_refuted_by
from properties.verdicts import certificates
from properties.verdicts.expectations import (
    find_expectation,
    get_expectations_file,
    load_expectations,
)
from properties.verdicts.verdict import (
    InternalDisagreementError,
    Verdict,
    VerdictWord,
    search_structure,
)
from properties.worlds.catalogue import OTHER_WORLDS, list_other_structures
from properties.worlds.reading.world import LATER_READERS
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import prove_lemmas
from tests.structures import name_of

LATER = [
    pytest.param(s, marks=[pytest.mark.nightly] * (s is not LATER_READERS[-1]))
    for s in LATER_READERS
]
"""Later releases: one by day, at night all."""
of_structures = pytest.mark.parametrize(
    "structure", [*list_other_structures(), *LATER], ids=name_of
)
of_worlds = pytest.mark.parametrize("world", OTHER_WORLDS, ids=name_of)
LEMMAS = [(world, name) for world in OTHER_WORLDS for name in world.lemmas]


@cache
def recheck(structure: ClaimedStructure) -> tuple[Verdict, ...]:
    """The cells of a structure from its certificate."""
    document = certificates.load(structure)
    assert document is not None, "run ./rmqspec prove --search"
    return certificates.recheck(structure, structure.world.sizes.search, document)


@of_structures
def test_every_cell_is_as_expected(structure: ClaimedStructure) -> None:
    """None is undecided, and each has its reason."""
    cells = recheck(structure)
    assert len(cells) == len(structure.world.claims) * len(structure.world.fault_models)
    for v in cells:
        expected = find_expectation(v.guarantee, structure, v.fault)
        assert expected.verdict is v.word, (v.guarantee, v.fault)
        assert expected.reason


@of_structures
def test_every_lemma_is_inductive(structure: ClaimedStructure) -> None:
    """Whatever strikes; after the cells, whose check has proved them."""
    assert set(structure.world.get_lemmas(structure)) == set(prove_lemmas(structure))


@of_structures
def test_schedules_are_minimal(structure: ClaimedStructure) -> None:
    """From no refuting schedule can a step be left out."""
    for v in recheck(structure):
        world = structure.world
        parameters = world.make_search_parameters(world.get_fault_model(v.fault))
        if v.word is VerdictWord.REFUTED:
            assert is_refuted_by(v.guarantee, structure, parameters, v.schedule)
            assert [] == find_needless_steps(
                v.schedule,
                lambda trial, v=v, p=parameters: is_refuted_by(v.guarantee, structure, p, trial),  # type: ignore[misc]
            )


@of_structures
def test_more_faults_never_help(structure: ClaimedStructure) -> None:
    """What is refuted under fewer faults is refuted under more, in as few steps."""
    cells = {(v.guarantee, v.fault): v for v in recheck(structure)}
    columns = structure.world.fault_models
    for weaker in columns:
        for stronger in columns:
            if weaker.is_contained_in(stronger):
                for name in structure.world.claims:
                    if cells[name, weaker.name].word is VerdictWord.REFUTED:
                        found = cells[name, stronger.name].schedule
                        assert 0 < len(found) <= len(cells[name, weaker.name].schedule)


@of_worlds
def test_every_expectation_decides_a_cell(world: World) -> None:
    """No entry of the expectations is dead."""
    used = {
        find_expectation(g, s, c.name)
        for g in world.claims
        for s in (*world.structures, *LATER_READERS)
        for c in world.fault_models
        if s.world is world
    }
    assert set(load_expectations(get_expectations_file(world.structures[0]))) == used


@pytest.mark.nightly
@of_worlds
def test_the_search_finds_the_certificate_anew(world: World) -> None:
    """The same verdicts, and schedules of the same length."""
    shown = world.structures[0]
    stored = {(v.guarantee, v.fault): (v.word, v.steps) for v in recheck(shown)}
    found = search_structure(shown)
    assert stored == {(v.guarantee, v.fault): (v.word, v.steps) for v in found}


@pytest.mark.nightly
@pytest.mark.parametrize(("world", "left_out"), LEMMAS, ids=name_of)
def test_every_lemma_is_needed(world: World, left_out: str) -> None:
    """Without it something is not proved any more: a guarantee in a column, or another lemma."""
    others = [name for name in world.lemmas if name != left_out]
    assert any(
        set(others) != set(prove_lemmas(structure, others))
        or prove_cells(structure, others) != prove_cells(structure, list(world.lemmas))
        for structure in world.structures
    )


def prove_cells(structure: ClaimedStructure, lemmas: list[str]) -> set[tuple[str, str]]:
    """The cells that are proved with these lemmas."""
    prover = FaultSetProver(structure, prove_lemmas(structure, lemmas))
    return {(c.name, g) for c in structure.world.fault_models for g in prover.decide(c).proved}


@of_worlds
def test_a_forged_proof_is_refused(world: World) -> None:
    """A refuted cell that a certificate calls proved is a disagreement."""
    kept = ((each, certificates.load(each)) for each in world.structures)
    shown, document, cell = next(
        (each, document, cell)
        for each, document in kept
        if document is not None
        for cell in document["cells"]
        if cell["verdict"] == "refuted"
    )
    cell["verdict"] = "proved"
    with pytest.raises(InternalDisagreementError, match="certified, not proved"):
        certificates.recheck(shown, shown.world.sizes.search, document)
