"""``rmqspec explain``: why one cell is refuted, with the schedule that refutes it, drawn."""

from __future__ import annotations

from typing import Any

import click

from command_line.answers.code_story import print_stories
from command_line.check import read
from command_line.options.check_options import (
    CHANGES_OPTION,
    SLAVES_OPTION,
    Change,
    assume_all,
    change_all,
)
from command_line.options.reading_options import add_reading_options
from command_line.options.shared_options import (
    CLAIM_OR_CODE,
    FAULT,
    add_structure_option,
    describe_model,
    find_column,
)
from command_line.options.version_option import add_version_option
from properties.generated_text import ROOT
from properties.scenarios.counterexamples.cases import find_case
from properties.scenarios.summary.rows import CODE
from properties.schedules.telling import draw_cell
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.expectations import find_expectation
from properties.verdicts.explanations import explain
from properties.verdicts.findings.disputes import list_disputing
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds import KNOWN_STRUCTURES, find_world
from reference.releases.versions import Version
from reference.worlds.replication.structure import Structure

EPILOG = """\b
Examples:
  rmqspec explain L12                   # a code of `rmqspec check`
  rmqspec explain L12 conf/2m-2s-sync   # in your groups
  rmqspec explain C0 --what-if flushDiskType=SYNC_FLUSH
  rmqspec explain acknowledgement_is_truthful "late join"
  rmqspec explain flush_reaches_the_end "every fault" \\
    --structure "ASYNC_MASTER/SYNC_FLUSH/0 slaves"
  rmqspec explain no_message_is_skipped "master stop" \\
    --structure "reading/open slow/no offset check/last"
  rmqspec explain acknowledgement_is_truthful none \\
    --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0"

Exit codes: 0 told, 3 bad input.
"""


@click.command(name="explain", epilog=EPILOG)
@click.argument("asked", metavar="CODE|CLAIM", type=CLAIM_OR_CODE)
@click.argument("more", nargs=-1, metavar="[FILE_OR_DIRECTORY]...|FAULT")
@add_structure_option()
@SLAVES_OPTION
@CHANGES_OPTION
@add_version_option()
@add_reading_options
def command(  # noqa: PLR0913, PLR0917
    asked: str,
    more: tuple[str, ...],
    name: str,
    slaves: int | None,
    changes: list[Change],
    version: Version,
    **consumers: Any,
) -> None:
    """Show why a claim fails: what happens, where it was seen, each step.

    CODE is one that `check` prints; files say of which groups, as there. CLAIM and FAULT name a
    verdict of a structure.
    """
    if CODE.fullmatch(asked):
        deployments = change_all(assume_all(read(more, version)[0], slaves), changes)
        print_stories(asked, deployments, consumers, is_known=slaves is not None)
        return
    if len(more) != 1:
        raise click.UsageError("give CLAIM and FAULT, or CODE and files")
    explain_cell(KNOWN_STRUCTURES[name], asked, FAULT.convert(more[0], None, None))


def explain_cell(structure: Any, claim: str, fault: str) -> None:
    """Print why one cell is refuted. Raises click.BadParameter where there is no such cell."""
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
