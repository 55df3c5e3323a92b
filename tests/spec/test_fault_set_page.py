"""The chapter on fault sets says what the stored borders say."""

from __future__ import annotations

import itertools

import pytest

from book.model import fault_set_page
from command_line.docs import read_complete
from properties.language.world import ClaimedStructure
from properties.verdicts.fault_sets.certificates import load_borders
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.reading.world import READERS
from tests.structures import SYNCHRONOUS_PAIR, name_of

CONSUMER = STRUCTURES["reading/open slow/no offset check/last"]


def read() -> str:
    """The text of the chapter, as the site has it."""
    return read_complete(fault_set_page.PAGE.path)


def test_fatal_sets_of_consumers_have_one_member_but_for_pairs_with_a_bad_slave() -> None:
    """So says the prose: a slave that is not its master's equal does harm once that is away."""
    pairs = {
        (structure.name, fatal.faults)
        for structure in READERS
        for border in load_borders(structure)
        for fatal in border.refuted
        if len(fatal.faults) > 1
    }
    absences = ("master_kills", "master_stops", "partitions")
    differences = ("early_deletions", "lagging_dispatches", "missed_dispatches", "torn_copies")
    ends = ("slave_kills", "slave_losses", "slave_stops")
    closed = "reading/closed/no offset check/first"
    always = tuple(f"reading/open all/no offset check/{begin}" for begin in ("last", "first"))
    expected = {(closed, frozenset(pair)) for pair in itertools.product(differences, absences)}
    expected |= {(name, frozenset({"lagging_dispatches", end})) for name in always for end in ends}
    assert expected == pairs


@pytest.mark.parametrize("structure", [SYNCHRONOUS_PAIR, CONSUMER], ids=name_of)
def test_every_fatal_set_is_in_the_chapter(structure: ClaimedStructure) -> None:
    """With its faults in a row of the right guarantee."""
    for border in load_borders(structure):
        part = read().partition(f"### What breaks {border.guarantee}\n")[2].partition("\n###")[0]
        for refutation in border.refuted:
            names = " + ".join(f"`{n}`" for n in sorted(refutation.faults)) or "no fault at all"
            row = next(line for line in part.splitlines() if line.startswith(f"| {names} |"))
            assert f" {len(refutation.schedule)} |" in row
