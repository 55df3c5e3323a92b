"""The generated part of ``spec/own_broker.md``: the wire mutants of the own broker."""

from __future__ import annotations

from brokers.broker.mutants import MUTANTS, Mutant
from brokers.broker.mutants.mutant import BOTH, MASTER, SLAVE
from properties.generated_text import SPEC, Page, compute_anchor, leave_to_site, render_table
from reference.releases.releases import CLASSIC, RELEASES, Span, get_modes

ROLES = (MASTER, SLAVE, BOTH)


def render_wire_mutants() -> str:
    """A row per mutant, those of a master first."""
    ordered = sorted(MUTANTS.values(), key=lambda each: ROLES.index(each.role))
    head = ("Mutant", "Role", "What it does", "Forbidden by", "Source", "Releases")
    return render_table(head, map(describe, ordered))


def describe(mutant: Mutant) -> tuple[str, ...]:
    """Its row."""
    return (
        f"`{mutant.name}`",
        mutant.role,
        mutant.sentence,
        f"[{find_heading(mutant.forbidden_by)}]({mutant.forbidden_by})",
        mutant.source,
        "; ".join(map(describe_span, mutant.spans)),
    )


def find_heading(place: str) -> str:
    """The heading to which a place leads. Raises LookupError if the page has none."""
    page, _, anchor = place.partition("#")
    for line in (SPEC / page).read_text(encoding="utf-8").splitlines():
        heading = line.lstrip("#").strip()
        if line.startswith("#") and compute_anchor(heading) == anchor:
            return heading
    raise LookupError(f"{place}: there is no such heading")


def describe_span(span: Span) -> str:
    """From when to when, and in which mode where there are several."""
    covered = [r for r in RELEASES if any(span.covers(r, mode) for mode in get_modes(r))]
    first, last = covered[0], covered[-1]
    text = f"from {first} on" if last == RELEASES[-1] else f"{first} to {last}"
    is_only_quorum = CLASSIC not in span.modes
    return f"{text}, `inSyncReplicas=2`" if is_only_quorum else text


CHAPTER = SPEC / "own_broker.md"

PAGE = Page(
    CHAPTER,
    {"wire mutants": render_wire_mutants},
    site_only=leave_to_site(CHAPTER, ("wire mutants",)),
)
"""The chapter."""
