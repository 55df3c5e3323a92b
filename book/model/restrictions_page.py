"""The generated parts of ``spec/restrictions.md``, rendered from stored answers without a solver.

``rmqspec docs --write spec/restrictions.md`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from properties.generated_text import SPEC, Page, leave_to_site, render_table
from properties.restrictions.counting import (
    Bearing,
    compute_tally,
    list_bearing,
    list_judged_structures,
)
from properties.restrictions.derivation import DEFINING_CONDITIONS
from properties.restrictions.evidence import RestrictionEvidence
from properties.restrictions.results import load_judged
from properties.worlds.catalogue import WORLD_BY_TOPIC

CLAIMS_SHOWN = 3
"""How many claims a row names."""

HEAD = ("Restriction", "Verdicts", "By one", "Claims", "Evidence")


def render_counts() -> str:
    """A row per world: the number of restrictions, and the evidence for the load-bearing ones."""
    head = (
        *("World", "restrictions", "load-bearing", "probed", "by nature", "refuted", "not tested"),
        *("proved verdicts", "of them depending on refuted or untested ones"),
    )
    rows = []
    for world in WORLD_BY_TOPIC:
        t = compute_tally(world)
        rows.append(
            (
                *(world, t.restrictions, t.load_bearing, t.evident, t.by_nature, t.refuted),
                *(t.unasked, t.proved_cells, t.resting_cells),
            )
        )
    totals = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    return render_table(head, [*rows, ("all", *totals)])


def render_open() -> str:
    """The tests for real brokers of all worlds, those with the most dependent verdicts first."""
    open_ones = [
        (world, b)
        for world in WORLD_BY_TOPIC
        for b in list_bearing(world)
        if not b.standing.is_evident
    ]
    open_ones.sort(key=lambda item: -item[1].cells)
    rows = [
        (f"{world}: `{b.name}`", b.cells, b.cells_by_one, _name_claims(b), describe(b.standing))
        for world, b in open_ones
    ]
    return render_table(HEAD, rows)


def render_world(world: str) -> str:
    """Every load-bearing restriction of a world."""
    rows = (
        (f"`{b.name}`", b.cells, b.cells_by_one, _name_claims(b), describe(b.standing))
        for b in list_bearing(world)
    )
    return render_table(HEAD, rows)


def describe(standing: RestrictionEvidence) -> str:
    """The evidence for a restriction, or the test that is missing."""
    return " ".join(_describe(standing)) or "none: no question is written down"


def _describe(standing: RestrictionEvidence) -> Iterator[str]:
    if standing.refuted_by:
        yield f"**refuted by {', '.join(standing.refuted_by)}**:"
    elif standing.is_by_nature:
        yield "by nature:"
    if standing.says:
        yield standing.says
    if seen := (*standing.rows, *standing.recordings):
        yield f"({', '.join(seen)})"
    if standing.ask:
        yield f"none: test {standing.ask}"


def _name_claims(bearing: Bearing) -> str:
    shown = ", ".join(f"`{claim}`" for claim in bearing.claims[:CLAIMS_SHOWN])
    left = len(bearing.claims) - CLAIMS_SHOWN
    return f"{shown} and {left} more" if left > 0 else shown


def render_idle() -> str:
    """The restrictions of each world that carry no verdict in any structure."""
    lines = []
    for world in WORLD_BY_TOPIC:
        structures = list_judged_structures(world)
        names = dict.fromkeys(j.restriction for s in structures for j in load_judged(s))
        bearing = {b.name for b in list_bearing(world)}
        idle = [f"`{name}`" for name in names if name not in bearing]
        lines.append(f"- {world}, {len(idle)}: {', '.join(idle)}")
    return "\n".join(lines)


def render_gave_up() -> str:
    """Where Z3 gave up, so that verdicts were counted as lost without an answer."""
    lines = [
        f"- {structure.name}: `{judged.restriction}`, under {', '.join(columns)}"
        for world in WORLD_BY_TOPIC
        for structure in list_judged_structures(world)
        for judged in load_judged(structure)
        if (columns := dict.fromkeys((*judged.entirely.gave_up, *judged.by_one.gave_up)))
    ]
    return "\n".join(lines) or "Z3 gave up no question."


def render_defining() -> str:
    """The conditions that are not relaxed."""
    return "\n".join(f"- `{name}`: {why}" for name, why in DEFINING_CONDITIONS.items())


CHAPTER = SPEC / "restrictions.md"

_TABLES = {f"of {world}": partial(render_world, world) for world in WORLD_BY_TOPIC}

PAGE = Page(
    CHAPTER,
    {
        "counts": render_counts,
        "open": render_open,
        "idle": render_idle,
        "gave up": render_gave_up,
        "defining": render_defining,
        **_TABLES,
    },
    site_only=leave_to_site(CHAPTER, (*_TABLES, "idle")),
)
"""The chapter."""
