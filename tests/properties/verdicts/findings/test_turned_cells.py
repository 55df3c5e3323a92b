"""Cells that turned: as many as told, refuted now, each by its cause."""

from __future__ import annotations

import pytest

from properties.verdicts.findings.explanations import replay_states, shows
from properties.verdicts.findings.turned_cells import TurnedCells, load_turned
from properties.verdicts.verdict import VerdictWord


@pytest.mark.parametrize("turned", load_turned(), ids=lambda t: f"{t.claims[0]}-{t.cells}")
def test_turned_cells_are_refuted_by_their_cause(turned: TurnedCells) -> None:
    """One of the rules is in each schedule, or the feature in one of its states."""
    found = turned.find()
    assert turned.cells == len(found)
    for structure, verdict in found:
        assert VerdictWord.REFUTED is verdict.word
        rules = {action.instance.partition("[")[0] for action in verdict.schedule}
        assert not turned.rules or rules & set(turned.rules), (structure.name, verdict.fault)
    for structure, verdict in found[:: max(1, len(found) // 3)]:
        assert not turned.feature or shows(replay_states(structure, verdict), turned.feature)


def test_no_cell_turned_twice() -> None:
    """Each is in one entry."""
    cells = [(s, v.guarantee, v.fault) for entry in load_turned() for s, v in entry.find()]
    assert len(cells) == len(set(cells))
