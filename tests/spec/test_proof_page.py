"""The chapter on the proofs says what the stored cores say."""

import re

import pytest

from properties.book import proof_page
from properties.book.proof_page import PARTS, SHOWN
from properties.claims import CLAIMS
from properties.property import LEMMAS, SANITY_CHECKS
from reference.structure import SLAVES_MAX, Structure


def read() -> str:
    """The text of the chapter."""
    return proof_page.CHAPTER.read_text(encoding="utf-8")


def test_every_part_stands_once_in_the_chapter() -> None:
    """Each between its marks, and no marks of another one."""
    for edge in ("begin", "end"):
        assert list(PARTS) == re.findall(rf"<!-- {edge} generated: ([\w ]+) -->", read())


def test_a_drift_is_put_right() -> None:
    """What stands between the marks is replaced, what stands outside is kept."""
    spoilt = read().replace("flowchart LR", "flowchart TB").replace("`size_bytes`", "`size`")
    assert spoilt != read()
    assert read() == proof_page.update(spoilt)
    with pytest.raises(KeyError):
        proof_page.update(read().replace("generated: slowest", "generated: fastest"))


def test_bounds_are_those_of_the_code() -> None:
    """Slaves and lives in the prose are the modelled ones."""
    text = " ".join(read().split())
    assert f"the number of slaves: 0 to {SLAVES_MAX}" in text
    assert "the lives of the master's log: three" in text
    assert 3 == Structure().lives
    assert 1 == Structure().messages
    assert SHOWN.name in text


def test_flowchart_has_guarantees_and_lemmas_only() -> None:
    """Every arrow leads from a guarantee or lemma to a lemma."""
    arrows = re.findall(r"^  (\w+) --> (\w+)$", proof_page.render_flowchart(), re.MULTILINE)
    assert arrows
    assert {source for source, _ in arrows} <= {*CLAIMS, *LEMMAS}
    assert {target for _, target in arrows} <= set(LEMMAS)
    assert set() == {name for arrow in arrows for name in arrow} & set(SANITY_CHECKS)
