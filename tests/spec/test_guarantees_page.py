"""The verdicts in the text are those of the certificates."""

import itertools
import re

import pytest

from book.model import guarantees_page
from properties.verdicts import certified_cells
from properties.verdicts.certificates import CERTIFICATE_FOLDER, get_path, load_required
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import CLAIMS
from reference.language.machine import Action


def test_every_claim_has_a_table() -> None:
    """Between the heading of a claim and the next one there are both marks, once."""
    text = guarantees_page.CHAPTER.read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    marked = [s.partition("\n")[0].strip("`") for s in sections if guarantees_page.BEGIN in s]
    assert list(CLAIMS) == marked
    assert len(CLAIMS) == text.count(guarantees_page.BEGIN) == text.count(guarantees_page.END)


def test_every_structure_has_a_certificate() -> None:
    """None is missing in the tables."""
    assert [s for s in guarantees_page.STRUCTURES if not get_path(s).exists()] == []


def test_every_certificate_has_a_structure() -> None:
    """No certificate lies in the folder that no row shows."""
    shown = {get_path(structure) for structure in guarantees_page.STRUCTURES}
    assert set() == set(CERTIFICATE_FOLDER.glob("*_slaves.json")) - shown


def make_cell(word: VerdictWord, steps: int = 0, depth: int | None = None) -> Verdict:
    """A cell of some claim."""
    schedule = (Action("kill_master"),) * steps
    return Verdict("some_claim", "none", word, schedule=schedule, depth=depth)


@pytest.mark.parametrize(
    ("cell", "is_vacuous", "expected"),
    [
        (make_cell(VerdictWord.PROVED), False, "proved"),
        (make_cell(VerdictWord.PROVED), True, "proved (vacuous)"),
        (make_cell(VerdictWord.REFUTED, steps=3), False, "refuted, 3 steps"),
        (make_cell(VerdictWord.UNDECIDED, depth=24), False, "undecided, searched to depth 24"),
        (make_cell(VerdictWord.BOUNDED, depth=9), False, "bounded, searched to depth 9"),
        (make_cell(VerdictWord.NOT_REFUTED), False, "not_refuted"),
    ],
)
def test_cell(cell: Verdict, is_vacuous: bool, expected: str) -> None:
    """Each verdict reads as the first page explains it."""
    assert expected == certified_cells.describe(cell, is_vacuous=is_vacuous)


def test_certificates_hold_every_cell_once() -> None:
    """Each certificate has one verdict for each claim and fault model."""
    expected = sorted(itertools.product(CLAIMS, (c.name for c in FAULT_MODELS)))
    for structure in guarantees_page.STRUCTURES:
        stored = load_required(structure)["cells"]
        assert expected == sorted((cell["guarantee"], cell["fault"]) for cell in stored)
