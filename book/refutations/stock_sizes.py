"""The table of what it takes to refute the stock pair in stock sizes."""

from __future__ import annotations

from properties.generated_text import render_table
from properties.scenarios.stock_sizes import (
    DEPTH_MAX,
    DEPTH_MAX_FILLED,
    OLD,
    StockVerdict,
    load,
)


def render_stock_sizes() -> str:
    """How many refuted guarantees of the stock pair fall in how many steps in stock sizes."""
    every = list(load().values())
    found = [v for v in every if v.is_searched]
    kinds = {
        "the same number of steps, and no fewer": [
            v for v in found if v.schedule and v.is_shortest and not v.beginning
        ],
        f"the same number of steps, and not up to {DEPTH_MAX}": [
            v for v in found if v.schedule and not v.is_shortest and not v.beginning
        ],
        "a full file first, then those of its page or of `explain`, and no fewer": [
            v for v in found if v.schedule and v.is_shortest and v.beginning
        ],
        f"a full file first, and more than {DEPTH_MAX_FILLED}": [
            v for v in found if not v.schedule
        ],
        OLD: [v for v in every if not v.is_searched],
    }
    told = {what: verdicts for what, verdicts in kinds.items() if verdicts or what != OLD}
    rows = [(what, len(verdicts), _name_guarantees(verdicts)) for what, verdicts in told.items()]
    return render_table(("In stock sizes it takes", "Verdicts", "Guarantees"), rows)


def _name_guarantees(verdicts: list[StockVerdict]) -> str:
    names = sorted({verdict.guarantee for verdict in verdicts})
    return ", ".join(f"`{name}`" for name in names)
