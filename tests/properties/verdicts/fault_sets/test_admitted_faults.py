"""The table of verdicts, asked about mixtures of faults."""

from __future__ import annotations

from properties.verdicts.certificates import decode_cells, load_required
from properties.verdicts.expectations import find_expectation
from properties.verdicts.fault_sets.admitted_faults import (
    find_bordered_verdict,
    find_tabled_verdict,
)
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged

PAIR = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]


def test_columns_have_their_own_verdict() -> None:
    """Of every structure of every world, by the certificates."""
    for structure in list_tagged(Tag.USUAL):
        for cell in decode_cells(structure, load_required(structure)):
            if cell.guarantee in structure.world.guarantees:
                admitted = structure.world.get_fault_model(cell.fault).admitted
                found = find_tabled_verdict(cell.guarantee, structure, admitted)
                assert found is not None
                assert cell.word is found.word


def test_mixtures_are_told_by_a_column_above_or_below() -> None:
    """One that has them all, or has some of them."""
    kept = "acknowledged_is_kept_on_some_broker"
    below = find_tabled_verdict(
        "read_is_kept_on_master", PAIR, ["link_cuts", "master_power_losses"]
    )
    assert (VerdictWord.REFUTED, "master power loss") == (below.word, below.fault)
    above = find_tabled_verdict(kept, PAIR, ["slave_power_losses"])
    assert VerdictWord.PROVED is above.word


def test_other_mixtures_are_told_by_the_borders() -> None:
    """Of groups whose fault sets are decided; of larger ones nothing is known."""
    kept, mixture = "acknowledged_is_kept_on_some_broker", ["alien_reports", "master_disk_losses"]
    found = find_tabled_verdict("acknowledgement_is_truthful", PAIR, ["alien_reports"])
    assert (VerdictWord.REFUTED, "alien_reports") == (found.word, found.fault)
    proved = find_tabled_verdict(kept, PAIR, ["alien_reports", "link_cuts"])
    assert VerdictWord.PROVED is proved.word
    assert {"alien_reports", "link_cuts"} <= set(proved.fault.split(", "))
    assert VerdictWord.REFUTED is find_tabled_verdict(kept, PAIR, mixture).word
    large = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/3 slaves"]
    assert find_tabled_verdict("acknowledgement_is_truthful", large, ["alien_reports"]) is None


def test_the_borders_agree_with_the_columns() -> None:
    """Wherever both tell something."""
    for structure in list_tagged(Tag.FAULT_SETS):
        for column in structure.world.fault_models:
            for name in structure.world.guarantees:
                word = find_expectation(name, structure, column.name).verdict
                mixture = frozenset(column.admitted)
                bordered = find_bordered_verdict(name, structure, mixture)
                assert bordered is None or bordered.word is word
