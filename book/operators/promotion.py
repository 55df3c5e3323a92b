"""What to do before and after a slave is promoted by hand: advice with the cells that back it."""

from __future__ import annotations

from collections.abc import Iterator

from book.operators.settings import say_verdict
from properties.generated_text import render_table
from properties.scenarios.procedures.procedures import OUTAGE_PAGE, link_recipe
from properties.scenarios.procedures.promotion import load_advice


def render_advice() -> str:
    """A row for each."""
    return render_table(("When", "Do", "Because", "How", "Verdicts"), list_rows())


def list_rows() -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    for each in load_advice():
        verdicts = "; ".join(say_verdict(*cell[:3]) for cell in each.cells)
        recipe = f"[recipe]({link_recipe(each.recipe, OUTAGE_PAGE)})"
        yield (each.when, each.do, each.why, recipe, verdicts)
