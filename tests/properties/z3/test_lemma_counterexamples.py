"""The counterexample of each lemma: judged by the reference, and found anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.verdicts import certificates
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import GUARANTEES, LEMMAS, ClaimedGroup
from properties.z3 import lemma_counterexamples
from properties.z3.lemma_counterexamples import (
    LemmaCounterexample,
    find_counterexamples,
    find_objections,
    load_counterexamples,
    load_standing,
    main,
    save_counterexamples,
    search_all,
)
from reference.language.machine import Action

UPDATE = "run python -m properties.z3.lemma_counterexamples --search; does why= still agree?"

STORED = load_counterexamples()


def test_every_lemma_has_its_counterexample() -> None:
    """None is missing and none is left over."""
    assert list(LEMMAS) == list(STORED), UPDATE


@pytest.mark.parametrize("entry", STORED.values(), ids=STORED.keys())
def test_counterexample_is_one(entry: LemmaCounterexample) -> None:
    """Only this lemma fails before; the step is possible; afterwards what is named fails."""
    assert [] == find_objections(entry)


@pytest.mark.parametrize("entry", STORED.values(), ids=STORED.keys())
def test_broken_guarantees_are_proved_otherwise(entry: LemmaCounterexample) -> None:
    """A guarantee that fails only without the lemma is certified as proved in that column."""
    document = certificates.load(entry.structure)
    assert document is not None
    words = {
        c["guarantee"]: c["verdict"]
        for c in document["cells"]
        if c["fault"] == entry.fault_model.name
    }
    assert {"proved"} >= {words[name] for name in entry.breaks if name in GUARANTEES}


STEP = next(e for e in STORED.values() if e.kind == "step")
STATE = next(e for e in STORED.values() if e.kind == "state")


@pytest.mark.parametrize(
    ("forged", "objection"),
    [
        (evolve(STATE, before={}), f"{STATE.lemma} holds before"),
        (evolve(STATE, breaks=()), "nothing breaks"),
        (evolve(STATE, breaks=("message_is_stored_once",)), "message_is_stored_once holds"),
        (evolve(STATE, before={"master.ghost_life": 1}), "life_is_counted fails before"),
        (evolve(STEP, action=Action("restart_master")), "restart_master() is refused"),
        (evolve(STEP, breaks=(STEP.lemma,)), f"{STEP.lemma} fails before the step"),
        (evolve(STEP, action=None), "holds in the end"),
    ],
    ids=["no state", "nothing", "another guarantee", "no lemma", "refused", "itself", "no step"],
)
def test_a_forged_counterexample_is_objected_to(
    forged: LemmaCounterexample, objection: str
) -> None:
    """The check can fail, for every reason that it has."""
    assert any(objection in found for found in find_objections(forged))


def test_what_stands_is_kept(tmp_path: Path) -> None:
    """Of damaged ones nothing; of whole ones whatever the reference has no objection to."""
    path = tmp_path / "stored.json"
    other = next(e for e in STORED.values() if e.kind == "state" and e != STATE)
    unproved = evolve(other, fault_model=FAULT_MODEL_BY_NAME["every fault"])
    save_counterexamples(
        STORED | {STATE.lemma: evolve(STATE, before={}), other.lemma: unproved}, path
    )
    kept = load_standing(path)
    assert kept == {n: e for n, e in STORED.items() if n not in (STATE.lemma, other.lemma)}
    path.write_text(path.read_text().replace('"breaks"', '"broke"', 1))
    assert load_standing(path) == {}


def test_without_a_proof_nothing_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a certificate is of other rules all are searched, as if none were stored."""

    def refuse(structure: ClaimedGroup) -> None:
        raise InternalDisagreementError(structure.name)

    monkeypatch.setattr(lemma_counterexamples, "load_cells", refuse)
    assert load_standing() == {}


@pytest.mark.parametrize(("words", "asked"), [((), [STATE.lemma]), (("--search",), list(LEMMAS))])
def test_only_what_does_not_stand_is_searched(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], asked: list[str]
) -> None:
    """Unless all are to be found anew."""
    standing = {n: e for n, e in STORED.items() if n != STATE.lemma}
    saved: list[Any] = []
    monkeypatch.setattr(lemma_counterexamples, "load_standing", lambda: standing)
    monkeypatch.setattr(
        lemma_counterexamples, "search_all", lambda say, lemmas: {n: STORED[n] for n in lemmas}
    )
    monkeypatch.setattr(lemma_counterexamples, "save_counterexamples", saved.append)
    assert main(words) == 0
    assert saved == [STORED]
    assert asked == [n for n in LEMMAS if n not in standing or "--search" in words]


@pytest.mark.nightly
def test_a_counterexample_is_found_anew() -> None:
    """Without slaves the search finds what is stored for that structure."""
    alone = ClaimedGroup(slaves=0)
    stored = {n: e for n, e in STORED.items() if e.structure == alone}
    found = find_counterexamples(alone)
    assert stored
    assert stored == {n: e for n, e in found.items() if n in stored}, UPDATE


@pytest.mark.nightly
def test_all_counterexamples_are_found_anew() -> None:
    """The search over all examined structures finds exactly what is stored."""
    assert search_all() == STORED, UPDATE


def test_counterexamples_survive_storage(tmp_path: Path) -> None:
    """What is written is read back."""
    save_counterexamples(STORED, tmp_path / "stored.json")
    assert load_counterexamples(tmp_path / "stored.json") == STORED
