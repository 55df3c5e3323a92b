"""Codes of the screen for verdicts, and the counterexample pages about them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from properties.language.world import ClaimedStructure
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.reading import ReadingQuestion
from properties.scenarios.counterexamples.cases import CounterexamplePage, load_cases
from properties.scenarios.summary.rows import (
    get_fault_model,
    is_of_row,
    is_refuted,
    judge_rows,
    keep_weakest,
    make_failure,
)
from properties.scenarios.summary.words import RowWords, load_words
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import find_cells, load_cells
from properties.verdicts.verdict import Verdict
from properties.worlds.replication.structures import STOCK_PAIR
from reference.configuration.deployments import sample_group
from reference.releases.versions import USUAL_VERSION


def find_row(claim: str) -> RowWords | None:
    """The row that a claim is in; None if it is in none."""
    return next((r for r in load_words().rows if any(c.name == claim for c in r.claim)), None)


def find_weakest(
    structure: ClaimedStructure, verdict: Verdict, cells: Sequence[tuple[Any, Verdict]]
) -> Verdict | None:
    """The verdict itself, or one on the same claim that is refuted under fewer faults.

    ``cells`` are the verdicts of its row. None if the verdict is not refuted.
    """
    fault_model = get_fault_model(structure, verdict)
    weakest = [
        v
        for s, v in keep_weakest(cells)
        if s is structure
        and v.guarantee == verdict.guarantee
        and get_fault_model(s, v).is_contained_in(fault_model)
    ]
    return next((v for v in weakest if v is verdict), next(iter(weakest), None))


def find_code_of_cell(structure: ClaimedStructure, verdict: Verdict) -> str:
    """The code under which the screen shows a refuted verdict.

    Empty for a claim in no row, for a verdict that is not refuted, and without a certificate.
    """
    row = find_row(verdict.guarantee)
    if row is None or not is_refuted(verdict) or not find_cells(structure):
        return ""
    cells = [(structure, v) for v in load_cells(structure).values() if is_of_row(row, v)]
    found = find_weakest(structure, load_cells(structure)[verdict.guarantee, verdict.fault], cells)
    return "" if found is None else make_failure(row, structure, found).code


@cache
def list_usual_codes() -> frozenset[str]:
    """The codes on the screen of the embedded pair, which ``explain CODE`` is about by default."""
    log = Analysis(STOCK_PAIR, load_stock_verdicts())
    analysis = GroupAnalysis(sample_group(USUAL_VERSION), ReadingQuestion(), log)
    rows = judge_rows(STOCK_PAIR, analysis.summarised)
    return frozenset(failure.code for row in rows for failure in row.failures)


def load_stock_verdicts() -> tuple[Verdict, ...]:
    """The verdicts of the embedded pair."""
    return tuple(load_cells(STOCK_PAIR).values())


@cache
def list_cases() -> tuple[tuple[str, CounterexamplePage], ...]:
    """Each counterexample page with its code; those of claims in no row are left out."""
    coded = ((find_code_of_cell(case.structure, case.verdict), case) for case in load_cases())
    return tuple((code, case) for code, case in coded if code)
