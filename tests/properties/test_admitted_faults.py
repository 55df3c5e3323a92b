"""The table of verdicts, asked about mixtures of faults."""

from __future__ import annotations

from properties.admitted_faults import find_tabled_verdict
from properties.certificates import decode_cells, load_required
from properties.subject import get_fault_class, get_guarantees
from properties.verdict import VerdictWord
from properties.worlds import STRUCTURES

PAIR = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]


def test_columns_have_their_own_verdict() -> None:
    """Of every structure of every world, by the certificates."""
    for structure in STRUCTURES.values():
        for cell in decode_cells(structure, load_required(structure)):
            if cell.guarantee in get_guarantees(structure):
                admitted = get_fault_class(structure, cell.fault).admitted
                found = find_tabled_verdict(cell.guarantee, structure, admitted)
                assert found is not None
                assert cell.word is found.word


def test_mixtures_are_told_by_a_column_above_or_below() -> None:
    """One that has them all, or has some of them; for others the table does not decide."""
    kept = "acknowledged_is_kept_on_some_broker"
    below = find_tabled_verdict(
        "read_is_kept_on_master", PAIR, ["link_cuts", "master_power_losses"]
    )
    assert (VerdictWord.REFUTED, "master power loss") == (below.word, below.fault)
    above = find_tabled_verdict(kept, PAIR, ["slave_power_losses"])
    assert VerdictWord.PROVED is above.word
    assert find_tabled_verdict(kept, PAIR, ["alien_reports", "master_kills"]) is None
