"""Merged tables lose nothing: taken apart again, they have every cell, once."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies

from book.merged_table import COLUMNS_MAX, render_in_order, render_merged, split_into_boxes
from book.model import guarantees_page
from book.model.world_page import tell
from properties.comparison.difference_search import RULE_SET_NAMES, get_released
from properties.language.world import World
from properties.verdicts import certified_cells
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.fault_sets.certificates import load_borders
from properties.worlds.catalogue import (
    OTHER_WORLDS,
    WORLD_BY_TOPIC,
    Tag,
    list_tagged,
    list_tagged_groups,
)
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import CLAIMS
from tests.spec.merged_tables import find_tables, is_named, take_apart
from tests.structures import name_of

pytestmark = pytest.mark.xdist_group("spec/guarantees.md")
"""One process computes the tables of verdicts."""

NAMES = list(itertools.product("AB", "xyz", "12"))
"""Names of three parts."""


@pytest.mark.parametrize("guarantee", CLAIMS)
def test_tables_of_guarantees_have_every_cell(guarantee: str) -> None:
    """Each structure and column has the verdict of its certificate, vacuous or not."""
    (table,) = find_tables("guarantees.md", f"## `{guarantee}`")
    names = [s.name for s in guarantees_page.STRUCTURES]
    expected = {
        (s.name, column): {describe(cell), describe(cell, is_vacuous=True)}
        for s in guarantees_page.STRUCTURES
        for (claim, column), cell in load_cells(s).items()
        if claim == guarantee
    }
    assert len(expected) == len(names) * len(FAULT_MODELS)
    told = take_apart([table], names, [c.name for c in FAULT_MODELS])
    assert expected.keys() == told.keys()
    assert {} == {key: cell for key, cell in told.items() if cell not in expected[key]}


@pytest.mark.nightly
@pytest.mark.parametrize("guarantee", CLAIMS)
def test_tables_of_guarantees_tell_what_is_vacuous(guarantee: str) -> None:
    """Each cell reads as it is computed, proofs that say nothing among them."""
    (table,) = find_tables("guarantees.md", f"## `{guarantee}`")
    names = [s.name for s in guarantees_page.STRUCTURES]
    expected = {
        (s.name, column): cell
        for s in guarantees_page.STRUCTURES
        for (claim, column), cell in certified_cells.compute_row(s).items()
        if claim == guarantee
    }
    assert expected == take_apart([table], names, [c.name for c in FAULT_MODELS])


@pytest.mark.parametrize("world", OTHER_WORLDS, ids=name_of)
def test_tables_of_worlds_have_every_cell(world: World) -> None:
    """The same in the chapters of the other worlds, of each column in which something is asked."""
    names = [s.name for s in world.structures]
    for guarantee in world.claims:
        tables = list(find_tables(world.chapter, f"### `{guarantee}`"))
        columns = [
            c.name
            for c in world.fault_models
            if any(not load_cells(s)[guarantee, c.name].is_vacuous for s in world.structures)
        ]
        expected = {
            (s.name, column): tell(load_cells(s)[guarantee, column])
            for s in world.structures
            for column in columns
        }
        assert expected == take_apart(tables, names, columns)


@pytest.mark.parametrize("world", ["replication", "consumption"])
def test_tables_of_fault_sets_have_every_schedule(world: str) -> None:
    """Each smallest fatal set stands with its number of steps below each of its structures."""
    structures = [s for s in WORLD_BY_TOPIC[world].structures if s in list_tagged(Tag.FAULT_SETS)]
    borders = {s.name: {b.guarantee: b for b in load_borders(s)} for s in structures}
    for guarantee in structures[0].world.claims:
        fatal = {
            (" + ".join(f"`{f}`" for f in sorted(r.faults)) or "no fault at all", name): str(
                len(r.schedule)
            )
            for name, border in borders.items()
            for r in border[guarantee].refuted
        }
        told = {}
        for (_, *labels), *rows in find_tables("fault_sets.md", f"### What breaks {guarantee}"):
            assert all(sum(is_named(s, label) for label in labels) == 1 for s in borders)
            told = {
                (row[0], s): cell
                for row in rows
                for label, cell in zip(labels, row[1:], strict=True)
                for s in borders
                if is_named(s, label) and cell.isdigit()
            }
        assert fatal == told


def test_table_of_releases_has_every_cell() -> None:
    """A column of several releases says of each what its certificates say."""
    _, table = find_tables("versions.md", "## Effect on verdicts")
    (_, *titles), *rows = table
    assert [s.name for s in list_tagged_groups(Tag.RELEASED)] == [row[0] for row in rows]
    ends = [(title.split(" to ")[0], title.split(" to ")[-1]) for title in titles]
    runs = [RULE_SET_NAMES[RULE_SET_NAMES.index(a) : RULE_SET_NAMES.index(b) + 1] for a, b in ends]
    assert list(RULE_SET_NAMES) == list(itertools.chain(*runs))
    for structure, row in zip(list_tagged_groups(Tag.RELEASED), rows, strict=True):
        for run, cell in zip(runs, row[1:], strict=True):
            for name in run:
                cells = load_cells(get_released(name, structure))
                words = ["disputed" if v.disputed else v.word.value for v in cells.values()]
                counts = [words.count(word) for word in ("proved", "disputed", "refuted")]
                assert cell.startswith(" / ".join(map(str, counts)))


def test_equal_lines_become_one() -> None:
    """Rows by what they have in common, also where others stand between them."""
    structures = ["A/x/1 slave", "A/x/2 slaves", "B/x/1 slave", "B/x/2 slaves", "A/y/1 slave"]
    table = render_merged(structures, ["p", "q", "r"], lambda s, c: "yes" if c != "q" else s[2])
    assert table.splitlines() == [
        "| Structure | p,<br>r | q |",
        "| --- | --- | --- |",
        "| x | yes | x |",
        "| A, y, 1 slave | yes | y |",
    ]


def test_many_columns_are_all_others() -> None:
    """The longest group stands last; where all are equal, that is said."""
    columns = [str(n) for n in range(12)]
    one = render_merged(["A", "B"], columns, lambda s, c: "no" if c == "5" else "yes")
    assert one.splitlines()[0] == "| Structure | 5 | all others |"
    none = render_merged(["A", "B"], columns, lambda s, c: s)
    assert none.splitlines()[0] == "| Structure | all fault models |"


def test_too_many_columns_are_several_tables() -> None:
    """Of nearly the same width, together with all columns, each with rows of its own."""
    columns = [str(n) for n in range(COLUMNS_MAX + 1)]
    parts = render_merged(["A", "B"], columns, lambda s, c: s + c if c > "5" else c).split("\n\n")
    heads = [part.splitlines()[0].strip("| ").split(" | ")[1:] for part in parts]
    assert columns == [title for head in heads for title in head]
    assert [7, 6] == [len(head) for head in heads]
    assert all(len(part.splitlines()) >= 3 for part in parts)


def test_only_neighbours_are_one_where_the_order_counts() -> None:
    """A value that comes back later has a column of its own again."""
    rows = [["first", "1", "1", "2", "1"], ["second", "3", "3", "3", "3"]]
    lines = render_in_order("Row", ["a", "b", "c", "d"], rows).splitlines()
    assert lines[0] == "| Row | a to b | c | d |"
    assert lines[2:] == ["| first | 1 | 2 | 1 |", "| second | 3 | 3 | 3 |"]


@given(strategies.sets(strategies.sampled_from(NAMES), min_size=1))
def test_boxes_hold_each_name_once(names: set[tuple[str, ...]]) -> None:
    """Whatever names are split, the boxes' combinations are these names."""
    held = [name for box in split_into_boxes(sorted(names)) for name in itertools.product(*box)]
    assert sorted(names) == sorted(held)
