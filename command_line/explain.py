"""``rmqspec explain``: why one cell is refuted, with the schedule that refutes it, drawn."""

from __future__ import annotations

from typing import Any

import click

from command_line.options.shared_options import (
    CLAIM,
    FAULT,
    add_structure_option,
    describe_model,
    find_column,
)
from properties.generated_text import ROOT
from properties.scenarios.counterexamples.cases import find_case
from properties.schedules.telling import draw_cell
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.expectations import find_expectation
from properties.verdicts.explanations import explain
from properties.verdicts.findings.disputes import list_disputing
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds import KNOWN_STRUCTURES, find_world
from reference.worlds.replication.structure import Structure

EPILOG = """\b
Examples:
  rmqspec explain acknowledgement_is_truthful "late join"
  rmqspec explain flush_reaches_the_end "every fault" \\
    --structure "ASYNC_MASTER/SYNC_FLUSH/0 slaves"
  rmqspec explain no_message_is_skipped "master stop" \\
    --structure "reading/open slow/no offset check/last"
  rmqspec explain acknowledgement_is_truthful none \\
    --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0"
\b
Exit codes: 0 told, 3 bad input.
"""


@click.command(name="explain", epilog=EPILOG)
@click.argument("claim", type=CLAIM, metavar="CLAIM")
@click.argument("fault", type=FAULT, metavar="FAULT")
@add_structure_option()
def command(claim: str, fault: str, name: str) -> None:
    """Tell why a claim fails under a fault class: what happens, where it was seen, each step."""
    structure = KNOWN_STRUCTURES[name]
    verdict = find_cell(structure, claim, fault)
    click.echo(f"{describe_model(structure)}, {fault}.")
    click.echo(f"{claim}: {find_world(structure).claims[claim].sentence}")
    if verdict.word is not VerdictWord.REFUTED:
        click.echo(f"It is not refuted: {describe(verdict)}.")
        print_disputes(verdict)
        return
    click.echo(f"{describe_reason(structure, verdict)}\n")
    print_disputes(verdict)
    click.echo(draw_cell(structure, verdict))
    if page := find_page(claim):
        click.echo(f"\nThe whole story of this guarantee, and what prevents it: {page}")


def print_disputes(verdict: Verdict) -> None:
    """What real brokers do that disputes the cell, with the evidence."""
    for finding in list_disputing([verdict]):
        click.echo(f"  {finding.id}: {finding.says} ({'; '.join(finding.evidence)})")


def find_page(claim: str) -> str | None:
    """The counterexample page of a claim, from the root; None for one that has none."""
    case = find_case(claim)
    return None if case is None else case.page.relative_to(ROOT).as_posix()


def find_cell(structure: Any, claim: str, fault: str) -> Verdict:
    """The certified cell. Raises click.BadParameter where the structure's world has none such."""
    if claim not in find_world(structure).claims:
        raise click.BadParameter(f"{claim} is not claimed of {structure.name}; name a --structure")
    find_column(structure, fault, "FAULT")
    return load_cells(structure)[claim, fault]


def describe_reason(structure: Any, verdict: Verdict) -> str:
    """The class of a refutation of 4.4.0 and its evidence; of all else the expected reason."""
    if not isinstance(structure, Structure) or structure.variants:
        return find_expectation(verdict.guarantee, structure, verdict.fault).reason
    found = explain(structure, verdict)
    seen = ", ".join((*found.threads, *found.recordings)) or "predicted, see spec/predictions.md"
    return f"{found.name}: {found.sentence} ({seen})"
