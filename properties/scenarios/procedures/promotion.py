"""What to do before and after a slave is promoted by hand, with the cells that say so."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

ADVICE_FILE = Path(__file__).parent / "promotion.toml"


@frozen
class PromotionAdvice:
    """Something to do, the reason, where it is described, and the cells that say so."""

    when: str
    """Before or after the promotion."""
    do: str
    why: str
    recipe: str
    """The recipe that has the whole procedure, as links name it."""
    cells: tuple[tuple[str, str, str, str], ...] = field(converter=tuple)
    """Structure, claim, column, and the word that the advice relies on."""
    is_general: bool = False
    """It depends neither on roles nor on what happened before."""


@cache
def load_advice() -> tuple[PromotionAdvice, ...]:
    """All of it, in the order of the table."""
    entries: list[dict[str, Any]] = tomllib.loads(ADVICE_FILE.read_text("utf-8"))["advice"]
    return tuple(PromotionAdvice(**entry) for entry in entries)
