"""The chapter on the proofs says what the stored cores say."""

import re

from book.model import proof_page
from book.model.proof_page import SHOWN
from properties.worlds.replication.world import CLAIMS, LEMMAS, SANITY_CHECKS, ClaimedGroup
from reference.worlds.replication.parameters import SLAVES_MAX


def read() -> str:
    """The text of the chapter."""
    return proof_page.PAGE.path.read_text(encoding="utf-8")


def test_bounds_are_those_of_the_code() -> None:
    """Slaves and lives in the prose are the modelled ones."""
    text = " ".join(read().split())
    assert f"the number of slaves: 0 to {SLAVES_MAX}" in text
    assert "of the master's log: three" in text
    assert 3 == ClaimedGroup().lives
    assert 1 == ClaimedGroup().messages
    assert SHOWN.name in text


def test_flowchart_has_guarantees_and_lemmas_only() -> None:
    """Every arrow leads from a guarantee or lemma to a lemma."""
    arrows = re.findall(r"^  (\w+) --> (\w+)$", proof_page.render_flowchart(), re.MULTILINE)
    assert arrows
    assert {source for source, _ in arrows} <= {*CLAIMS, *LEMMAS}
    assert {target for _, target in arrows} <= set(LEMMAS)
    assert set() == {name for arrow in arrows for name in arrow} & set(SANITY_CHECKS)
