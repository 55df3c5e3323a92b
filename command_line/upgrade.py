"""``rmqspec upgrade``: what another release changes for the guarantees of a configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import click
from attrs import frozen

from command_line.answers.report import print_timeline
from command_line.check import read
from command_line.options.version_option import parse
from command_line.output import exit_codes
from command_line.output.progress import show_progress
from properties.comparison.observable_differences import OBSERVABLE_DIFFERENCES
from properties.comparison.upgrades import (
    Change,
    Turn,
    compute_changes,
    compute_difference,
    compute_difference_changes,
    get_turn,
    group_alike,
    list_turned,
)
from properties.verdicts.analysis import GroupAnalysis, analyse_group
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import Verdict, VerdictWord
from reference.configuration.broker_group import BrokerGroup
from reference.releases.versions import Version

EPILOG = """\b
Examples:
  rmqspec upgrade 4.4.0 4.9.8                  # an embedded synchronous pair
  rmqspec upgrade 4.9.8 5.3.0 conf/2m-2s-sync  # what the folder's groups gain and lose
  rmqspec upgrade 4.9.8 5.3.0-quorum conf      # with inSyncReplicas=2 on the masters
  rmqspec upgrade 4.4.0 5.3.0 conf --fail-on-worse

A cell is better (proved now, not before), worse (proved before only), later
(still refuted, but by longer schedules), sooner, or open (refuted on one side,
undecided on the other). Exit codes: 0 analysed, 1 with --fail-on-worse where a
cell is worse, 3 bad input.
"""

SENTENCES = {
    Turn.WORSE: "Worse: proved before, not any more",
    Turn.BETTER: "Better: proved now, not before",
    Turn.OPEN: "Open: refuted on one side, not decided on the other",
    Turn.LATER: "Later: still refuted, but what refuted it before does not any more",
    Turn.SOONER: "Sooner: still refuted, and by fewer steps",
}


@frozen
class GroupUpgrade:
    """What an upgrade changes for one group."""

    name: str
    before: GroupAnalysis
    after: GroupAnalysis
    versions: tuple[Version, Version]
    """Of the group's brokers before and after, in the modes that their files say."""

    @property
    def changes(self) -> list[Change]:
        """The cells that change; none where one of the two is outside the model."""
        if self.before.outside_the_model or self.after.outside_the_model:
            return []
        return compute_changes(self.before.verdicts, self.after.verdicts)


@click.command(name="upgrade", epilog=EPILOG)
@click.argument("before", callback=parse, metavar="FROM")
@click.argument("after", callback=parse, metavar="TO")
@click.argument("paths", nargs=-1, metavar="[FILE_OR_DIRECTORY]...")
@click.option(
    "--timelines",
    default=1,
    show_default=True,
    type=click.IntRange(0, 99),
    help="How many schedules of worse cells to draw per group.",
)
@click.option("--fail-on-worse", is_flag=True, help="Leave with 1 where a cell is worse.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(  # noqa: PLR0913, PLR0917
    before: Version,
    after: Version,
    paths: tuple[str, ...],
    timelines: int,
    fail_on_worse: bool,
    is_json: bool,
) -> int:
    """Tell what an upgrade from one release to another changes for each broker group."""
    with show_progress() as progress:
        upgrades = list(analyse_upgrades(before, after, paths, progress))
    if is_json:
        click.echo(json.dumps(as_json(before, after, upgrades), indent=1))
    else:
        print_versions(before, after)
        for upgrade in upgrades:
            print_upgrade(upgrade, timelines)
    is_worse = any(get_turn(c) is Turn.WORSE for upgrade in upgrades for c in upgrade.changes)
    return exit_codes.REFUTED if fail_on_worse and is_worse else exit_codes.ANALYSED


def analyse_upgrades(
    before: Version, after: Version, paths: tuple[str, ...], progress: Any
) -> Iterator[GroupUpgrade]:
    """One per behaviour; of groups that differ only in names the first."""
    told = set()
    for old, new in zip(read(paths, before)[0], read(paths, after)[0], strict=True):
        for one, other in zip(old.groups, new.groups, strict=True):
            if one.same_behaviour_key() in told:
                continue
            told.add(one.same_behaviour_key())
            yield analyse_upgrade(old.name, one, other, progress)


def analyse_upgrade(
    deployment: str, before: BrokerGroup, after: BrokerGroup, progress: Any
) -> GroupUpgrade:
    """Both analyses of one group."""
    return GroupUpgrade(
        f"{deployment}: {before.cluster}/{before.broker_name}",
        analyse_group(before, progress),
        analyse_group(after, progress),
        (before.version, after.version),
    )


def print_versions(before: Version, after: Version) -> None:
    """Which two versions, and what the second does differently."""
    click.echo(f"From {before.describe()}\nto {after.describe()}:")
    difference = compute_difference(before, after)
    for change in difference.gained:
        click.echo(f"  + {change.sentence} ({change.comes_from.rstrip('.')})")
    for change in difference.lost:
        click.echo(f"  - no longer: {change.sentence}")
    if not difference.gained and not difference.lost:
        click.echo("  nothing that the model has")


def print_upgrade(upgrade: GroupUpgrade, timelines: int) -> None:
    """The changed cells of a group, and schedules of those that are worse."""
    structure = upgrade.after.structure
    click.echo(f"\n{upgrade.name}: {upgrade.before.structure.name} -> {structure.name}")
    for reason in (*upgrade.before.outside_the_model, *upgrade.after.outside_the_model):
        click.echo(f"  outside the model: {reason}")
    changes = upgrade.changes
    if not changes:
        click.echo("  No cell changes.")
    for turn, sentence in SENTENCES.items():
        turned = list_turned(changes, turn)
        if turned:
            click.echo(f"  {sentence}:")
        for alike in group_alike(turned):
            columns = ", ".join(change.after.fault for change in alike)
            before, after = describe(alike[0].before), describe(alike[0].after)
            click.echo(f"    {alike[0].after.guarantee}: {before} -> {after}: {columns}")
    print_differences(upgrade)
    for change in list_turned(changes, Turn.WORSE)[:timelines]:
        if change.after.word is VerdictWord.REFUTED:
            print_timeline(upgrade.after, change.after)


def print_differences(upgrade: GroupUpgrade) -> None:
    """What a synchronous pair shows now and did not show before, and the other way round."""
    changed = compute_difference_changes(*upgrade.versions)
    if changed:
        click.echo("  Seen of a synchronous pair with SYNC_FLUSH:")
    for before, after in changed:
        sentence = (OBSERVABLE_DIFFERENCES[after.name].__doc__ or "").splitlines()[0]
        click.echo(f"    {before.describe()} -> {after.describe()}: {sentence}")


def as_json(before: Version, after: Version, upgrades: Iterable[GroupUpgrade]) -> dict[str, Any]:
    """The whole answer for programs."""
    difference = compute_difference(before, after)
    return {
        "from": before.name,
        "to": after.name,
        "is_held_against_recordings": before.is_recorded and after.is_recorded,
        "gained": [change.name for change in difference.gained],
        "lost": [change.name for change in difference.lost],
        "groups": [
            {
                "group": upgrade.name,
                "from": upgrade.before.structure.name,
                "to": upgrade.after.structure.name,
                "outside_the_model": [
                    *upgrade.before.outside_the_model,
                    *upgrade.after.outside_the_model,
                ],
                "cells": [change_as_json(change) for change in upgrade.changes],
                "sights": [
                    {"name": a.name, "from": b.describe(), "to": a.describe()}
                    for b, a in compute_difference_changes(*upgrade.versions)
                ],
            }
            for upgrade in upgrades
        ],
    }


def change_as_json(change: Change) -> dict[str, Any]:
    """One cell that changes."""
    return {
        "guarantee": change.after.guarantee,
        "fault": change.after.fault,
        "turn": get_turn(change).value,
        "before": cell_as_json(change.before),
        "after": cell_as_json(change.after),
    }


def cell_as_json(verdict: Verdict) -> dict[str, Any]:
    """One cell before or after."""
    return {
        "verdict": verdict.word.value,
        "steps": verdict.steps,
        "disputed": list(verdict.disputed),
    }
