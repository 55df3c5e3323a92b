"""Findings of a campaign beyond counts: known ways to fail, classes, and the report."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from command_line.options.fuzz_options import format_command
from properties.generated_text import count_steps
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import read_manifest
from spark_fuzz.report.class_files import (
    CLASSES_FILE,
    ViolationClass,
    number_classes,
    put_text,
    write_classes,
)
from spark_fuzz.report.report_summary import (
    REPORT_FILE,
    SUMMARY_FILE,
    CampaignCounts,
    compute_report_summary,
)

if TYPE_CHECKING:
    from spark_fuzz.report.known_failures import KnownFailure

MISSED_SHOWN = 5
CLASSES_SHOWN = 12


def find_known(counted: Any, options: CampaignOptions) -> list[KnownFailure]:
    """The known ways to fail, each with its counts in the campaign."""
    from spark_fuzz.report.known_failures import count_known_failures  # noqa: PLC0415

    return count_known_failures(counted, options.structure, options.limits)


def find_classes(counted: Any, folder: Path, options: CampaignOptions) -> list[ViolationClass]:
    """The classes of the campaign's violations, which are also written beside its rows."""
    from spark_fuzz.report.violation_classes import find_classes  # noqa: PLC0415

    rows = [row.asDict() for row in find_classes(counted, folder).collect()]
    classes = number_classes(rows, options)
    write_classes(folder, classes)
    return classes


def write_report(
    folder: Path,
    counts: Mapping[str, Any],
    known: Sequence[KnownFailure],
    classes: Sequence[ViolationClass] | None,
) -> None:
    """summary.json and report.html, beside the rows."""
    from book.campaign.report_page import render_report  # noqa: PLC0415

    manifest = read_manifest(folder)
    findings = CampaignCounts(counts, known, None if classes is None else len(classes))
    summary = compute_report_summary(folder, findings, format_command(manifest))
    put_text(folder / SUMMARY_FILE, json.dumps(summary, indent=1) + "\n")
    put_text(folder / REPORT_FILE, render_report(summary, classes))


def print_known(known: list[KnownFailure]) -> None:
    """How many of the known ways to fail were met, and some that were missed."""
    if not known:
        return
    missed = [failure for failure in known if not failure.schedules]
    click.echo(f"  {len(known) - len(missed)} of {len(known)} known ways to fail were met")
    for failure in sorted(missed, key=lambda f: f.steps)[:MISSED_SHOWN]:
        click.echo(f"    not met: {failure}")
    if len(missed) > MISSED_SHOWN:
        click.echo(f"    and {len(missed) - MISSED_SHOWN} more")


def print_classes(classes: list[ViolationClass], folder: Path) -> None:
    """The shortest classes, each with its trace, which `replay` draws."""
    click.echo(f"  {len(classes)} classes of violations, all in {folder / CLASSES_FILE}:")
    for each in classes[:CLASSES_SHOWN]:
        click.echo(f"    {each.guarantee}, {count_steps(len(each.schedule))}: {each.rules}")
        click.echo(f"      {each.continuations}")
        click.echo(f"      rmqspec replay {shlex.quote(str(folder / each.trace_file))}")
