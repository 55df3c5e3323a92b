"""Why a slave's max offset stands still: causes with the cells and procedures behind them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.generated_text import render_table
from properties.scenarios.procedures.procedures import (
    GUIDE,
    Procedure,
    link_recipe,
    load_procedures,
)
from properties.scenarios.summary.codes import find_code_of_cell
from properties.verdicts.certificates import load_cells
from properties.worlds.replication.structures import STOCK_PAIR

CAUSES_FILE = Path(__file__).parent / "standing_still.toml"

CLAIM = "slaves_reach_the_masters_end"
"""What is broken while an offset stands still."""

HEAD = ("What else you see", "Cause", "Do", "See", "Verdicts")


@frozen
class StandstillCause:
    """A cause, its sign, the procedure against it, and the cells that say so."""

    sign: str
    """What an operator sees besides."""
    why: str
    cells: tuple[tuple[str, str], ...] = field(converter=tuple)
    """Each fault model, and the word that the row relies on."""
    procedure: str = ""
    """The name of the procedure; empty if nothing is to be done."""
    do: str = ""
    """What to do instead."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes on the screen of ``check`` under which the claim is broken, each once.

        A fault model that contains a weaker one has that one's code: ``explain`` tells it there.
        """
        cells = load_cells(STOCK_PAIR)
        refuted = (cells[CLAIM, name] for name, word in self.cells if word == "refuted")
        return tuple(dict.fromkeys(find_code_of_cell(STOCK_PAIR, cell) for cell in refuted))


@cache
def load_causes() -> tuple[StandstillCause, ...]:
    """Every cause, in the order of the table."""
    entries: list[dict[str, Any]] = tomllib.loads(CAUSES_FILE.read_text("utf-8"))["cause"]
    return tuple(StandstillCause(**entry) for entry in entries)


def find_procedure(name: str) -> Procedure:
    """The procedure of this name. Raises StopIteration for none."""
    return next(each for each in load_procedures() if each.name == name)


def render_causes() -> str:
    """A row for each."""
    return render_table(HEAD, list_rows())


def list_rows() -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    cells = load_cells(STOCK_PAIR)
    for each in load_causes():
        found = [(name, cells[CLAIM, name]) for name, _ in each.cells]
        verdicts = ", ".join(f"{name}: {cell.dispute or cell.word.value}" for name, cell in found)
        yield (each.sign, each.why, *list_ways_out(each), verdicts)


def list_ways_out(cause: StandstillCause) -> tuple[str, str]:
    """What to do, and where its codes and its recipe are."""
    if not cause.procedure:
        return cause.do, ""
    procedure = find_procedure(cause.procedure)
    codes = (f"`{code}`" for code in cause.codes)
    recipe = f"[recipe]({link_recipe(procedure.recipe, GUIDE)})"
    return procedure.advice.title, ", ".join((*codes, recipe))
