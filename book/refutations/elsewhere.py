"""The guarantee elsewhere: other fault models, deployments and releases, and repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve

from book.model.world_page import tell
from book.refutations.evidence import describe_report, find_known_issues, is_same_story
from properties.comparison.upgrades import COMPARED_VARIANTS
from properties.generated_text import count_steps, render_table
from properties.language.world import ClaimedStructure
from properties.scenarios.counterexamples.cases import CounterexamplePage
from properties.verdicts.certificates import find_cells
from properties.verdicts.certified_cells import compute_row, describe
from properties.verdicts.expectations import find_expectation
from properties.verdicts.findings.explanations import explain
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.world import ClaimedGroup
from reference.releases.versions import RULE_SETS, apply_rule_set


def render_others(case: CounterexamplePage) -> str:
    """A row for each way in which the guarantee breaks, in this structure."""
    groups: dict[str, list[Verdict]] = {}
    for cell in case.cells:
        if cell.word is VerdictWord.REFUTED:
            groups.setdefault(describe_way(case, cell), []).append(cell)
    rows = [(way, *describe_cells(cells)) for way, cells in groups.items()]
    table = render_table(("How it breaks", "Fault models", "Steps"), rows)
    told = [table, f"It holds under: {list_fault_models(case, is_holding) or 'no fault model'}."]
    for words, is_such in OTHERWISE.items():
        if named := list_fault_models(case, is_such):
            told.append(f"{words}: {named}.")
    issues = [s for s in find_known_issues(case) if not is_same_story(case, s)]
    told.append("\n".join(f"- {describe_report(scenario)}" for scenario in issues))
    return "\n\n".join(filter(None, told))


def is_holding(cell: Verdict) -> bool:
    """It is proved and not vacuous, whether or not it is disputed."""
    return cell.word is VerdictWord.PROVED and not cell.is_vacuous


OTHERWISE: Mapping[str, Callable[[Verdict], bool]] = {
    "It is vacuous under": lambda cell: cell.is_vacuous,
    "It is undecided under": lambda cell: cell.word is VerdictWord.UNDECIDED,
}
"""The remaining verdicts, which are neither refuted nor a promise."""


def list_fault_models(case: CounterexamplePage, is_such: Callable[[Verdict], bool]) -> str:
    """The fault models of these verdicts, with the findings that dispute them."""
    return ", ".join(
        f"{cell.fault} ({cell.dispute})" if cell.disputed else cell.fault
        for cell in case.cells
        if is_such(cell)
    )


def describe_way(case: CounterexamplePage, cell: Verdict) -> str:
    """The class of a refutation, or the reason that is expected of it."""
    if case.group:
        return explain(case.group, cell).sentence
    return find_expectation(cell.guarantee, case.structure, cell.fault).reason


def describe_cells(cells: list[Verdict]) -> Iterator[str]:
    """The fault models and lengths of these verdicts."""
    yield ", ".join(cell.fault for cell in cells)
    lengths = sorted({len(cell.schedule) for cell in cells})
    yield (
        " or ".join(map(str, lengths[:-1]))
        + (" or " if lengths[:-1] else "")
        + count_steps(lengths[-1])
    )


def tell_cell(case: CounterexamplePage, structure: ClaimedStructure) -> str | None:
    """The case's verdict in another structure; None if it is not decided.

    A deployment of 4.4.0 is described as in the verdict tables, which show vacuous proofs.
    """
    if case.group and not structure.variants:
        return compute_row(structure).get((case.claim, case.fault))
    found = find_cells(structure).get((case.claim, case.fault))
    if found is None:
        return None
    return describe(found) if case.group else tell(found)


def list_variants(structure: ClaimedGroup) -> Iterator[tuple[str, ClaimedGroup]]:
    """The repairs, by name, on top of 4.4.0."""
    for name in COMPARED_VARIANTS:
        if name not in RULE_SETS:
            yield name, evolve(structure, variants=(name,))


def list_releases(structure: ClaimedGroup) -> Iterator[tuple[str, ClaimedGroup]]:
    """Later releases, by the first one with the same rules."""
    for name in RULE_SETS:
        yield name, apply_rule_set(structure, name)


def list_deployments(case: CounterexamplePage) -> Iterator[tuple[str, Any]]:
    """The other structures of the same world in 4.4.0, by name."""
    for structure in case.structure.world.structures:
        if structure != case.structure:
            yield structure.name, structure


def group_by_verdict(
    case: CounterexamplePage, named: Iterable[tuple[str, Any]]
) -> dict[str, list[str]]:
    """The names of structures by their verdict; undecided ones are left out."""
    groups: dict[str, list[str]] = {}
    for name, structure in named:
        verdict = tell_cell(case, structure)
        if verdict is not None:
            groups.setdefault(verdict, []).append(name)
    return groups
