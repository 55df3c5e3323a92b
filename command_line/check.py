"""``rmqspec check``: broker configuration in, guarantee table out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from command_line.answers.reading_report import reading_as_json
from command_line.answers.report import (
    print_deployment,
    print_head,
    print_limits,
    print_pairs,
    tell_changes,
)
from command_line.answers.system_report import print_systems
from command_line.answers.world_report import verdict_as_json, world_as_json
from command_line.options.reading_options import add_reading_options, gather_question
from command_line.options.shared_options import CLAIM, add_version_option, describe_unknown
from command_line.output import exit_codes
from command_line.output.workers import show_progress
from properties.scenarios.reading_analysis import ReadingAnalysis, ReadingQuestion, analyse_readings
from properties.scenarios.system_analysis import analyse_systems
from properties.verdicts.analysis import (
    MODEL_LIMITS,
    GroupAnalysis,
    analyse_group,
    describe_configuration,
)
from properties.verdicts.expectations import find_expectation
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.verdicts.world_analysis import WorldAnalysis, analyse_pairs
from properties.worlds import CLAIM_NAMES, PROVED_STRUCTURES, find_world
from reference.configuration.broker_group import (
    BrokerGroup,
    ConfigurationError,
    ConfigurationWarning,
    Deployment,
)
from reference.configuration.files import (
    change_master,
    change_slaves,
    read_deployments,
    sample_group,
)
from reference.decisions.outage import compute_outage
from reference.releases.versions import Version

EPILOG = """\b
Examples:
  rmqspec check                         # an embedded synchronous pair
  rmqspec check conf/2m-2s-sync         # a folder of broker files
  rmqspec check broker-a.properties broker-a-s.properties
  rmqspec check conf --rocketmq-version 4.9.8   # brokers of another release
  rmqspec check conf --rocketmq-version 5.3.0 --what-if inSyncReplicas=2
  rmqspec check conf --what-if flushDiskType=SYNC_FLUSH
  rmqspec check conf --what-if slaveReadEnable=true --group brokerId=1
  rmqspec check conf --what-if slave.slaveReadEnable=true
  rmqspec check conf --group-file subscriptionGroup.json
  rmqspec check conf --json | jq .
  rmqspec check conf --require acknowledged_is_kept_on_some_broker
  rmqspec check conf --require "acknowledgement_is_truthful:master kill"
  rmqspec check conf --require "no_message_is_skipped:master stop"
  rmqspec check conf --require "answered_entry_stays_on_master:stop"
  rmqspec check conf --require "acknowledged_is_consumed_or_to_come:both end"
\b
Exit codes: 0 analysed, or what --require names holds; 1 that is refuted, 2 undecided, vacuous or
disputed; 3 bad input.
"""


SLAVES_PREFIX = "slave."
"""How a change begins that is about the slaves; no key of RocketMQ has a dot."""


def parse_required(text: str) -> tuple[str, str]:
    """A guarantee and a fault class, which is empty for all of them."""
    guarantee, _, fault = text.partition(":")
    if guarantee not in CLAIM_NAMES:
        raise click.BadParameter(describe_unknown(guarantee, CLAIM_NAMES, CLAIM.what))
    structure = next(s for s in PROVED_STRUCTURES.values() if guarantee in find_world(s).claims)
    names = [c.name for c in find_world(structure).fault_models]
    if fault and fault not in names:
        raise click.BadParameter(f"{fault!r} is none of {', '.join(names)}")
    return guarantee, fault


@frozen
class Change:
    """Another value of a key, in the files of all masters or of all slaves."""

    key: str
    value: str
    is_of_slaves: bool = False

    def __str__(self) -> str:
        """As it was asked."""
        return f"{SLAVES_PREFIX if self.is_of_slaves else ''}{self.key}={self.value}"


def parse_change(text: str) -> Change:
    """Whose key, and its value; without a prefix it is the master's."""
    key, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
    is_of_slaves = key.startswith(SLAVES_PREFIX)
    return Change(key.removeprefix(SLAVES_PREFIX), value, is_of_slaves)


@click.command(name="check", epilog=EPILOG)
@click.argument("paths", nargs=-1, metavar="[FILE_OR_DIRECTORY]...")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
@click.option(
    "--require",
    multiple=True,
    metavar="GUARANTEE[:FAULT]",
    callback=lambda context, parameter, values: [parse_required(v) for v in values],
    help="Leave with 1 (refuted) or 2 (undecided, vacuous or disputed) unless this guarantee "
    "holds, under this fault class or under all; may be repeated.",
)
@click.option(
    "--timelines",
    default=2,
    show_default=True,
    type=click.IntRange(0, 99),
    help="How many failure timelines to draw per group.",
)
@click.option(
    "--what-if",
    "changes",
    multiple=True,
    metavar="[slave.]KEY=VALUE",
    callback=lambda context, parameter, values: [parse_change(v) for v in values],
    help="Answer as if the master's file set this key, or each slave's; may be repeated.",
)
@add_version_option()
@add_reading_options
def command(  # noqa: PLR0913, PLR0917
    paths: tuple[str, ...],
    version: Version,
    is_json: bool,
    require: list[tuple[str, str]],
    timelines: int,
    changes: list[Change],
    **consumers: Any,
) -> int:
    """Tell what each broker group can lose, and after which failures."""
    question = gather_question(**consumers)
    configured, warnings = read(paths, version)
    deployments = change_all(configured, changes)
    groups = [g for deployment in deployments for g in deployment.groups]
    with show_progress() as progress:
        analyses = analyse_all(deployments, progress)
        before = analyse_all(configured, progress) if changes and not is_json else {}
        pairs = analyse_pairs(groups, version)
    systems = analyse_systems(groups, question)
    if is_json:
        found = as_json(deployments, analyses, warnings, question, pairs)
        found["systems"] = [world_as_json(each) for each in systems]
        about = {
            "rocketmq_version": version.name,
            "is_held_against_recordings": version.is_recorded,
        }
        click.echo(json.dumps(about | found, indent=1))
    else:
        print_head(version, warnings)
        if changes:
            print_changes(configured, deployments, {**before, **analyses}, changes)
        for deployment in deployments:
            print_deployment(deployment, analyses, timelines, question)
        print_pairs(pairs)
        print_systems(systems)
        print_limits()
    readings = analyse_readings(groups, question)
    return judge_required(require, [*analyses.values(), *readings, *pairs, *systems])


def print_changes(
    configured: tuple[Deployment, ...],
    changed: tuple[Deployment, ...],
    analyses: dict[Any, GroupAnalysis],
    changes: list[Change],
) -> None:
    """What the other settings change, before the tables that have them."""
    pairs = [
        (analyses[one.same_behaviour_key()], analyses[other.same_behaviour_key()])
        for old, new in zip(configured, changed, strict=True)
        for one, other in zip(old.groups, new.groups, strict=True)
    ]
    click.echo("\n" + "\n".join(tell_changes(" ".join(map(str, changes)), pairs)))


def change_all(
    deployments: tuple[Deployment, ...], changes: list[Change]
) -> tuple[Deployment, ...]:
    """The deployments with other settings.

    Raises ConfigurationError where slaves are to be changed and there are none.
    """
    has_slaves = any(group.slaves for deployment in deployments for group in deployment.groups)
    if not has_slaves and any(change.is_of_slaves for change in changes):
        raise ConfigurationError("--what-if slave.KEY=VALUE: no group has a slave")
    return tuple(change_deployment(deployment, changes) for deployment in deployments)


def change_deployment(deployment: Deployment, changes: list[Change]) -> Deployment:
    """The deployment as it would be with other settings of its masters or slaves."""
    groups = deployment.groups
    for each in changes:
        change = change_slaves if each.is_of_slaves else change_master
        groups = tuple(change(group, each.key, each.value) for group in groups)
    asked = "".join(f", what if {change}" for change in changes)
    return Deployment(deployment.name + asked, groups)


def read(
    paths: tuple[str, ...], version: Version
) -> tuple[tuple[Deployment, ...], tuple[ConfigurationWarning, ...]]:
    """The deployments in the given files, or the embedded sample where none is given."""
    if any(not p for p in paths):
        raise ConfigurationError("an empty path was given; name a file or a folder")
    if not paths:
        return (Deployment("embedded sample", (sample_group(version),)),), ()
    return read_deployments([Path(p) for p in paths], version)


def analyse_all(deployments: tuple[Deployment, ...], progress: Any) -> dict[Any, GroupAnalysis]:
    """One analysis per behaviour; groups that differ only in names share it."""
    analyses: dict[Any, GroupAnalysis] = {}
    for deployment in deployments:
        for broker_group in deployment.groups:
            key = broker_group.same_behaviour_key()
            if key not in analyses:
                analyses[key] = analyse_group(broker_group, progress)
    return analyses


def judge_required(
    require: list[tuple[str, str]], analyses: list[GroupAnalysis | ReadingAnalysis | WorldAnalysis]
) -> int:
    """The exit code: the worst required cell decides.

    A vacuous proof holds nothing, and neither does a guarantee of which no group has a cell, as
    those of consumers where there is no slave. A disputed cell decides nothing.
    """
    wanted, judged = set(require), {v.guarantee for a in analyses for v in a.verdicts}
    cells = [
        v
        for a in analyses
        for v in a.verdicts
        if wanted & {(v.guarantee, ""), (v.guarantee, v.fault)}
    ]
    if any(v.word is VerdictWord.REFUTED and not v.disputed for v in cells):
        return exit_codes.REFUTED
    is_unjudged = any(guarantee not in judged for guarantee, _ in wanted)
    if is_unjudged or not all(v.is_relied_on for v in cells):
        return exit_codes.UNDECIDED
    return exit_codes.ANALYSED


def as_json(
    deployments: tuple[Deployment, ...],
    analyses: dict[Any, GroupAnalysis],
    warnings: tuple[ConfigurationWarning, ...],
    question: ReadingQuestion,
    pairs: tuple[WorldAnalysis, ...],
) -> dict[str, Any]:
    """The whole answer for programs; every group is listed, identical ones too."""
    return {
        "limits": list(MODEL_LIMITS),
        "warnings": [{"file": w.file, "line": w.line, "message": w.message} for w in warnings],
        "groups": [
            _group_as_json(deployment, g, analyses[g.same_behaviour_key()], question)
            for deployment in deployments
            for g in deployment.groups
        ],
        "pairs": [world_as_json(pair) for pair in pairs],
    }


def _group_as_json(
    deployment: Deployment,
    broker_group: BrokerGroup,
    analysis: GroupAnalysis,
    question: ReadingQuestion,
) -> dict[str, Any]:
    outage = compute_outage(deployment, broker_group)
    return {
        "deployment": deployment.name,
        "cluster": broker_group.cluster,
        "broker_name": broker_group.broker_name,
        "rocketmq_version": broker_group.version.name,
        "configuration": describe_configuration(broker_group),
        "while_master_is_down": {
            "sends_go_to": list(outage.takes_sends),
            "reads_come_from_broker_ids": list(outage.serves_reads),
        },
        "outside_the_model": list(analysis.outside_the_model),
        "verdicts": [_verdict_as_json(analysis, v) for v in analysis.verdicts],
        "readings": [reading_as_json(each) for each in analyse_readings([broker_group], question)],
    }


def _verdict_as_json(analysis: GroupAnalysis, verdict: Verdict) -> dict[str, Any]:
    expectation = find_expectation(verdict.guarantee, analysis.structure, verdict.fault)
    is_expected = verdict.word is expectation.verdict
    return verdict_as_json(analysis.structure, verdict) | {
        "is_claimed": expectation.is_claimed,
        "reason": expectation.reason if is_expected else verdict.note,
        "lemmas": list(verdict.lemmas),
        "depth": verdict.depth,
    }
