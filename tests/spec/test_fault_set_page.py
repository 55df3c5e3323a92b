"""The chapter on fault sets says what the stored borders say."""

from __future__ import annotations

from typing import Any

import pytest

from book.model import fault_set_page
from properties.verdicts.fault_sets.certificates import load_borders
from properties.worlds import STRUCTURES
from reference.worlds.reading.structure import READING_STRUCTURES
from tests.structures import SYNCHRONOUS_PAIR, name_of

CONSUMER = STRUCTURES["reading/open slow/no offset check/last"]


def read() -> str:
    """The text of the chapter."""
    return fault_set_page.PAGE.path.read_text(encoding="utf-8")


def test_each_fatal_set_of_a_consumer_has_one_member_or_none() -> None:
    """So says the prose."""
    for structure in READING_STRUCTURES:
        for border in load_borders(structure):
            assert all(len(r.faults) <= 1 for r in border.refuted)


@pytest.mark.parametrize("structure", [SYNCHRONOUS_PAIR, CONSUMER], ids=name_of)
def test_every_fatal_set_is_in_the_chapter(structure: Any) -> None:
    """With its faults in a row of the right guarantee."""
    for border in load_borders(structure):
        part = read().partition(f"### What ends {border.guarantee}\n")[2].partition("\n###")[0]
        for refutation in border.refuted:
            names = " + ".join(f"`{n}`" for n in sorted(refutation.faults)) or "no fault at all"
            row = next(line for line in part.splitlines() if line.startswith(f"| {names} |"))
            assert f" {len(refutation.schedule)} |" in row
