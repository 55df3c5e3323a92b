"""Certificates against breadth-first search: agreement, and disagreements that are noticed."""

from __future__ import annotations

import pytest

from properties.language.world import ClaimedStructure
from properties.verdicts import certificates
from properties.verdicts.certificates import encode_schedule
from properties.verdicts.verdict import InternalDisagreementError, Verdict, VerdictWord
from properties.worlds.reading.world import READERS
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FAULT_MODELS
from reference.language.machine import Action
from spark_fuzz.search import cross_check as subject
from spark_fuzz.search.breadth_first import ShortestAnswer
from spark_fuzz.search.cross_check import (
    Agreement,
    CrossCheck,
    compare_with_certificate,
    cross_check,
)
from tests.spark_fuzz.state_counts import MASTER_ALONE
from tests.structures import GROUPS, OTHER_STRUCTURES, SYNCHRONOUS_PAIR, name_of

STEP = Action("flush_master")
ONCE = "message_is_stored_once"
NO_FAULT = FAULT_MODEL_BY_NAME["none"]


def make_row(
    certified: int | None,
    found: int | None,
    depth: int,
    *,
    is_complete: bool = False,
    is_shortest: bool = True,
) -> CrossCheck:
    """A row from numbers of steps; None for no schedule."""
    word = VerdictWord.PROVED if certified is None else VerdictWord.REFUTED
    verdict = Verdict(ONCE, "none", word, (STEP,) * (certified or 0), is_shortest=is_shortest)
    schedule = None if found is None else (STEP,) * found
    return CrossCheck("group", verdict, ShortestAnswer(ONCE, schedule, depth), is_complete, 9)


@pytest.mark.parametrize(
    ("row", "agreement"),
    [
        (make_row(3, 3, 3), Agreement.CONFIRMED),
        (make_row(3, 2, 2), Agreement.DISAGREEMENT),
        (make_row(3, 4, 4), Agreement.DISAGREEMENT),
        (make_row(3, 2, 2, is_shortest=False), Agreement.CONFIRMED),
        (make_row(3, 4, 4, is_shortest=False), Agreement.DISAGREEMENT),
        (make_row(3, None, 2), Agreement.NOT_REACHED),
        (make_row(3, None, 3), Agreement.DISAGREEMENT),
        (make_row(3, None, 2, is_complete=True), Agreement.DISAGREEMENT),
        (make_row(None, None, 5), Agreement.NOT_CONTRADICTED),
        (make_row(None, None, 5, is_complete=True), Agreement.CONFIRMED),
        (make_row(None, 5, 5), Agreement.DISAGREEMENT),
    ],
)
def test_agreement_follows_from_lengths(row: CrossCheck, agreement: Agreement) -> None:
    """A shorter schedule, a longer one, none where there should be one, one of a proved cell."""
    assert row.agreement is agreement


def test_every_cell_of_a_lonely_master_agrees() -> None:
    """A small budget confirms cells of every word and contradicts none."""
    rows = list(cross_check([MASTER_ALONE.name], states_max=20_000))
    assert len(rows) == len({(r.certified.guarantee, r.certified.fault) for r in rows})
    assert {r.certified.fault for r in rows} == {c.name for c in FAULT_MODELS}
    assert [r.describe() for r in rows if r.agreement is Agreement.DISAGREEMENT] == []
    confirmed = {r.certified.word for r in rows if r.agreement is Agreement.CONFIRMED}
    assert confirmed == {VerdictWord.PROVED, VerdictWord.REFUTED}


@pytest.mark.nightly
def test_synchronous_pair_agrees_on_disk_errors() -> None:
    """Some refuted cells of the stock pair are confirmed within a small budget."""
    rows = compare_with_certificate(
        SYNCHRONOUS_PAIR, FAULT_MODEL_BY_NAME["disk errors"], states_max=400_000
    )
    assert [r.describe() for r in rows if r.agreement is Agreement.DISAGREEMENT] == []
    confirmed = {r.certified.guarantee for r in rows if r.agreement is Agreement.CONFIRMED}
    assert "slave_is_prefix_of_master" in confirmed


@pytest.mark.nightly
@pytest.mark.parametrize("structure", READERS[-1:], ids=name_of)
def test_every_cell_of_a_consumer_agrees(structure: ClaimedStructure) -> None:
    """A small budget confirms most of the refuted cells, and contradicts none at all."""
    rows = list(cross_check([structure.name], states_max=500_000))
    names = {(n, c.name) for n in structure.world.guarantees for c in structure.world.fault_models}
    assert names == {(r.certified.guarantee, r.certified.fault) for r in rows}
    assert [r.describe() for r in rows if r.agreement is Agreement.DISAGREEMENT] == []
    refuted = [r.agreement for r in rows if r.certified.word is VerdictWord.REFUTED]
    assert refuted.count(Agreement.CONFIRMED) > len(refuted) / 2
    assert any(r.certified.word is VerdictWord.PROVED for r in rows)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "structure", [s for s in GROUPS if s.slaves <= 1] + OTHER_STRUCTURES, ids=name_of
)
def test_no_certificate_is_contradicted(structure: ClaimedStructure) -> None:
    """Every cell of the smaller groups, within a larger budget."""
    rows = list(cross_check([structure.name], states_max=2_000_000))
    assert [r.describe() for r in rows if r.agreement is Agreement.DISAGREEMENT] == []


def test_wrong_certificate_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule with a needless step, and a refuted cell that calls itself proved."""
    document = certificates.load(MASTER_ALONE)
    assert document is not None
    cells = {(c["guarantee"], c["fault"]): c for c in document["cells"]}
    needless = encode_schedule((Action("begin_master_stop"),))
    for long in (cell for (claim, _), cell in cells.items() if claim == ONCE):
        long["schedule"] = [*needless, *long["schedule"]]
        long["is_shortest"] = True
    monkeypatch.setattr(subject, "load", lambda structure: document)
    rows = compare_with_certificate(MASTER_ALONE, FAULT_MODEL_BY_NAME["none"], 20_000)
    wrong = [r for r in rows if r.agreement is Agreement.DISAGREEMENT]
    assert [r.certified.guarantee for r in wrong] == [ONCE]
    assert "send_again[0]" in wrong[0].describe()
    cells[ONCE, "master kill"] |= {"verdict": "proved", "schedule": []}
    with pytest.raises(InternalDisagreementError, match="contradicts itself"):
        compare_with_certificate(MASTER_ALONE, FAULT_MODEL_BY_NAME["master kill"], 20_000)


def test_without_a_certificate_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says so."""
    monkeypatch.setattr(subject, "load", lambda structure: None)
    with pytest.raises(InternalDisagreementError, match="no certificate"):
        compare_with_certificate(MASTER_ALONE, NO_FAULT)


@pytest.mark.nightly
def test_a_large_group_is_contradicted_by_no_search() -> None:
    """Its certificate claims no shortest schedules; what is found is no longer than those."""
    rows = compare_with_certificate(GROUPS[-1], FAULT_MODEL_BY_NAME["late join"], 3_000)
    assert [r.describe() for r in rows if r.agreement is Agreement.DISAGREEMENT] == []
    assert {r.certified.is_shortest for r in rows} == {True, False}
