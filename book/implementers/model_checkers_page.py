"""The generated parts of ``spec/spin.md`` and ``spec/tla.md``: counts and examples.

An example is one step as it is exported. The module that ``spec/tla.md`` keeps beside it to be read
is written here too. ``rmqspec docs --write`` with a chapter writes it anew. Neither SPIN nor TLC is
needed: the counts are data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from properties.exports.instances import JudgedInstance, load_spin_counts
from properties.exports.promela import Checks, PromelaModel
from properties.exports.tla import Module, write_module
from properties.exports.tlc import load_tlc_counts
from properties.generated_text import SPEC, Page, count_steps, render_table, set_apart
from properties.worlds.judged_instances import JUDGED_INSTANCES
from properties.worlds.replication.structures import STOCK_PAIR

SHOWN_INSTANCE = "SYNC_MASTER/ASYNC_FLUSH/1 slave, disk errors, log of 4 bytes, 12 steps"
SHOWN_STEP = "transfer_batch[0]"


def render_spin_counts() -> str:
    """A row for each instance."""
    counts = load_spin_counts()
    rows = []
    for judged in JUDGED_INSTANCES:
        entry = counts[judged.name]
        quotient = entry["quotient"]
        rows.append(
            [
                f"{judged.structure_name}, {judged.fault}",
                judged.extent,
                f"{entry['states']:,}",
                "not counted" if quotient is None else f"{quotient:,}",
                describe_shortest(entry["shortest"]),
            ]
        )
    head = ("Instance", "How far", "States, here and in SPIN", "States, usual search", "Violated")
    return render_table(head, rows)


def describe_shortest(shortest: Mapping[str, int]) -> str:
    """The violated guarantees with their steps, shortest ones first."""
    in_order = sorted(shortest.items(), key=lambda item: (item[1], item[0]))
    return "<br>".join(f"`{name}`: {count_steps(n)}" for name, n in in_order) or "nothing"


def render_spin_step() -> str:
    """One instance of a rule as SPIN reads it, and its first two options."""
    judged = find_judged(SHOWN_INSTANCE)
    writer = next(s for s in PromelaModel(judged.small).steps if s.step.name == SHOWN_STEP)
    options = list(writer.write_options(Checks()))[:2]
    return "\n".join(["```c", *writer.define(), "...", *options, "```"])


def find_judged(name: str) -> JudgedInstance:
    """The judged instance of this name. Raises StopIteration."""
    return next(judged for judged in JUDGED_INSTANCES if judged.name == name)


SPIN_PAGE = Page(SPEC / "spin.md", {"counts": render_spin_counts, "step": render_spin_step})
"""The chapter."""


FOLDER = SPEC / "tla"
"""Where the module of the stock pair is kept."""

STOCK_FAULT = "master power loss"
EXAMPLE = "transfer_batch_0"


@cache
def write_shown() -> Module:
    """The module of the stock pair, with the configuration of one of its fault models."""
    fault = STOCK_PAIR.world.get_fault_model(STOCK_FAULT)
    return write_module(STOCK_PAIR, fault, STOCK_PAIR.world.sizes.search)


def render_tla_example() -> str:
    """One action as it is exported."""
    blocks = write_shown().text.split("\n\n")
    (example,) = (block for block in blocks if f"\n{EXAMPLE} ==" in block)
    return f"```tla\n{example}\n```"


def render_tlc_counts() -> str:
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


TLA_PAGE = Page(
    SPEC / "tla.md",
    {"example": set_apart(render_tla_example), "counts": set_apart(render_tlc_counts)},
)
"""The chapter."""

FILES: Mapping[Path, Callable[[], str]] = {
    FOLDER / "Replication.tla": lambda: write_shown().text,
    FOLDER / "Replication.cfg": lambda: write_shown().configuration,
}
"""The files of the stock pair, each with its expected text."""
