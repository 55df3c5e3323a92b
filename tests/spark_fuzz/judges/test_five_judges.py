"""Five judges: they agree on small groups, and a disagreement would be noticed and named."""

from __future__ import annotations

import pytest

from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from spark_fuzz.judges.five_judges import JUDGES, JudgedCell, Opinion, judge_cells

HOLDS = Opinion("one", holds=True)
NOTHING = Opinion("one")
SHORTEST = Opinion("one", falls_after=5, is_shortest=True)
LONGER = Opinion("one", falls_after=7)

QUICK = (("delay/4.4.0", "every fault"),)


@pytest.mark.parametrize(
    ("one", "other", "is_contradiction"),
    [
        (HOLDS, HOLDS, False),
        (HOLDS, NOTHING, False),
        (HOLDS, LONGER, True),
        (HOLDS, SHORTEST, True),
        (NOTHING, SHORTEST, False),
        (SHORTEST, LONGER, False),
        (SHORTEST, Opinion("two", falls_after=4), True),
        (SHORTEST, Opinion("two", falls_after=4, is_shortest=True), True),
        (SHORTEST, Opinion("two", falls_after=6, is_shortest=True), True),
        (SHORTEST, Opinion("two", looked_to=4), False),
        (SHORTEST, Opinion("two", looked_to=5), True),
        (LONGER, Opinion("two", looked_to=6), False),
        (LONGER, Opinion("two", looked_to=9), True),
    ],
)
def test_what_contradicts_what(one: Opinion, other: Opinion, is_contradiction: bool) -> None:
    """A fall where it holds, a fall before the shortest one, no fall where one was found."""
    assert one.contradicts(other) is is_contradiction
    assert other.contradicts(one) is is_contradiction


def test_a_disagreement_names_both() -> None:
    """The sentence has the cell, both judges and what they say."""
    cell = JudgedCell(
        "pair", "none", "read_is_kept_on_master", (HOLDS, Opinion("two", falls_after=3))
    )
    (sentence,) = cell.list_disagreements()
    for part in ("pair", "none", "read_is_kept_on_master", "one", "two", "holds", "breaks after 3"):
        assert part in sentence


@pytest.mark.parametrize(("name", "fault"), QUICK)
def test_judges_agree(name: str, fault: str) -> None:
    """No two contradict each other, and who looks for violations finds one."""
    fallen = check(name, fault)
    for judge in ("exhaustive search", "kernel", "Hypothesis"):
        said = [o for cell in fallen for o in cell.opinions if o.judge == judge]
        assert any(o.falls_after is not None for o in said), judge


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "fault"),
    [(s.name, c.name) for s in list_tagged(Tag.SMALL) for c in s.world.fault_models],
)
def test_judges_agree_on_every_cell(name: str, fault: str) -> None:
    """The same for every cell of every world."""
    check(name, fault)


def check(name: str, fault: str) -> list[JudgedCell]:
    """Ask all judges about one column; the cells that some judge has seen fall."""
    structure = STRUCTURES[name]
    cells = judge_cells(structure, structure.world.get_fault_model(fault))
    assert [d for cell in cells for d in cell.list_disagreements()] == []
    for cell in cells:
        assert [o.judge for o in cell.opinions] == list(JUDGES)
        decided = [o for o in cell.opinions if o.holds or o.falls_after is not None]
        assert decided or any(o.looked_to for o in cell.opinions), cell
    return [cell for cell in cells if any(o.falls_after is not None for o in cell.opinions)]
