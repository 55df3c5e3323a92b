"""Certificates as artefacts: all are listed, and a changed verdict is a finding."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

from command_line.renewal import certified
from command_line.renewal.artefact import NotRenewedError
from command_line.renewal.certified import (
    list_certificates,
    list_certified,
    list_unexpected,
    make_certificate,
    name_certificate,
)
from command_line.renewal.walk import sort_by_needs
from properties.verdicts import certificates
from properties.verdicts.fingerprint import FingerprintDifference
from properties.verdicts.renewal import Renewal
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.structures import STOCK_PAIR
from reference.releases.versions import apply_rule_set

CLAIM, FAULT = "acknowledged_is_kept_on_master", "none"


def test_every_certificate_is_an_artefact() -> None:
    """No file is of a structure that nobody renews, and no structure lacks its file."""
    listed = {certificates.get_path(structure) for structure in list_certified()}
    stored = {
        path
        for path in certificates.CERTIFICATE_FOLDER.rglob("*.json")
        if "inductive_set" in json.loads(path.read_text())
    }
    assert stored == listed


def test_smaller_groups_and_releases_come_first() -> None:
    """Every certificate that another needs is listed, and stands before it."""
    order = [each.name for each in sort_by_needs(list_certificates(is_accepting=False))]
    at = {name: number for number, name in enumerate(order)}
    needing = [each for each in list_certificates(is_accepting=False) if each.needs]
    assert len(needing) > 100
    for each in needing:
        assert all(at[name] < at[each.name] for name in each.needs)
    three = next(s for s in list_certified() if s.name == "SYNC_MASTER/ASYNC_FLUSH/3 slaves")
    two = evolve(three, slaves=2)
    (artefact,) = (each for each in needing if each.name == name_certificate(three))
    assert (name_certificate(two),) == artefact.needs


@pytest.fixture(name="saved")
def _change_a_verdict(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Verdict, ...]]:
    """A renewal of the stock pair in which one proof became a refutation; what is saved of it."""
    cells = tuple(certificates.load_cells(STOCK_PAIR).values())
    old = next(v for v in cells if (v.guarantee, v.fault) == (CLAIM, FAULT))
    assert old.word is VerdictWord.PROVED
    schedule = next(v.schedule for v in cells if v.schedule)
    new = Verdict(CLAIM, FAULT, VerdictWord.REFUTED, schedule)
    verdicts = tuple(new if v is old else v for v in cells)
    difference = FingerprintDifference(False, ("append_message",), (), (), ())
    renewal = Renewal(difference, verdicts, 0, 0, ((old, new),))
    saved: list[tuple[Verdict, ...]] = []
    monkeypatch.setattr(certified, "renew", lambda *_, **__: renewal)
    monkeypatch.setattr(certificates, "save", lambda _, verdicts: saved.append(verdicts))
    return saved


def say(_text: str) -> None:
    """Nobody listens."""


def test_a_changed_verdict_is_not_written_unasked(saved: list[Any]) -> None:
    """It is counted, shown, and the message says what writes it."""
    with pytest.raises(NotRenewedError) as caught:
        make_certificate(STOCK_PAIR, say, is_accepting=False)
    told = str(caught.value)
    assert told.startswith(f"1 cells: proved -> refuted: {CLAIM} under {FAULT}, by ")
    assert told.endswith("renew --accept` writes that")
    assert saved == []


def test_an_accepted_verdict_is_written_and_its_expectation_asked_for(saved: list[Any]) -> None:
    """The entry to add is shown."""
    with pytest.raises(NotRenewedError) as caught:
        make_certificate(STOCK_PAIR, say, is_accepting=True)
    assert len(saved) == 1
    told = str(caught.value)
    assert told.startswith(f"{CLAIM} under {FAULT} is refuted, expected proved: edit ")
    assert "edit properties/worlds/replication/reasons/expected_verdicts.toml, for" in told
    assert f"guarantee = {CLAIM!r}, verdict = 'refuted', faults = [{FAULT!r}]" in told


def test_the_shipped_verdicts_are_expected() -> None:
    """So an expectation that disagrees makes a certificate stale."""
    cells = tuple(certificates.load_cells(STOCK_PAIR).values())
    assert [] == list_unexpected(STOCK_PAIR, cells)
    turned = tuple(evolve(v, word=VerdictWord.UNDECIDED) for v in cells)
    assert len(cells) == len(list_unexpected(STOCK_PAIR, turned))


def test_an_entry_about_a_later_release_names_it() -> None:
    """Or else it would decide for all releases."""
    later = apply_rule_set(STOCK_PAIR, "4.6.0")
    turned = [
        evolve(v, word=VerdictWord.UNDECIDED) for v in certificates.load_cells(later).values()
    ]
    assert "releases = ['4.6.0'] with its reason" in list_unexpected(later, turned)[0]
    told = [
        evolve(v, word=VerdictWord.UNDECIDED) for v in certificates.load_cells(STOCK_PAIR).values()
    ]
    assert "releases" not in list_unexpected(STOCK_PAIR, told)[0]
