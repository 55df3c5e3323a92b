"""Answers about rules that were changed a moment ago: renewed in memory, said aloud, not stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from properties.verdicts import certificates, renewal
from properties.verdicts.changed_rules import renew_when_loaded
from properties.verdicts.verdict import VerdictWord
from properties.worlds.toy import TOY
from reference.language.operators import negate
from reference.worlds.toy import Tank

TANK = TOY.structures[0]
LEAKS = ("tank_never_leaks", "every fault")


def never(tank: Tank, named: dict[str, Any]) -> dict[str, Any]:
    """It never happens."""
    return {**named, "is_open": tank.is_open, "is_closed": negate(tank.is_open)}


def only_open(tank: Tank, named: dict[str, Any]) -> dict[str, Any]:
    """It happens only while the tap is open."""
    return {**named, "is_open": tank.is_open}


def load_by_cell(folder: Path) -> dict[tuple[str, str], Any]:
    """The verdicts that a program reads."""
    document = certificates.load(TANK, folder)
    assert document is not None
    cells = certificates.decode_cells(TANK, document)
    return {(cell.guarantee, cell.fault): cell for cell in cells}


@pytest.mark.usefixtures("document")
def test_a_stale_certificate_is_renewed_and_not_stored(
    change: Callable[[str, Any], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is as a renewal leaves it, once for a run; the file stays what it was; what is said."""
    before = certificates.get_path(TANK, tmp_path).read_bytes()
    change("leak", only_open)
    assert certificates.load(TANK, tmp_path) is None
    said: list[str] = []
    with renew_when_loaded(partial(renewal.renew_for_answer, say=said.append)):
        cells = load_by_cell(tmp_path)
        monkeypatch.setattr(renewal, "renew", None)
        assert load_by_cell(tmp_path) == cells
    assert cells[LEAKS].word is VerdictWord.REFUTED
    assert [text for text in said if "leak" in text and "not stored" in text] == said
    assert len(said) == 1
    assert certificates.get_path(TANK, tmp_path).read_bytes() == before
    assert certificates.load(TANK, tmp_path) is None


@pytest.mark.usefixtures("document")
def test_a_verdict_that_turns_has_no_old_reason(
    change: Callable[[str, Any], None], tmp_path: Path
) -> None:
    """What was refuted, and is not any more, says so itself; the others say nothing."""
    old = load_by_cell(tmp_path)
    change("leak", never)
    with renew_when_loaded(partial(renewal.renew_for_answer, say=lambda text: None)):
        cells = load_by_cell(tmp_path)
    assert cells[LEAKS].word is VerdictWord.UNDECIDED
    assert cells[LEAKS].note == "rules have changed; it was refuted before"
    turned = {name for name, cell in cells.items() if cell.word is not old[name].word}
    assert {name for name, cell in cells.items() if cell.note} == turned


def test_a_current_certificate_is_not_renewed(document: dict[str, Any], tmp_path: Path) -> None:
    """It is read as it is, and nothing is said."""
    said: list[str] = []
    with renew_when_loaded(partial(renewal.renew_for_answer, say=said.append)):
        assert certificates.load(TANK, tmp_path) == document
    assert not said


def test_a_damaged_certificate_is_no_hint(
    document: dict[str, Any], change: Callable[[str, Any], None], tmp_path: Path
) -> None:
    """It is missing if it cannot be read; one without its verdicts is decided from nothing."""
    certificates.write(TANK, document | {"cells": []}, tmp_path)
    change("leak", only_open)
    with renew_when_loaded(partial(renewal.renew_for_answer, say=lambda text: None)):
        assert load_by_cell(tmp_path)[LEAKS].word is VerdictWord.REFUTED
    path = certificates.get_path(TANK, tmp_path)
    path.write_text(path.read_text().replace('"cells"', '"calls"'))
    with renew_when_loaded(partial(renewal.renew_for_answer, say=lambda text: None)):
        assert certificates.load(TANK, tmp_path) is None
