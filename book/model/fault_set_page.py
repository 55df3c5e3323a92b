"""The generated parts of ``spec/fault_sets.md``, rendered from the stored borders without a solver.

``rmqspec docs --write spec/fault_sets.md`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from book.links import link_finding
from book.merged_table import group_equal, merge_rows
from properties.generated_text import SPEC, Page, leave_to_site, render_table
from properties.language.world import ClaimedStructure
from properties.verdicts.fault_sets.certificates import load_borders
from properties.verdicts.findings.disputes import find_claim_disputes
from properties.worlds.catalogue import WORLD_BY_TOPIC, Tag, list_tagged
from properties.worlds.system.world import SYSTEM
from properties.z3.fault_sets import Border, FaultSet

WORLDS = {**WORLD_BY_TOPIC, SYSTEM.topic: SYSTEM}
"""The structures of every world, and those of all worlds together."""


def render_borders(world: str) -> str:
    """For each guarantee of a world the smallest fatal sets, and the steps of their schedules."""
    structures = [s for s in WORLDS[world].structures if s in list_tagged(Tag.FAULT_SETS)]
    names = structures[0].world.claims
    return "\n\n".join("\n".join(_render_guarantee(name, structures)) for name in names)


def _render_guarantee(name: str, structures: list[Any]) -> Iterator[str]:
    yield f"### What breaks {name}\n"
    yield f"> {structures[0].world.claims[name].sentence}\n"
    borders = {s: _load(s)[name] for s in structures}
    fatal = {r.faults for b in borders.values() for r in b.refuted}
    if not fatal:
        yield "No mixture of faults does, in any structure."
    else:
        ordered = sorted(fatal, key=lambda f: (len(f), sorted(f)))
        yield render_fatal(ordered, {s.name: b for s, b in borders.items()})
    yield from _tell_disputes(name, structures)
    for structure, border in borders.items():
        for faults in border.undecided:
            yield f"\n{structure.name}: {_quote(faults)} is undecided."


def _tell_disputes(name: str, structures: list[Any]) -> Iterator[str]:
    """The findings that dispute survived sets, by structure."""
    disputed: dict[str, list[str]] = {}
    for structure in structures:
        for identifier in find_claim_disputes(structure, name):
            disputed.setdefault(structure.name, []).append(identifier)
    alike = group_equal(list(disputed), lambda s: tuple(disputed[s]))
    for names in alike:
        where = "every structure" if len(names) == len(structures) else ", ".join(names)
        told = ", ".join(map(link_finding, disputed[names[0]]))
        yield f"\nSurvived sets are disputed by {told} ({where})."


def render_fatal(ordered: Sequence[FaultSet], borders: Mapping[str, Border]) -> str:
    """A row for each set of faults, a column for structures with equal results."""
    cells = {s: tuple(_tell_steps(b, f) for f in ordered) for s, b in borders.items()}
    merged = list(merge_rows(list(cells), cells))
    rows = zip(map(_quote, ordered), *(cells[first] for _, first in merged), strict=True)
    return render_table(["Smallest fatal set", *(label for label, _ in merged)], rows)


@cache
def _load(structure: ClaimedStructure) -> dict[str, Border]:
    return {b.guarantee: b for b in load_borders(structure)}


def _tell_steps(border: Border, faults: FaultSet) -> str:
    """The length of the schedule, or the result that follows from another set."""
    for refutation in border.refuted:
        if refutation.faults == faults:
            return str(len(refutation.schedule))
    if any(r.faults < faults for r in border.refuted):
        return "fewer do"
    return "survived" if any(faults <= p for p in border.proved) else "open"


def _quote(faults: FaultSet) -> str:
    return " + ".join(f"`{name}`" for name in sorted(faults)) or "no fault at all"


CHAPTER = SPEC / "fault_sets.md"

_TABLES = {f"borders of {world}": partial(render_borders, world) for world in WORLDS}

PAGE = Page(CHAPTER, _TABLES, site_only=leave_to_site(CHAPTER, _TABLES))
"""The chapter."""
