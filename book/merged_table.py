"""Tables in which equal rows and equal columns are merged.

A row is a structure, a column a fault model. Nothing is lost: a merged row is named by what its
structures have in common, a merged column lists its fault models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeAlias, TypeVar

from properties.generated_text import render_table

Name: TypeAlias = tuple[str, ...]
"""A structure's name in parts, for example SYNC_MASTER, SYNC_FLUSH, 1 slave."""

Box: TypeAlias = tuple[tuple[str, ...], ...]
"""For each part of a name the values that it may have; every combination belongs to it."""

Item = TypeVar("Item")

LISTED_MAX = 8
"""A merged column of more fault models is titled "all others"."""

COLUMNS_MAX = 12
"""A table with more merged columns becomes several tables, one below another."""

EVERY_ROW, EVERY_COLUMN, OTHER_COLUMNS = "every structure", "all fault models", "all others"

NEXT_LINE = ",<br>"
"""The separator of the names in a merged column's title."""

_COUNTED = re.compile(r"(\d+) \w+")


def render_merged(
    structures: Sequence[str], columns: Sequence[str], get: Callable[[str, str], str]
) -> str:
    """The Markdown table of ``get(structure, column)``, merged both ways.

    The parts of a structure's name are separated by slashes. Of too many columns several tables are
    made, of nearly the same width; each has rows merged by its own columns.
    """
    cells = [tuple(get(s, c) for c in columns) for s in structures]
    merged = merge_columns(columns, cells)
    count = -(-len(merged) // COLUMNS_MAX)
    size = -(-len(merged) // count)
    parts = (merged[start : start + size] for start in range(0, len(merged), size))
    return "\n\n".join(render_part(structures, part, get) for part in parts)


def render_part(
    structures: Sequence[str],
    merged: Sequence[tuple[str, list[str]]],
    get: Callable[[str, str], str],
) -> str:
    """The table of some merged columns, equal rows merged."""
    lines = {s: tuple(get(s, group[0]) for _, group in merged) for s in structures}
    rows = [[label, *lines[first]] for label, first in merge_rows(structures, lines)]
    return render_table(["Structure", *(title for title, _ in merged)], rows)


def render_in_order(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The Markdown table in which equal neighbouring columns are merged: ``first to last``.

    Of each row the first cell belongs to the title, the others to the names.
    """
    columns = zip(names, zip(*(row[1:] for row in rows), strict=True), strict=True)
    runs = [(cells, [n for n, _ in run]) for cells, run in groupby(columns, key=lambda c: c[1])]
    head = [title, *(" to ".join(dict.fromkeys((run[0], run[-1]))) for _, run in runs)]
    return render_table(head, zip((row[0] for row in rows), *(c for c, _ in runs), strict=True))


def merge_columns(
    names: Sequence[str], lines: Sequence[Sequence[str]]
) -> list[tuple[str, list[str]]]:
    """The columns that have the same cells in every line, with their title; a long one is last."""
    cells = dict(zip(names, zip(*lines, strict=True), strict=True))
    groups = group_equal(names, lambda name: cells[name])
    if len(groups) == 1:
        return [(EVERY_COLUMN, groups[0])]
    ordered = sorted(groups, key=lambda group: len(group) > LISTED_MAX)
    return [(get_title(group), group) for group in ordered]


def get_title(group: Sequence[str]) -> str:
    """The names of merged columns, or "all others"."""
    return OTHER_COLUMNS if len(group) > LISTED_MAX else NEXT_LINE.join(group)


def merge_rows(
    structures: Sequence[str], lines: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """The common name of structures with the same line, and the first of them."""
    names = {tuple(s.split("/")): s for s in structures}
    every = [tuple(dict.fromkeys(values)) for values in zip(*names, strict=True)]
    groups = group_equal(list(names), lambda name: lines[names[name]])
    boxes = [box for group in groups for box in split_into_boxes(group)]
    firsts = {box: next(n for n in names if is_in(n, box)) for box in boxes}
    for box in sorted(boxes, key=lambda box: list(names).index(firsts[box])):
        yield tell_box(box, every), names[firsts[box]]


def group_equal(items: Sequence[Item], get: Callable[[Item], Hashable]) -> list[list[Item]]:
    """The items with equal ``get``, in the order of their first ones."""
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(get(item), []).append(item)
    return list(groups.values())


def split_into_boxes(names: Collection[Name]) -> list[Box]:
    """Boxes that hold these names together, each of them once, and no other."""
    if names == [()]:
        return [()]
    tails: dict[str, list[Name]] = {}
    for name in names:
        tails.setdefault(name[0], []).append(name[1:])
    alike = group_equal(list(tails), lambda value: tuple(tails[value]))
    return [(tuple(values), *box) for values in alike for box in split_into_boxes(tails[values[0]])]


def is_in(name: Name, box: Box) -> bool:
    """Each part of the name has one of the box's values."""
    return all(part in values for part, values in zip(name, box, strict=True))


def tell_box(box: Box, every: Sequence[tuple[str, ...]]) -> str:
    """The values that names of a box have, except for parts that have every value."""
    told = [tell_values(v) for v, e in zip(box, every, strict=True) if set(v) != set(e)]
    return ", ".join(told) or EVERY_ROW


def tell_values(values: Sequence[str]) -> str:
    """Alternatives in words: ``1 to 3 slaves``, ``4.4.0 or 4.5.0``."""
    counted = [_COUNTED.fullmatch(value) for value in values]
    numbers = [int(c[1]) for c in counted if c]
    is_range = len(numbers) == len(values) > 1 and numbers[-1] - numbers[0] == len(values) - 1
    return f"{numbers[0]} to {values[-1]}" if is_range else " or ".join(values)
