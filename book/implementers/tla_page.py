"""The generated parts of ``spec/tla.md``, and the module that is kept beside it to be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from properties.exports.instances import load_spin_counts
from properties.exports.tla import Module, write_module
from properties.exports.tlc import load_tlc_counts
from properties.generated_text import SPEC, Page, count_steps, render_table, set_apart
from properties.worlds import find_world
from properties.worlds.replication.structures import STOCK_PAIR

FOLDER = SPEC / "tla"
"""Where the module of the stock pair is kept."""

STOCK_FAULT = "master power loss"
EXAMPLE = "transfer_batch_0"


@cache
def write_shown() -> Module:
    """The module of the stock pair, with the configuration of one of its columns."""
    fault = find_world(STOCK_PAIR).get_fault_model(STOCK_FAULT)
    return write_module(STOCK_PAIR, fault, find_world(STOCK_PAIR).sizes.search)


def render_example() -> str:
    """One action as it is exported."""
    blocks = write_shown().text.split("\n\n")
    (example,) = (block for block in blocks if f"\n{EXAMPLE} ==" in block)
    return f"```tla\n{example}\n```"


def render_counts() -> str:
    """A table of all instances."""
    spins = load_spin_counts()
    rows = []
    for name, entry in load_tlc_counts().items():
        found = (f"`{claim}`: {count_steps(n)}" for claim, n in entry["shortest"].items())
        states = f"{entry['states']:,}" if entry["states"] else "not counted"
        same = entry["states"] in (None, spins[name]["states"])
        assert same, f"{name}: TLC has other states than SPIN"
        rows.append((name, states, "<br>".join(found)))
    return render_table(("Instance", "States, in TLC as in SPIN and here", "Violated"), rows)


PAGE = Page(
    SPEC / "tla.md",
    {"example": set_apart(render_example), "counts": set_apart(render_counts)},
)
"""The chapter."""

FILES: Mapping[Path, Callable[[], str]] = {
    FOLDER / "Replication.tla": lambda: write_shown().text,
    FOLDER / "Replication.cfg": lambda: write_shown().configuration,
}
"""The files of the stock pair, each with what it should be."""
