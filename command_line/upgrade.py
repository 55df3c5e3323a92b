"""``rmqspec upgrade``: what another release changes for the guarantees of a configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import click
from attrs import frozen

from command_line.answers.long.log import print_timeline
from command_line.answers.short.groups import list_variants
from command_line.answers.short.shown import say_given_up
from command_line.answers.upgrading.keeping import KeepingSetting, find_keeping
from command_line.answers.upgrading.starts import list_failed_starts
from command_line.options.broker_options import (
    PATHS,
    SettingChange,
    add_broker_options,
    read,
    read_changed,
)
from command_line.options.version_option import parse
from command_line.output import exit_codes
from command_line.output.batch import Batch
from command_line.output.memory import Memory, get_folder, open_memory, tell_remembered
from command_line.output.progress import show_progress
from command_line.output.width import echo
from properties.comparison.advice import list_advice
from properties.comparison.difference_search import ObservableDifference, get_released
from properties.comparison.upgrades import (
    Turn,
    VerdictChange,
    compute_changes,
    compute_difference,
    compute_difference_changes,
    get_turn,
    group_alike,
    list_in_other_modes,
    list_turned,
)
from properties.restrictions.unmet_assumptions import list_named
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.log import analyse_log, compute_parameters
from properties.scenarios.analysis.reading import ReadingQuestion
from properties.verdicts.analysis import Analysis
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.world import DIFFERENCES
from reference.configuration.broker_group import BrokerGroup, ConfigurationWarning, Deployment
from reference.releases.known_differences import KnownDifference
from reference.releases.versions import USUAL, Version
from reference.worlds.replication.parameters import Parameters

EPILOG = """\b
Examples:
  rmqspec upgrade 4.4.0 4.9.8                  # an embedded synchronous pair
  rmqspec upgrade 4.9.8 5.3.0 conf/2m-2s-sync  # what the folder's groups gain and lose
  rmqspec upgrade 4.9.8 5.3.0-quorum conf      # with inSyncReplicas=2 on the masters
  rmqspec upgrade 4.9.8 5.3.0 conf --what-if inSyncReplicas=2
  rmqspec upgrade 4.4.0 4.9.8 broker-a.properties --slaves 1
  rmqspec upgrade 4.4.0 5.3.0 conf --fail-on-worse

A verdict is better (proved now, not before), worse (proved before only), later (still refuted, but
by longer schedules), sooner, or open (refuted on one side, undecided on the other). --what-if sets
the key before and after the upgrade, or only where the release knows it. Verdicts that `check`
has remembered are not proved again, and a line on standard error says so; --recheck proves again.

Exit codes: 0 analysed; 1 with --fail-on-worse if a verdict is worse, or a broker does not start; 2
nothing is decided about a group, or Z3 gave up on a question; 3 bad input: every bad file is
reported.
"""

SENTENCES = {
    Turn.WORSE: "Worse: proved before, not now",
    Turn.BETTER: "Better: proved now, not before",
    Turn.OPEN: "Open: refuted on one side, undecided on the other",
    Turn.LATER: "Later: still refuted, but no longer by the schedules of before",
    Turn.SOONER: "Sooner: still refuted, and by fewer steps",
}


@frozen
class GroupUpgrade:
    """What an upgrade changes for one group."""

    name: str
    before: Analysis
    after: Analysis
    parameters: Parameters
    """Sizes and thresholds of the master after it."""
    versions: tuple[Version, Version]
    """Of the group's brokers before and after, in the modes that their files say."""
    changes: tuple[VerdictChange, ...]
    """The verdicts that change, of the log and of consumption; none where nothing is decided."""
    keeping: tuple[KeepingSetting, ...]
    """Settings under which something stays proved that does not by itself."""
    failed_starts: tuple[str, ...]
    """Brokers that do not start on their own stores, and what helps, a sentence each."""

    @property
    def is_worse(self) -> bool:
        """A broker does not start, or a verdict was proved before only."""
        turns = map(get_turn, self.changes)
        return bool(self.failed_starts) or Turn.WORSE in turns

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why nothing is decided before or after; empty where both are decided."""
        return tuple(dict.fromkeys((*self.before.outside_the_model, *self.after.outside_the_model)))

    @property
    def gave_up(self) -> tuple[str, ...]:
        """The questions on which Z3 gave up, before or after; their verdicts are not compared."""
        verdicts = (*self.before.verdicts, *self.after.verdicts)
        return tuple(dict.fromkeys(v.gave_up for v in verdicts if v.gave_up))

    @property
    def differences(self) -> list[tuple[ObservableDifference, ObservableDifference]]:
        """What can be seen of the group before or after only.

        That is known of one structure, so there are none for a group of another one.
        """
        rules = [v.rule_set or USUAL for v in self.versions]
        structures = [get_released(name) for name in rules]
        if self.reasons or [self.before.structure, self.after.structure] != structures:
            return []
        return compute_difference_changes(*self.versions)


@click.command(name="upgrade", epilog=EPILOG)
@click.argument("before", callback=parse, metavar="FROM")
@click.argument("after", callback=parse, metavar="TO")
@click.argument("paths", nargs=-1, metavar=PATHS)
@add_broker_options(has_release=False)
@click.option(
    "--timelines",
    default=1,
    show_default=True,
    type=click.IntRange(0, 99),
    help="How many schedules of worse verdicts to draw per group.",
)
@click.option(
    "--fail-on-worse", is_flag=True, help="Leave with 1 if a verdict is worse, or a start fails."
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
@click.option("--recheck", "is_recheck", is_flag=True, help="Prove again what was proved before.")
def command(  # noqa: PLR0913, PLR0917
    before: Version,
    after: Version,
    paths: tuple[str, ...],
    slaves: int | None,
    changes: list[SettingChange],
    timelines: int,
    fail_on_worse: bool,
    is_json: bool,
    is_recheck: bool,
) -> int:
    """Show what an upgrade from one release to another changes for each broker group."""
    if any(change.is_of_consumers for change in changes):
        raise click.BadParameter("an upgrade is judged for brokers only", param_hint="--what-if")
    memory = Memory(get_folder(), is_recalling=not is_recheck)
    with show_progress() as progress, open_memory(memory):
        pairs = list(read_pairs((before, after), paths, slaves, changes))
        upgrades = list(analyse_upgrades(pairs, progress, is_known=slaves is not None))
    if is_json:
        found = as_json(before, after, upgrades)
        found["warnings"] = [str(w) for w in list_new_warnings(before, after, paths)]
        click.echo(json.dumps(found, indent=1))
    else:
        print_versions(before, after)
        print_ignored((before, after), changes)
        print_read_otherwise(after, list_new_warnings(before, after, paths))
        print_advice(before, after)
        for upgrade in upgrades:
            print_upgrade(upgrade, timelines)
    tell_remembered(memory, progress)
    is_worse = any(upgrade.is_worse for upgrade in upgrades)
    if fail_on_worse and is_worse:
        return exit_codes.REFUTED
    is_open = any(upgrade.reasons or upgrade.gave_up for upgrade in upgrades)
    return exit_codes.UNDECIDED if is_open else exit_codes.ANALYSED


def read_pairs(
    versions: tuple[Version, Version],
    paths: Sequence[str],
    slaves: int | None,
    changes: Sequence[SettingChange],
) -> Iterator[tuple[str, BrokerGroup, BrokerGroup]]:
    """Every group before and after, with the name of its deployment.

    A change is left out for a release that does not know its key, if the other one does. Raises
    BatchError with the problems of all files under both releases.
    """
    batch = Batch()
    is_known = {c: any(c.is_known_in(v) for v in versions) for c in changes}

    def read_in(version: Version) -> tuple[Deployment, ...]:
        own = [c for c in changes if c.is_known_in(version) or not is_known[c]]
        return read_changed(paths, version, slaves, own)

    old, new = (batch.attempt(partial(read_in, version)) for version in versions)
    batch.finish()
    groups = [[(d.name, group) for d in found or () for group in d.groups] for found in (old, new)]
    check_alike(versions, [len(found) for found in groups])
    for (one, before), (other, after) in zip(*groups, strict=True):
        yield max(one, other, key=len), before, after


def check_alike(versions: tuple[Version, Version], counts: Sequence[int]) -> None:
    """Nothing, if both releases find as many groups in the files. Raises click.UsageError.

    A controller joins brokers of one name from several folders, each of which is a group without.
    """
    (one, other), (before, after) = versions, counts
    if before != after:
        raise click.UsageError(
            f"{one.name} finds {before} groups in these files, {other.name} {after}; name the "
            "folder of one group"
        )


def analyse_upgrades(
    pairs: Iterable[tuple[str, BrokerGroup, BrokerGroup]], progress: Any, *, is_known: bool
) -> Iterator[GroupUpgrade]:
    """One per behaviour; of groups that differ only in names the first."""
    seen = set()
    for name, before, after in pairs:
        olds, news = (list_variants(group, is_known=is_known) for group in (before, after))
        for one, other in zip(olds, news, strict=True):
            starts = tuple(list_failed_starts(one, other))
            key = (one.same_behaviour_key(), other.same_behaviour_key(), starts)
            if key not in seen:
                seen.add(key)
                yield analyse_upgrade(name, (one, other), starts, progress)


def analyse_upgrade(
    deployment: str,
    groups: tuple[BrokerGroup, BrokerGroup],
    failed_starts: tuple[str, ...],
    progress: Any,
) -> GroupUpgrade:
    """Both analyses of one group."""
    before, after = groups
    logs = (analyse_log(before, progress), analyse_log(after, progress))
    changes: list[VerdictChange] = []
    if not any(log.outside_the_model for log in logs):
        changes += compute_changes(*(log.verdicts for log in logs))
        changes += compute_changes(*list_consumed(groups, logs))
    return GroupUpgrade(
        f"{deployment}: {before.cluster}/{before.broker_name}",
        *logs,
        compute_parameters(after),
        (before.version, after.version),
        tuple(changes),
        tuple(find_keeping(after, list_turned(changes, Turn.WORSE))),
        failed_starts,
    )


def list_consumed(
    groups: tuple[BrokerGroup, BrokerGroup], logs: tuple[Analysis, Analysis]
) -> tuple[tuple[Verdict, ...], tuple[Verdict, ...]]:
    """The verdicts about consumers before and after, in what is decided of both.

    Tables are left out: their claims are asked of topics and of groups, which change apart.
    """
    analyses = [
        GroupAnalysis(group, ReadingQuestion(), log)
        for group, log in zip(groups, logs, strict=True)
    ]
    others = [
        [s for s in each.summarised if s not in (each.log, *each.tables)] for each in analyses
    ]
    verdicts = [[v for source in each for v in source.verdicts] for each in others]
    claims = [{v.guarantee for v in each} for each in verdicts]
    old, new = (tuple(v for v in each if v.guarantee in claims[0] & claims[1]) for each in verdicts)
    return old, new


def print_ignored(versions: Iterable[Version], changes: Iterable[SettingChange]) -> None:
    """The changes that a release ignores because it does not know the key."""
    for version in versions:
        for change in changes:
            if not change.is_known_in(version):
                echo(f"RocketMQ {version.name} does not know {change.key} and ignores it.")


def list_new_warnings(
    before: Version, after: Version, paths: Sequence[str]
) -> list[ConfigurationWarning]:
    """What is odd in the files for the later release at lines where it was not for the earlier."""
    known = {(w.file, w.line) for w in read(paths, before)[1]}
    return [w for w in read(paths, after)[1] if (w.file, w.line) not in known]


def print_read_otherwise(after: Version, warnings: Sequence[ConfigurationWarning]) -> None:
    """Settings that the later release ignores, or that keep it from starting."""
    if warnings:
        echo(f"\nSettings that {after.name} reads otherwise:")
    for warning in warnings:
        echo(f"  - {warning}")


def print_versions(before: Version, after: Version) -> None:
    """Which two versions, and what the second does differently."""
    echo(f"From {before.describe()}\nto {after.describe()}:")
    difference = compute_difference(before, after)
    for change in difference.gained:
        echo(f"  + {change.sentence} ({change.comes_from.rstrip('.')})")
        if isinstance(change, KnownDifference):
            echo(f"    Known from {change.evidence.value}. {change.treatment}")
    for change in difference.lost:
        echo(f"  - no longer: {change.sentence}")
    elsewhere = list_in_other_modes(before, after)
    for mode, known in elsewhere:
        echo(f"  + in {mode} mode only: {known.sentence} ({known.comes_from.rstrip('.')})")
        echo(f"    Known from {known.evidence.value}. {known.treatment}")
    if not difference.gained and not difference.lost and not elsewhere:
        echo("  nothing that the model has")


def print_advice(before: Version, after: Version) -> None:
    """What to do before and after, and how each is known."""
    found = list_advice(before, after)
    for when in dict.fromkeys(each.when for each in found):
        echo(f"\n{when.capitalize()} the upgrade:")
        for each in (a for a in found if a.when == when):
            echo(f"  - {each.do.replace('`', '')}.")
            echo(f"    {each.why.replace('`', '')} Known from: {each.known_from}.")


def print_upgrade(upgrade: GroupUpgrade, timelines: int) -> None:
    """The changed verdicts of a group, and schedules of those that are worse."""
    structure = upgrade.after.structure
    echo(f"\n{upgrade.name}: {upgrade.before.structure.name} -> {structure.name}")
    print_failed_starts(upgrade)
    if upgrade.reasons:
        echo("  Undecided: the upgrade of this group is not compared.")
        for reason in upgrade.reasons:
            echo(f"  - {reason}")
        return
    changes = upgrade.changes
    if upgrade.gave_up:
        echo(f"  Not all is compared: {say_given_up(upgrade.gave_up)}")
    if not changes:
        echo("  No verdict changes.")
    for turn, sentence in SENTENCES.items():
        turned = list_turned(changes, turn)
        if turned:
            echo(f"  {sentence}:")
        for alike in group_alike(turned):
            fault_models = ", ".join(change.after.fault for change in alike)
            before, after = describe(alike[0].before), describe(alike[0].after)
            echo(f"    {alike[0].after.guarantee}: {before} -> {after}: {fault_models}")
        if turn is Turn.WORSE:
            print_keeping(upgrade.keeping, len(turned))
    for version, analysis in zip(upgrade.versions, (upgrade.before, upgrade.after), strict=True):
        for line in list_named(analysis.verdicts):
            echo(f"  At {version.name} without proof because of {line}.")
    print_differences(upgrade)
    of_log = (c for c in changes if c.after.guarantee in structure.world.claims)
    for change in list_turned(of_log, Turn.WORSE)[:timelines]:
        if change.after.word is VerdictWord.REFUTED:
            print_timeline(upgrade.after.structure, upgrade.parameters, change.after)


def print_failed_starts(upgrade: GroupUpgrade) -> None:
    """Brokers that do not start on what they have stored, and what helps."""
    for failed in upgrade.failed_starts:
        echo(f"  Worse: {failed}.")


def print_keeping(keeping: Iterable[KeepingSetting], count: int) -> None:
    """The settings under which what is worse stays proved, those that keep most first."""
    for each in sorted(keeping, key=lambda k: -len(k.kept)):
        share = "all of it" if len(each.kept) == count else f"{len(each.kept)} of {count}"
        echo(f"    {each.text}: keeps {share}")


def print_differences(upgrade: GroupUpgrade) -> None:
    """What can be seen of the group now and could not before, and the other way round."""
    if upgrade.differences:
        echo("  Observable differences:")
    for before, after in upgrade.differences:
        sentence = DIFFERENCES[after.name].sentence
        echo(f"    {before.describe()} -> {after.describe()}: {sentence}")


def as_json(before: Version, after: Version, upgrades: Iterable[GroupUpgrade]) -> dict[str, Any]:
    """The whole answer for programs."""
    difference = compute_difference(before, after)
    return {
        "from": before.name,
        "to": after.name,
        "is_held_against_recordings": before.is_recorded and after.is_recorded,
        "gained": [change.name for change in difference.gained],
        "lost": [change.name for change in difference.lost],
        "advice": [
            {"when": a.when, "do": a.do, "why": a.why, "known_from": a.known_from}
            for a in list_advice(before, after)
        ],
        "groups": [
            {
                "group": upgrade.name,
                "from": upgrade.before.structure.name,
                "to": upgrade.after.structure.name,
                "is_decided": not upgrade.reasons,
                "outside_the_model": list(upgrade.reasons),
                "failed_starts": list(upgrade.failed_starts),
                "cells": [change_as_json(change) for change in upgrade.changes],
                "keeping": [
                    {"do": each.text, "key": each.key, "cells": list(map(list, each.kept))}
                    for each in upgrade.keeping
                ],
                "sights": [
                    {"name": a.name, "from": b.describe(), "to": a.describe()}
                    for b, a in upgrade.differences
                ],
            }
            for upgrade in upgrades
        ],
    }


def change_as_json(change: VerdictChange) -> dict[str, Any]:
    """One verdict that changes."""
    return {
        "guarantee": change.after.guarantee,
        "fault": change.after.fault,
        "turn": get_turn(change).value,
        "before": cell_as_json(change.before),
        "after": cell_as_json(change.after),
    }


def cell_as_json(verdict: Verdict) -> dict[str, Any]:
    """One verdict before or after."""
    return {
        "verdict": verdict.word.value,
        "steps": verdict.steps,
        "disputed": list(verdict.disputed),
        "unmet_assumption": verdict.assumption or None,
    }
