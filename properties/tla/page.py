"""The generated parts of ``spec/tla.md``, and the module that is kept beside it to be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from properties.generated_text import SPEC, Page, render_table, set_apart
from properties.stock import STOCK_PAIR
from properties.tla.module import Module, write_module
from properties.tla.tlc_counts import render_counts
from properties.worlds import STRUCTURES, find_world

FOLDER = SPEC / "tla"
"""Where the module of the stock pair is kept."""

STOCK, STOCK_FAULT = STOCK_PAIR.name, "master power loss"
EXAMPLE = "transfer_batch"
SHOWN = (
    "ASYNC_MASTER/ASYNC_FLUSH/0 slaves",
    STOCK,
    "SYNC_MASTER/SYNC_FLUSH/3 slaves",
    "consumer/slave read/offset check",
    "tables/topics/4.4.0",
    "delay/4.4.0",
)
"""The structures whose modules are measured."""


@cache
def write_shown(name: str) -> Module:
    """The module of a structure, with the configuration of one of its columns."""
    structure = STRUCTURES[name]
    fault = find_world(structure).get_column(STOCK_FAULT if name == STOCK else "none")
    return write_module(structure, fault, find_world(structure).sizes.search)


def render_example() -> str:
    """One action as it is exported."""
    lines = write_shown(STOCK).text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"{EXAMPLE}("))
    first = max(i for i in range(start) if not lines[i]) + 1
    end = lines.index("", start)
    return "\n".join(["```tla", *lines[first:end], "```"])


def render_numbers() -> str:
    """How large the modules are."""
    rows = [(name, *measure(write_shown(name))) for name in SHOWN]
    head = ["structure", "lines", "definitions", "actions", "claims"]
    return render_table(head, rows)


def measure(module: Module) -> tuple[int, int, int, int]:
    """Lines, definitions, actions and claims of a module."""
    lines = module.text.splitlines()
    definitions = sum(not line.startswith((" ", "\\*")) and " ==" in line for line in lines)
    return len(lines), definitions, module.action_count, module.claim_count


PAGE = Page(
    SPEC / "tla.md",
    {
        "example": set_apart(render_example),
        "numbers": set_apart(render_numbers),
        "counts": set_apart(render_counts),
    },
)
"""The chapter."""

FILES: Mapping[Path, Callable[[], str]] = {
    FOLDER / "Replication.tla": lambda: write_shown(STOCK).text,
    FOLDER / "Replication.cfg": lambda: write_shown(STOCK).configuration,
}
"""The files of the stock pair, each with what it should be."""
