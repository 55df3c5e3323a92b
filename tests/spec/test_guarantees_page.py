"""The verdicts in the text are those of the certificates."""

import itertools
import re

import pytest

from properties import certified_cells
from properties.book import guarantees_page
from properties.certificates import CERTIFICATE_FOLDER, get_path
from properties.claims import CLAIMS
from properties.fault_class import FAULT_CLASSES
from properties.verdict import VerdictWord


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


@pytest.mark.parametrize(
    ("cell", "is_vacuous", "expected"),
    [
        ({"verdict": "proved"}, False, "proved"),
        ({"verdict": "proved"}, True, "proved (vacuous)"),
        ({"verdict": "refuted", "schedule": [["kill_master", {}]] * 3}, False, "refuted, 3 steps"),
        ({"verdict": "undecided", "depth": 24}, False, "undecided, depth 24"),
        ({"verdict": "bounded", "depth": 9}, False, "bounded, depth 9"),
        ({"verdict": "not_refuted"}, False, "not_refuted"),
    ],
)
def test_cell(cell: dict[str, object], is_vacuous: bool, expected: str) -> None:
    """Each verdict reads as the first page explains it."""
    assert expected == certified_cells.render_cell(cell, is_vacuous)


def test_certificates_hold_every_cell_once() -> None:
    """Each certificate has one verdict for each claim and fault class."""
    expected = sorted(itertools.product(CLAIMS, (c.name for c in FAULT_CLASSES)))
    for structure in guarantees_page.STRUCTURES:
        if document := certified_cells.load_certificate(structure):
            cells = [(cell["guarantee"], cell["fault"]) for cell in document["cells"]]
            assert expected == sorted(cells)
            assert {c["verdict"] for c in document["cells"]} <= {w.value for w in VerdictWord}
