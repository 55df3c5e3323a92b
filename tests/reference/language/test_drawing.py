"""Timelines in a given width: three forms, the same content, no line too long."""

from __future__ import annotations

import pytest

from properties.schedules.telling import draw_cell
from properties.verdicts.certificates import load_cells
from properties.worlds.catalogue import STRUCTURES

CELLS = (
    ("SYNC_MASTER/ASYNC_FLUSH/1 slave", "slaves_reach_the_masters_end", "slave power loss"),
    ("SYNC_MASTER/ASYNC_FLUSH/2 slaves", "acknowledged_is_kept_on_master", "master power loss"),
    ("ASYNC_MASTER/ASYNC_FLUSH/0 slaves", "acknowledged_is_kept_on_master", "master power loss"),
    ("reading/closed/no offset check/last", "progress_never_moves_back", "master stop"),
    (
        "system/sync master/async flush/closed/no offset check/first",
        "acknowledged_is_consumed_or_to_come",
        "master power loss",
    ),
    ("tables/topics/4.4.0", "change_on_slave_stays", "change on slave"),
    ("delay/4.4.0", "delivered_message_stays", "promotion"),
)


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize(("name", "claim", "fault"), CELLS)
def test_a_timeline_fits(name: str, claim: str, fault: str, width: int) -> None:
    """Every step once, in order, with the claim that breaks at the end."""
    structure = STRUCTURES[name]
    verdict = load_cells(structure)[claim, fault]
    lines = draw_cell(structure, verdict, width).splitlines()
    assert max(map(len, lines)) <= width
    numbers = [int(line[:4]) for line in lines if line[:4].strip().isdigit()]
    assert list(range(1, len(verdict.schedule) + 1)) == numbers
    assert f"      ✗ {claim}" in lines


def test_forms_have_the_same_words() -> None:
    """A narrow form leaves out no phrase and no state that changes."""
    structure = STRUCTURES[CELLS[0][0]]
    verdict = load_cells(structure)[CELLS[0][1:]]
    wide = set(draw_cell(structure, verdict).replace("│", " ").split())
    for width in (60, 80, 100):
        narrow = set(draw_cell(structure, verdict, width).replace("│", " ").split())
        assert not {word for word in wide - narrow if "─" not in word}


def test_what_never_changes_is_said_once() -> None:
    """Below the drawing, by the titles of the lanes."""
    structure = STRUCTURES[CELLS[3][0]]
    drawn = draw_cell(structure, load_cells(structure)[CELLS[3][1:]], 80)
    assert "The same throughout: slave [0..0) -/-." in drawn
