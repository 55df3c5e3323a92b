"""Merged tables, taken apart again: which structure and which column each cell is about."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from command_line.docs import read_complete
from properties.generated_text import SPEC

Table: TypeAlias = list[list[str]]
"""Rows of cells, the head first."""


def find_tables(file: str, heading: str) -> Iterator[Table]:
    """The tables of a section, the head first, without the line below it."""
    text = read_complete(SPEC / file).partition(f"\n{heading}\n")[2]
    section = re.split(r"^#+ ", text, maxsplit=1, flags=re.M)[0]
    for block in re.findall(r"(?:^\|.*\n)+", section, re.M):
        lines = [line.strip("| ").split(" | ") for line in block.splitlines()]
        yield [lines[0], *lines[2:]]


def is_named(structure: str, label: str) -> bool:
    """A structure has what the name of a merged row says; what it does not say, may be anything."""
    parts = structure.split("/")
    if label == "every structure":
        return True
    return all(any(v in parts for v in list_values(told)) for told in label.split(", "))


def list_values(told: str) -> list[str]:
    """The alternatives that a part of a merged row's name stands for."""
    counted = re.fullmatch(r"(\d) to (\d) slaves", told)
    if not counted:
        return told.split(" or ")
    numbers = range(int(counted[1]), int(counted[2]) + 1)
    return ["1 slave" if n == 1 else f"{n} slaves" for n in numbers]


def list_columns(titles: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    """The columns that each title stands for."""
    if titles == ["all fault models"]:
        return [list(columns)]
    named = {c for title in titles for c in title.split(",<br>")}
    others = [c for c in columns if c not in named]
    return [others if title == "all others" else title.split(",<br>") for title in titles]


def take_apart(
    tables: Sequence[Table], structures: Sequence[str], columns: Sequence[str]
) -> dict[tuple[str, str], str]:
    """Every cell of a merged table, or of one in parts; AssertionError if one is missing."""
    titles = [title for (_, *titles), *_ in tables for title in titles]
    groups = dict(zip(titles, list_columns(titles, columns), strict=True))
    assert sorted(itertools.chain(*groups.values())) == sorted(columns)
    cells = {}
    for ((_, *head), *rows), structure in itertools.product(tables, structures):
        ((_, *values),) = [row for row in rows if is_named(structure, row[0])]
        for title, value in zip(head, values, strict=True):
            cells.update({(structure, column): value for column in groups[title]})
    return cells
