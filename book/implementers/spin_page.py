"""The generated parts of ``spec/spin.md``: what SPIN counted, and one step as it is exported.

``rmqspec docs --write spec/spin.md`` writes them anew. No SPIN is needed: the counts are data.
"""

from __future__ import annotations

from collections.abc import Mapping

from properties.exports.instances import JUDGED_INSTANCES, JudgedInstance, load_spin_counts
from properties.exports.promela import PromelaModel
from properties.generated_text import SPEC, Page, count_steps, render_table

SHOWN_INSTANCE = "SYNC_MASTER/ASYNC_FLUSH/1 slave, disk errors, log of 4 bytes, 12 steps"
SHOWN_STEP = "transfer_batch[0]"


def render_counts() -> str:
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
    head = ("Instance", "How far", "States, here and in SPIN", "Told apart usually", "Violated")
    return render_table(head, rows)


def describe_shortest(shortest: Mapping[str, int]) -> str:
    """The violated guarantees with their steps, shortest ones first."""
    in_order = sorted(shortest.items(), key=lambda item: (item[1], item[0]))
    return "<br>".join(f"`{name}`: {count_steps(n)}" for name, n in in_order) or "nothing"


def render_step() -> str:
    """One instance of a rule as SPIN reads it, and its first two options."""
    judged = find_judged(SHOWN_INSTANCE)
    writer = next(s for s in PromelaModel(judged.small).steps if s.step.name == SHOWN_STEP)
    options = list(writer.write_options())[:2]
    return "\n".join(["```c", *writer.define(), "...", *options, "```"])


def find_judged(name: str) -> JudgedInstance:
    """The judged instance of this name. Raises StopIteration."""
    return next(judged for judged in JUDGED_INSTANCES if judged.name == name)


PAGE = Page(SPEC / "spin.md", {"counts": render_counts, "step": render_step})
"""The chapter."""
