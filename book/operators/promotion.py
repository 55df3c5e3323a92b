"""What to do before and after a slave is promoted by hand: advice with the cells that back it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from book.operators.settings import say_verdict
from properties.generated_text import render_table

ADVICE_FILE = Path(__file__).parent / "promotion.toml"


@frozen
class PromotionAdvice:
    """Something to do, the reason, where it is described, and the cells that say so."""

    when: str
    """Before or after the promotion."""
    do: str
    why: str
    recipe: str
    """The section of the page that has the whole procedure, as links name it."""
    cells: tuple[tuple[str, str, str, str], ...] = field(converter=tuple)
    """Structure, claim, column, and the word that the advice relies on."""


@cache
def load_advice() -> tuple[PromotionAdvice, ...]:
    """All of it, in the order of the table."""
    entries: list[dict[str, Any]] = tomllib.loads(ADVICE_FILE.read_text("utf-8"))["advice"]
    return tuple(PromotionAdvice(**entry) for entry in entries)


def render_advice() -> str:
    """A row for each."""
    return render_table(("When", "Do", "Because", "How", "Verdicts"), list_rows())


def list_rows() -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    for each in load_advice():
        verdicts = "; ".join(say_verdict(*cell[:3]) for cell in each.cells)
        yield (each.when, each.do, each.why, f"[recipe](#{each.recipe})", verdicts)
