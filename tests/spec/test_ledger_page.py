"""The share of the sources counts every statement of the ledger once."""

from __future__ import annotations

import re

import pytest

from book.model import ledger_page
from book.model.ledger_page import COLUMNS, PARTS, SourcePart, count, load_entries, render_plans
from properties.checkout import ROOT

SEMANTICS = ROOT.parent / "shared" / "semantics.md"

NUMBERED = [part for part in PARTS if part.source == "semantics"]


def test_every_statement_is_in_one_part() -> None:
    """None is left out of the table, and none is counted twice."""
    for source, entry in load_entries():
        owners = [part.title for part in PARTS if part.has(source, entry)]
        assert len(owners) == 1, (entry["id"], owners)


def test_every_statement_is_in_one_column() -> None:
    """The columns behind the first one add up to it."""
    everything, *columns = count(entry for _, entry in load_entries())
    assert sum(columns) == everything
    assert next(iter(COLUMNS)) == "statements"


def test_no_part_is_empty() -> None:
    """A pattern that finds nothing would hide its statements nowhere."""
    for part in PARTS:
        assert any(part.has(source, entry) for source, entry in load_entries()), part.title


@pytest.mark.parametrize(
    ("entry", "expected"),
    [({"planned_in": "later"}, "| later | 1 |"), ({}, "Nothing: every statement is decided.")],
    ids=["planned", "nothing planned"],
)
def test_plans_are_counted(
    entry: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A topic has a row, and no topic is a sentence."""
    monkeypatch.setattr(ledger_page, "load_entries", lambda: (("a source", entry),))
    assert render_plans().splitlines()[-1] == expected


@pytest.mark.skipif(not SEMANTICS.exists(), reason="the source documents are not beside it")
@pytest.mark.parametrize("part", NUMBERED, ids=lambda part: part.title)
def test_parts_are_the_sections_of_the_dossier(part: SourcePart) -> None:
    """Every statement of a part is defined below the heading of its number."""
    number = part.title.partition(".")[0]
    text = SEMANTICS.read_text(encoding="utf-8")
    section = re.split(r"^## ", text.partition(f"\n## {number}. ")[2], maxsplit=1, flags=re.M)[0]
    names = [e["id"] for source, e in load_entries() if part.has(source, e)]
    assert [] == [name for name in names if not re.search(rf"\b{name}\b", section)]
