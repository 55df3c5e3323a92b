"""Fault sets: nothing is forgotten, nothing is claimed that the table denies."""

from __future__ import annotations

import random
from itertools import chain, combinations
from pathlib import Path

import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.verdicts import certificates
from properties.verdicts.fault_sets.certificates import (
    find_flaw,
    load_borders,
    recheck_borders,
    save_borders,
)
from properties.verdicts.fault_sets.search import find_border, find_borders, find_refutations
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FOUR_FILES
from properties.z3 import induction
from properties.z3.fault_sets import (
    Border,
    FaultSet,
    FaultSetProver,
    Refutation,
    compute_faults,
    find_unexplored,
    get_all_faults,
)
from properties.z3.induction import SolverGaveUpError, prove_lemmas
from tests.structures import SYNCHRONOUS_PAIR, name_of

KILL = FAULT_MODEL_BY_NAME["master kill"]
ALL_FAULTS = get_all_faults(SYNCHRONOUS_PAIR)
CONSUMER = STRUCTURES["reading/open slow/no offset check/last"]
ALONE = next(s for s in list_tagged(Tag.FAULT_SETS) if s.slaves == 0)


@pytest.mark.parametrize(
    "structure",
    [
        pytest.param(s, marks=[pytest.mark.nightly] * s.name.startswith("system/"))
        for s in list_tagged(Tag.FAULT_SETS)
    ],
    ids=name_of,
)
def test_every_mixture_of_faults_is_decided(structure: ClaimedStructure) -> None:
    """Proved again or replayed again, and no set of faults lies between, but of the system."""
    undecided = [b.guarantee for b in recheck_borders(structure) if b.undecided]
    assert undecided == [] or structure not in list_tagged(Tag.SMALL)


@pytest.mark.parametrize("structure", list_tagged(Tag.FAULT_SETS), ids=name_of)
def test_borders_agree_with_the_table(structure: ClaimedStructure) -> None:
    """A column is proved exactly when its faults lie on the survived side."""
    borders = {b.guarantee: b for b in load_borders(structure)}
    document = certificates.load(structure)
    assert document is not None
    columns = {c.name: frozenset(c.admitted) for c in structure.world.fault_models}
    for cell in certificates.decode_cells(structure, document):
        border, faults = borders[cell.guarantee], columns[cell.fault]
        is_survived = any(faults <= survived for survived in border.proved)
        is_fatal = any(r.faults <= faults for r in border.refuted)
        assert (cell.word is VerdictWord.PROVED, cell.word is VerdictWord.REFUTED) == (
            is_survived,
            is_fatal,
        ), cell


@pytest.mark.parametrize("structure", [SYNCHRONOUS_PAIR, CONSUMER], ids=name_of)
def test_both_sides_are_tight(structure: ClaimedStructure) -> None:
    """Every fault more than a survived set is fatal, every fault less than a fatal one survived."""
    for border in load_borders(structure):
        fatal = [r.faults for r in border.refuted]
        for survived in border.proved:
            for fault in get_all_faults(structure) - survived:
                assert any(f <= survived | {fault} for f in fatal), (border.guarantee, fault)
        for faults in fatal:
            for fault in faults:
                assert any(faults - {fault} <= p for p in border.proved), (border.guarantee, fault)


@pytest.mark.parametrize("seed", range(20))
def test_a_set_on_neither_side_is_found_exactly_when_there_is_one(seed: int) -> None:
    """Compared with trying every set, one after another."""
    draw = random.Random(seed)
    names = sorted(ALL_FAULTS)

    def draw_sets(size: int) -> list[FaultSet]:
        return [frozenset(draw.sample(names, size)) for _ in range(draw.randrange(4))]

    below = [ALL_FAULTS - gone for gone in draw_sets(2)]
    above = [frozenset({name}) for name in draw.sample(names, draw.choice((0, 8, 14)))]
    above += draw_sets(2)
    everything = chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))
    expected = any(
        not any(set(faults) <= lower for lower in below)
        and not any(upper <= set(faults) for upper in above)
        for faults in everything
    )
    found = find_unexplored(ALL_FAULTS, below, above)
    assert expected == (found is not None)
    if found is not None:
        assert not any(found <= lower for lower in below)
        assert not any(upper <= found for upper in above)


@pytest.mark.parametrize("structure", [ALONE, CONSUMER], ids=name_of)
def test_without_known_schedules_exactly_the_fatal_sets_are_open(
    structure: ClaimedStructure,
) -> None:
    """Proofs alone already show the border: what they leave open is what schedules refute."""
    prover = FaultSetProver(structure, prove_lemmas(structure))
    for border in load_borders(structure):
        alone = find_border(prover, border.guarantee, {})
        assert set(border.proved) == set(alone.proved)
        assert {r.faults for r in border.refuted} == set(alone.undecided)


@pytest.mark.nightly
def test_the_search_finds_what_no_schedule_shows() -> None:
    """From nothing but the schedules of one guarantee, the fatal sets of all others."""
    borders = load_borders(CONSUMER)
    known = [r.schedule for r in borders[0].refuted]
    for stored, found in zip(borders, find_borders(CONSUMER, known), strict=True):
        assert (stored.proved, found.undecided) == (found.proved, ())
        assert {r.faults for r in stored.refuted} == {r.faults for r in found.refuted}


def test_known_schedules_show_the_fatal_sets() -> None:
    """The schedules of the borders, and nothing else, give their own fault sets again."""
    borders = load_borders(SYNCHRONOUS_PAIR)
    known = [r.schedule for b in borders for r in b.refuted]
    found = find_refutations(SYNCHRONOUS_PAIR, known, FOUR_FILES)
    for border in borders:
        assert {r.faults for r in border.refuted} == set(found[border.guarantee])
        for faults, schedule in found[border.guarantee].items():
            assert faults == compute_faults(SYNCHRONOUS_PAIR, schedule)


def forge_proof(border: Border) -> Border:
    """Every fault at once is said to be survived."""
    return evolve(border, proved=(ALL_FAULTS,))


def forge_refutation(border: Border) -> Border:
    """A schedule is said to need no fault."""
    return evolve(border, refuted=(Refutation(frozenset(), border.refuted[0].schedule),))


def forget_a_set(border: Border) -> Border:
    """A fatal set is left out."""
    return evolve(border, refuted=border.refuted[1:])


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (forge_proof, "not proved under"),
        (forge_refutation, "not refuted under no fault"),
        (forget_a_set, "nothing is said of"),
    ],
)
def test_forged_borders_are_refused(forge: object, reason: str) -> None:
    """A wrong proof, a wrong schedule, a gap."""
    prover = FaultSetProver(SYNCHRONOUS_PAIR, prove_lemmas(SYNCHRONOUS_PAIR))
    border = next(
        b for b in load_borders(SYNCHRONOUS_PAIR) if b.guarantee == "acknowledgement_is_truthful"
    )
    assert "" == find_flaw(prover, border)
    assert callable(forge)
    assert find_flaw(prover, forge(border)).startswith(reason)


def test_missing_borders_say_what_to_do(tmp_path: Path) -> None:
    """No file, and a file without some guarantee."""
    with pytest.raises(InternalDisagreementError, match=r"prove --fault-sets --search"):
        load_borders(ALONE, tmp_path)
    save_borders({ALONE: load_borders(ALONE)[1:]}, tmp_path)
    with pytest.raises(InternalDisagreementError, match="some guarantees are missing"):
        recheck_borders(ALONE, tmp_path)


def test_giving_up_is_not_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that holds is not proved by a solver that runs out of its work limit."""
    lemmas, claim = prove_lemmas(ALONE), "acknowledged_is_kept_on_master"
    faults = frozenset(KILL.admitted)
    assert FaultSetProver(ALONE, lemmas).find_survived(claim, faults) is not None
    monkeypatch.setattr(induction, "RLIMIT_PER_QUERY", 10)
    with pytest.raises(SolverGaveUpError):
        FaultSetProver(ALONE, lemmas).find_survived(claim, faults)


def test_what_is_remembered_of_one_set_is_no_answer_about_others() -> None:
    """More faults break what fewer leave, and fewer leave what more break, in either order."""
    claim, few, all_faults = (
        "acknowledged_is_kept_on_master",
        frozenset(KILL.admitted),
        get_all_faults(ALONE),
    )
    lemmas = prove_lemmas(ALONE)
    for order in ((few, all_faults), (all_faults, few)):
        prover = FaultSetProver(ALONE, lemmas)
        found = {faults: prover.find_survived(claim, faults) for faults in order}
        assert found[all_faults] is None
        assert found[few] is not None
        assert few <= found[few]
