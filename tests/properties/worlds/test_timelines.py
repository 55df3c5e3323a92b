"""Timelines of each world: every rule has its words, and every refuted cell can be drawn."""

from __future__ import annotations

import pytest

from properties.language.world import ClaimedStructure, World
from properties.schedules.telling import draw_cell
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import OTHER_WORLDS, list_other_structures
from properties.worlds.starts.world import STARTS_STRUCTURES
from reference.language.drawing import fill_lanes, list_lanes
from tests.properties.worlds.test_walks import walk
from tests.structures import name_of

NEVER_BROKEN = (STARTS_STRUCTURES[0],)
"""Structures of which every claim is proved: 4.4.0 refuses no start."""


@pytest.mark.parametrize("world", OTHER_WORLDS, ids=name_of)
def test_every_rule_has_its_words(world: World) -> None:
    """In as many lanes as the head names; each rule is reached, none stands there for nothing."""
    drawn = set()
    for structure in world.mutated_structures:
        for seed in range(30):
            for state, action in walk(structure, seed, 120):
                texts = fill_lanes(state, action)
                assert len(texts) == len(list_lanes(state))
                drawn.add(action.rule_name)
    assert set(world.rules) == drawn


@pytest.mark.parametrize("structure", list_other_structures(), ids=name_of)
def test_every_refuted_cell_is_drawn(structure: ClaimedStructure) -> None:
    """A line for each step, and the mark of the guarantee at the end."""
    cells = [v for v in load_cells(structure).values() if v.word is VerdictWord.REFUTED]
    assert cells or structure in NEVER_BROKEN
    lanes = list_lanes(structure.template)
    for verdict in cells:
        head, rule, *lines, mark = draw_cell(structure, verdict).splitlines()
        assert (head.split()[0], set(rule)) == ("step", {"─", "┼"} if len(lanes) > 1 else {"─"})
        assert len(verdict.schedule) == len(lines)
        assert mark.strip() == f"✗ {verdict.guarantee}"
