"""Lineages: what is written is read back, and says whose dice are thrown when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_fuzz.campaign.schedule import SEED_MAX
from spark_fuzz.kernel.ancestry import (
    PARTS_MAX,
    Lineage,
    Parent,
    encode_paths,
    find_lineage,
    parse_lineage,
)


@st.composite
def draw_lineages(draw: st.DrawFn) -> Lineage:
    """Unguided and guided ones."""
    ends = sorted(draw(st.sets(st.integers(0, 9999), max_size=PARTS_MAX - 1)))
    parts = len(ends) + 1
    numbers = draw(st.lists(st.integers(0, SEED_MAX - 1), min_size=parts, max_size=parts))
    return Lineage(tuple(numbers), tuple(ends))


@given(draw_lineages())
def test_a_lineage_is_read_back(lineage: Lineage) -> None:
    """A number, and for each later one the step before it."""
    assert lineage == parse_lineage(str(lineage))
    assert lineage.number == lineage.numbers[-1]


@pytest.mark.parametrize("text", ["", "x", "-1", "1~", "1~2", "1~.3", "1~5.2~5.3", "1~5.2~4.3"])
def test_other_texts_are_refused(text: str) -> None:
    """Also steps that do not increase."""
    with pytest.raises(ValueError, match=r"lineage|order"):
        parse_lineage(text)


def test_too_many_ancestors_are_refused() -> None:
    """There are only so many rounds."""
    text = "0" + "".join(f"~{step}.1" for step in range(1, PARTS_MAX + 1))
    with pytest.raises(ValueError, match="order"):
        parse_lineage(text)


def test_whose_dice_are_thrown() -> None:
    """An ancestor's up to the step at which it was left, that one not included."""
    lineage = Lineage((7, 100, 200), (10, 30))
    assert [7, 7, 100, 100, 200] == [lineage.get_number_at(s) for s in (0, 9, 10, 29, 30)]


def test_a_guided_schedule_has_one_of_the_parents() -> None:
    """Every one of them for some schedule; without parents it has none."""
    parents = (Parent(Lineage((7,)), 10), Parent(Lineage((7, 100), (10,)), 30))
    found = {find_lineage(3, parents, number) for number in range(200, 220)}
    assert {(7,), (7, 100)} == {lineage.numbers[:-1] for lineage in found}
    assert {(10,), (10, 30)} == {lineage.ends for lineage in found}
    assert Lineage((5,)) == find_lineage(3, (), 5)
    assert [[7, -1, 10, -1], [7, 100, 10, 30]] == encode_paths(parents).tolist()
    assert (0, 0) == encode_paths(()).shape
