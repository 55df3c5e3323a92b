"""The generated parts of ``spec/vectors.md``: how many there are, and what they notice."""

from __future__ import annotations

from properties.generated_text import SPEC, Page, leave_to_site, render_table, set_apart
from properties.judges.measurements import read_measurement
from properties.vectors.differences import list_differences
from properties.vectors.kill_rates.table import (
    MEASUREMENT,
    load_counts,
    render_kill_rates,
)
from properties.vectors.question import RELEASES, list_vectors
from properties.vectors.sets.every_set import SETS
from properties.vectors.sets.progress import PROGRESS
from reference.releases.versions import USUAL


def render_counts() -> str:
    """A row for each set, a column for each release."""
    counts = load_counts()
    rows = []
    for each in SETS:
        cells = []
        for release in RELEASES:
            owner = each.releases.get(release)
            count = "" if owner is None else str(counts[each.name][owner])
            cells.append(count if owner in (None, release) else f"{count}, as {owner}")
        rows.append((each.name, *cells))
    return render_table(("Set", *RELEASES), rows)


def render_difference() -> str:
    """What is printed for a wrong answer."""
    vector = next(v for v in list_vectors(PROGRESS, USUAL) if v["answer"]["offset"] is None)
    wrong = {"code": 0, "offset": 0}
    found = list_differences(vector, wrong, frozenset(), {})
    return "\n".join(["```text", *(each.describe() for each in found), "```"])


def render_measured() -> str:
    """Kill rates and when they were measured; without a measurement, how to do it."""
    measured = read_measurement(MEASUREMENT)
    if measured is None:
        command = "python -m properties.vectors.kill_rates"
        return f"Nothing is measured in this checkout: `{command}` does it, in minutes."
    return f"{measured.describe()}\n\n{render_kill_rates()}"


CHAPTER = SPEC / "vectors.md"

VECTORS_PAGE = Page(
    CHAPTER,
    {
        "counts": set_apart(render_counts),
        "difference": set_apart(render_difference),
        "kill rates": render_measured,
    },
    site_only=leave_to_site(CHAPTER, ("kill rates",)),
)
"""The chapter."""
