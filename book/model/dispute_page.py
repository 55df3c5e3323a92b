"""The generated parts of ``spec/disputed.md``: proved verdicts that real brokers contradict.

``rmqspec docs --write spec/disputed.md`` writes them anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from book.links import link_claim, link_finding
from book.merged_table import merge_rows
from properties.generated_text import SPEC, Page, render_table
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import find_cells
from properties.verdicts.findings.disputes import Finding, load_findings
from properties.verdicts.verdict import Verdict
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged


@cache
def count_cells() -> Counter[str]:
    """The number of verdicts that each finding disputes, over all structures and releases.

    Under ``""`` are those that any finding disputes, under ``cells`` all there are.
    """
    counts: Counter[str] = Counter()
    for structure in STRUCTURES.values():
        for cell in find_cells(structure).values():
            counts["cells"] += 1
            counts.update(cell.disputed)
            counts[""] += bool(cell.disputed)
    return counts


def render_summary() -> str:
    """One sentence: the numbers of verdicts and of disputed ones."""
    counts = count_cells()
    return (
        f"Of {counts['cells']:,} verdicts of all structures and releases {counts['']:,} are "
        f"disputed by {sum(1 for f in load_findings() if f.cells)} findings; "
        f"{sum(1 for f in load_findings() if not f.cells)} more findings dispute none."
    )


def render_overview() -> str:
    """A row for each finding that disputes verdicts."""
    counts = count_cells()
    rows = [
        (
            link_finding(finding.id),
            ", ".join(link_claim(claim) for claim in list_claims(finding)),
            f"{counts[finding.id]:,}",
        )
        for finding in load_findings()
        if finding.cells
    ]
    return render_table(("Finding", "Disputes", "Verdicts, all releases"), rows)


def list_claims(finding: Finding) -> list[str]:
    """The claims of which a finding disputes verdicts, each once."""
    return list(dict.fromkeys(claim for cells in finding.cells for claim in cells.claims))


def render_findings() -> str:
    """A section for each finding."""
    return "\n\n".join("\n".join(_render_finding(f)) for f in load_findings())


def _render_finding(finding: Finding) -> Iterator[str]:
    yield f"### {finding.id}\n"
    yield f"{finding.says}\n"
    yield f"Evidence: {'; '.join(finding.evidence)}."
    if finding.no_cells:
        yield f"\nIt disputes no verdict: {finding.no_cells[0].lower()}{finding.no_cells[1:]}"
    for inference in dict.fromkeys(c.inference for c in finding.cells if c.inference):
        claims = [n for c in finding.cells if c.inference == inference for n in c.claims]
        yield f"\nBy inference also {', '.join(map(link_claim, claims))}: {inference}"
    for claim in list_claims(finding):
        if table := render_cells(finding, claim):
            yield f"\n{link_claim(claim)}:\n\n{table}"


def render_cells(finding: Finding, claim: str) -> str:
    """The structures of 4.4.0 in which the finding disputes a claim; empty if there are none."""
    structures = list_tagged(Tag.USUAL)
    rows = {s.name: list_disputed(finding, claim, s) for s in structures if claim in s.world.claims}
    rows = {name: fault_models for name, fault_models in rows.items() if fault_models}
    if not rows:
        return ""
    merged = merge_rows(list(rows), {name: (", ".join(c),) for name, c in rows.items()})
    return render_table(
        ("Structure", "Fault models"), [(label, ", ".join(rows[first])) for label, first in merged]
    )


def list_disputed(finding: Finding, claim: str, structure: ClaimedStructure) -> Sequence[str]:
    """The fault models under which the finding disputes a claim about a structure."""
    cells = find_cells(structure)
    fault_models = [c.name for c in structure.world.fault_models]
    named = [c for c in fault_models if is_disputed_by(finding, cells.get((claim, c)))]
    return ["every one"] if named == fault_models else named


def is_disputed_by(finding: Finding, cell: Verdict | None) -> bool:
    """The finding is among those that dispute the verdict."""
    return cell is not None and finding.id in cell.disputed


PAGE = Page(
    SPEC / "disputed.md",
    {
        "summary": render_summary,
        "overview": render_overview,
        "findings": render_findings,
    },
)
"""The chapter."""
