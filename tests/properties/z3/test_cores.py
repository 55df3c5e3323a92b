"""Stored cores: they prove every obligation again, are minimal, and cannot hide a gap."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import pytest
from attrs import evolve

from properties.verdicts.certificates import get_path
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.catalogue import Tag, list_tagged
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from properties.z3 import cores
from properties.z3.cores import (
    CORE_FOLDER,
    Core,
    find_cores,
    load_cores,
    read_known,
    recheck_cores,
    save_cores,
)
from properties.z3.discharge import Fact, FactKind, follows_from
from properties.z3.obligations import Obligation, ObligationKind, Proof, load_proof
from tests.structures import SYNCHRONOUS_PAIR, leave_large_to_night, name_of

ALONE = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/0 slaves"]


@cache
def make_proof(structure: ClaimedGroup) -> Proof:
    """The certified proof of a structure."""
    return load_proof(structure)


@pytest.mark.parametrize("structure", leave_large_to_night(list_tagged(Tag.CORES), 0), ids=name_of)
def test_stored_cores_prove_everything(structure: ClaimedGroup) -> None:
    """Every obligation follows from its core alone."""
    assert () == recheck_cores(make_proof(structure), load_cores(structure))


@pytest.mark.nightly
def test_every_fact_of_a_core_is_needed() -> None:
    """Without any one of its facts no core proves its obligation."""
    proof = make_proof(SYNCHRONOUS_PAIR)
    needless = [
        (str(obligation), str(fact))
        for obligation, core in load_cores(SYNCHRONOUS_PAIR).items()
        for fact in core.facts
        if follows_from(proof.pose(obligation), [f for f in core.facts if f != fact])
    ]
    assert [] == needless


def test_found_cores_prove_what_they_were_found_for() -> None:
    """The cores of a proof with a single lemma prove it, and are found again."""
    proof = Proof(ALONE, ["life_is_counted"])
    found = find_cores(proof)
    assert {"life_is_counted"} == {obligation.claim for obligation in found}
    assert () == recheck_cores(proof, found)
    assert found == find_cores(proof)


@pytest.mark.nightly
@pytest.mark.parametrize("structure", [ALONE, SYNCHRONOUS_PAIR], ids=name_of)
def test_found_cores_are_the_stored_ones(structure: ClaimedGroup) -> None:
    """Work and cores are reproduced; run python -m properties.z3.cores when this fails.

    In a process of its own: after other questions a solver may find other minimal cores.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(find_certified_cores, structure).result()
    assert found == load_cores(structure)


def find_certified_cores(structure: ClaimedGroup) -> Mapping[Obligation, Core]:
    """The cores of a structure's certified proof."""
    return find_cores(load_proof(structure))


def test_a_core_that_proves_still_is_kept() -> None:
    """Also one that is not minimal; one that does not prove, or is missing, is found anew."""
    proof = Proof(ALONE, ["life_is_counted"])
    found = find_cores(proof)
    wide, weakened, missing, *_ = [o for o, core in found.items() if core.facts]
    known = {
        **found,
        wide: Core(7, tuple(proof.pose(wide).facts)),
        weakened: evolve(found[weakened], facts=()),
    }
    del known[missing]
    again = find_cores(proof, known=known)
    assert {wide} == {o for o, core in again.items() if core != found[o]}
    assert known[wide] == again[wide]


def test_a_gap_is_noticed() -> None:
    """A missing core, a weakened one, one with a strange fact, one too many."""
    stored = load_cores(ALONE)
    missing, weakened, strange = [o for o, core in stored.items() if core.facts][:3]
    extra = Obligation(ObligationKind.CONSECUTION, "held_is_received", "no_such_rule")
    spoilt = {
        **stored,
        weakened: evolve(stored[weakened], facts=()),
        strange: Core(1, (Fact(FactKind.LEMMA, "no_such_lemma"),)),
        extra: Core(1, ()),
    }
    del spoilt[missing]
    expected = {
        missing: "no core is stored",
        weakened: "it does not follow from its core",
        strange: "there is no lemma no_such_lemma",
        extra: "there is no such obligation",
    }
    assert expected == {f.obligation: f.reason for f in recheck_cores(make_proof(ALONE), spoilt)}


def test_a_refuted_cell_has_no_core() -> None:
    """None is found, and one that is claimed is noticed whether or not the cell is asked for."""
    cell = Obligation(ObligationKind.SAFETY, "acknowledged_is_kept_on_master", "every fault")
    refuted = (cell.claim, cell.where)
    with pytest.raises(InternalDisagreementError, match=f"{cell} does not hold"):
        find_cores(Proof(ALONE, ["life_is_counted"], [refuted]))
    claimed = {**load_cores(ALONE), cell: Core(1, ())}
    for proof in (make_proof(ALONE), Proof(ALONE, (), (*make_proof(ALONE).proved, refuted))):
        assert [cell] == [failure.obligation for failure in recheck_cores(proof, claimed)]


def test_cores_survive_the_disk(tmp_path: Path) -> None:
    """What is saved is loaded again, and written the same way."""
    stored = load_cores(ALONE)
    path = save_cores(ALONE, stored, tmp_path)
    assert stored == load_cores(ALONE, tmp_path)
    assert path.read_text() == get_path(ALONE, CORE_FOLDER).read_text()


def test_missing_malformed_and_old_cores_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with what to do about it."""
    with pytest.raises(InternalDisagreementError, match="missing or malformed"):
        load_cores(ALONE, tmp_path)
    path = save_cores(ALONE, load_cores(ALONE), tmp_path)
    text = path.read_text()
    path.write_text(text.replace('"consecution"', '"guesswork"'))
    assert read_known(ALONE, tmp_path) == {}
    with pytest.raises(InternalDisagreementError, match=r"malformed .*consecution"):
        load_cores(ALONE, tmp_path)
    path.write_text(text)
    stored = load_cores(ALONE, tmp_path)
    monkeypatch.setattr(cores, "compute_digest", lambda structure: "of other rules")
    assert read_known(ALONE, tmp_path) == stored
    with pytest.raises(InternalDisagreementError, match="made from other rules"):
        load_cores(ALONE, tmp_path)


def test_every_stored_file_belongs_to_a_structure() -> None:
    """No file lies in the folder that nobody re-checks."""
    expected = {get_path(s, CORE_FOLDER) for s in list_tagged(Tag.CORES)}
    assert expected == set(CORE_FOLDER.iterdir())
