"""Every table of ``rmqspec check --all``, with reasons and schedules."""

from __future__ import annotations

from collections.abc import Sequence

import click

from command_line.answers.everything import Everything, group_alike, merge_readings
from command_line.answers.long.log import print_logs
from command_line.answers.long.readings import print_readings
from command_line.answers.long.systems import print_systems
from command_line.answers.long.tables import make_console, print_world
from command_line.output.width import echo
from properties.checkout import name_page
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.log import MODEL_LIMITS
from properties.verdicts.analysis import Analysis, list_differing
from properties.verdicts.certified_cells import describe
from reference.configuration.broker_group import ConfigurationWarning, Deployment
from reference.releases.versions import USUAL_VERSION, Version

TIMELINES = 2
"""How many schedules are drawn for each group, unless more are asked for."""

READING_NOTE = (
    "Single pulls, consumers and delayed messages are those of 4.4.0; "
    f"{name_page('versions.md')} lists what later releases change there."
)

LEGEND = (
    "proved: for all offsets and sizes; refuted: by the shortest schedule, searched in a log of a "
    "few bytes with each fault at most twice, and replayed with your sizes where one file is "
    "enough; not promised here: "
    "RocketMQ's documentation does not promise it for these settings."
)


def print_everything(
    everything: Everything,
    version: Version,
    warnings: Sequence[ConfigurationWarning],
    timelines: int | None,
    changes: Sequence[str],
) -> None:
    """Every table, with its reasons and some schedules; ``changes`` are lines about a what-if."""
    print_head(version, warnings)
    if changes:
        echo("\n" + "\n".join(changes))
    count = TIMELINES if timelines is None else timelines
    for deployment, analyses in everything.by_deployment:
        print_deployment(deployment, analyses, count)
    print_pairs((*everything.starts, *everything.tables))
    print_systems(everything.systems)
    print_limits()


def print_head(version: Version, warnings: Sequence[ConfigurationWarning]) -> None:
    """The modelled RocketMQ, and warnings about the files."""
    echo(f"Model of {version.describe()}; master/slave replication.")
    if version != USUAL_VERSION:
        echo(READING_NOTE)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def print_limits() -> None:
    """How to read the table, and what the answers do not cover."""
    echo(f"\nHow to read it: {LEGEND}")
    echo("\nLimits of these answers:")
    for limit in MODEL_LIMITS:
        echo(f"  - {limit}")


def print_pairs(pairs: Sequence[Analysis]) -> None:
    """What holds for every master with a slave, whatever is configured.

    A table that differs from the previous one in a few verdicts is printed as these.
    """
    before: Analysis | None = None
    for pair in pairs:
        echo(f"\nWhatever is configured, {pair.title}:")
        differing = None if before is None else list_differing(before, pair)
        if before is None or differing is None:
            print_world(make_console(), pair)
        else:
            echo(f"  The same as {before.title}, but for these:")
            for v in differing:
                echo(f"  {v.guarantee}, {v.fault}: {describe(v)}. {pair.get_reason(v)}")
        before = pair


def print_deployment(
    deployment: Deployment, analyses: Sequence[GroupAnalysis], timelines: int
) -> None:
    """Every group of a deployment, those that behave alike once."""
    for alike in group_alike(analyses):
        print_logs(deployment, alike, timelines)
        print_readings(make_console(), merge_readings(alike))
