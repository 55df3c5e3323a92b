"""The other columns of a counterexample's guarantee: how it falls there."""

from __future__ import annotations

from collections.abc import Iterator

from book.refutations.evidence import (
    describe_report,
    find_known_issues,
    is_same_story,
)
from properties.generated_text import count_steps, render_table
from properties.scenarios.counterexamples.cases import Case
from properties.verdicts.expectations import find_expectation
from properties.verdicts.explanations import explain
from properties.verdicts.verdict import Verdict, VerdictWord


def render_others(case: Case) -> str:
    """A row for each way in which the guarantee falls, in this structure."""
    groups: dict[str, list[Verdict]] = {}
    for cell in case.cells:
        if cell.word is VerdictWord.REFUTED:
            groups.setdefault(describe_way(case, cell), []).append(cell)
    rows = [(way, *describe_cells(cells)) for way, cells in groups.items()]
    held = [
        f"{cell.fault} ({cell.dispute})" if cell.disputed else cell.fault
        for cell in case.cells
        if cell.word is not VerdictWord.REFUTED
    ]
    table = render_table(("How it falls", "Columns", "Steps"), rows)
    told = [table, f"It holds under: {', '.join(held) or 'no column'}."]
    issues = [s for s in find_known_issues(case) if not is_same_story(case, s)]
    told.append("\n".join(f"- {describe_report(scenario)}" for scenario in issues))
    return "\n\n".join(filter(None, told))


def describe_way(case: Case, cell: Verdict) -> str:
    """The class of a refutation, or the reason that is expected of it."""
    if case.is_replication:
        return explain(case.structure, cell).sentence
    return find_expectation(cell.guarantee, case.structure, cell.fault).reason


def describe_cells(cells: list[Verdict]) -> Iterator[str]:
    """Their columns and lengths."""
    yield ", ".join(cell.fault for cell in cells)
    lengths = sorted({len(cell.schedule) for cell in cells})
    yield (
        " or ".join(map(str, lengths[:-1]))
        + (" or " if lengths[:-1] else "")
        + count_steps(lengths[-1])
    )
