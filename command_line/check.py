"""``rmqspec check``: broker configuration in, guarantee table out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from command_line import exit_codes
from command_line.progress import show_progress
from command_line.reading_report import reading_as_json
from command_line.report import print_deployment, print_head, print_limits
from properties.analysis import MODEL_LIMITS, GroupAnalysis, analyse_group, describe_configuration
from properties.certificates import encode_schedule
from properties.claims import CLAIMS
from properties.consumption.world import CONSUMPTION_FAULT_CLASSES, PROGRESS_GUARANTEES
from properties.expectation import find_expectation
from properties.fault_class import FAULT_CLASSES
from properties.reading_analysis import ReadingAnalysis, analyse_reading
from properties.verdict import Verdict, VerdictWord
from reference import ROCKETMQ_VERSION
from reference.configuration import (
    BrokerGroup,
    ConfigurationError,
    ConfigurationWarning,
    Deployment,
)
from reference.configuration_reading import change_master, read_deployments, sample_group
from reference.outage import compute_outage
from reference.read.subscription_group import GroupError, SubscriptionGroup, parse_group

EPILOG = """\b
Examples:
  rmqspec check                         an embedded synchronous pair
  rmqspec check conf/2m-2s-sync         a folder of broker files
  rmqspec check broker-a.properties broker-a-s.properties
  rmqspec check conf --what-if flushDiskType=SYNC_FLUSH
  rmqspec check conf --what-if slaveReadEnable=true --group brokerId=1
  rmqspec check conf --json | jq .
  rmqspec check conf --require acknowledged_is_kept_on_some_broker
  rmqspec check conf --require "acknowledgement_is_truthful:master kill"
  rmqspec check conf --require "no_message_is_skipped:master stop"
"""


def parse_required(text: str) -> tuple[str, str]:
    """A guarantee and a fault class, which is empty for all of them."""
    guarantee, _, fault = text.partition(":")
    known = (*CLAIMS, *PROGRESS_GUARANTEES)
    if guarantee not in known:
        raise click.BadParameter(f"{guarantee!r} is none of {', '.join(known)}")
    classes = FAULT_CLASSES if guarantee in CLAIMS else CONSUMPTION_FAULT_CLASSES
    names = [c.name for c in classes]
    if fault and fault not in names:
        raise click.BadParameter(f"{fault!r} is none of {', '.join(names)}")
    return guarantee, fault


def parse_subscription(text: str) -> SubscriptionGroup:
    """A subscription group's options; what is not named is RocketMQ's default."""
    try:
        return parse_group(text)
    except GroupError as problem:
        raise click.BadParameter(str(problem)) from problem


def parse_change(text: str) -> tuple[str, str]:
    """A key and a value."""
    key, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not of the form KEY=VALUE")
    return key, value


@click.command(name="check", epilog=EPILOG)
@click.argument("paths", nargs=-1, metavar="[FILE_OR_DIRECTORY]...")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
@click.option(
    "--require",
    multiple=True,
    metavar="GUARANTEE[:FAULT]",
    callback=lambda context, parameter, values: [parse_required(v) for v in values],
    help="Leave with 1 (refuted) or 2 (undecided or vacuous) unless this guarantee holds, under "
    "this fault class or under all; may be repeated.",
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
    metavar="KEY=VALUE",
    callback=lambda context, parameter, values: [parse_change(v) for v in values],
    help="Answer as if the master's file set this key; may be repeated.",
)
@click.option(
    "--group",
    "subscription",
    default="",
    metavar="OPTIONS",
    callback=lambda context, parameter, value: parse_subscription(value),
    help="Consumers of such a subscription group: brokerId=1,whichBrokerWhenConsumeSlowly=1.",
)
def command(  # noqa: PLR0913, PLR0917
    paths: tuple[str, ...],
    is_json: bool,
    require: list[tuple[str, str]],
    timelines: int,
    changes: list[tuple[str, str]],
    subscription: SubscriptionGroup,
) -> int:
    """Tell what each broker group can lose, and after which failures."""
    deployments, warnings = read(paths)
    deployments = tuple(change_deployment(d, changes) for d in deployments)
    with show_progress() as progress:
        analyses = analyse_all(deployments, progress)
    if is_json:
        answer = as_json(deployments, analyses, warnings, subscription)
        click.echo(json.dumps(answer, indent=1))
    else:
        print_head(warnings)
        for deployment in deployments:
            print_deployment(deployment, analyses, timelines, subscription)
        print_limits()
    groups = (g for deployment in deployments for g in deployment.groups)
    readings = [analyse_reading(g, subscription) for g in groups]
    return judge_required(require, [*analyses.values(), *filter(None, readings)])


def change_deployment(deployment: Deployment, changes: list[tuple[str, str]]) -> Deployment:
    """The deployment as it would be with other settings of its masters."""
    groups = deployment.groups
    for key, value in changes:
        groups = tuple(change_master(g, key, value) for g in groups)
    asked = "".join(f", what if {key}={value}" for key, value in changes)
    return Deployment(deployment.name + asked, groups)


def read(
    paths: tuple[str, ...],
) -> tuple[tuple[Deployment, ...], tuple[ConfigurationWarning, ...]]:
    """The deployments in the given files, or the embedded sample where none is given."""
    if any(not p for p in paths):
        raise ConfigurationError("an empty path was given; name a file or a folder")
    if not paths:
        return (Deployment("embedded sample", (sample_group(),)),), ()
    return read_deployments([Path(p) for p in paths])


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
    require: list[tuple[str, str]], analyses: list[GroupAnalysis | ReadingAnalysis]
) -> int:
    """The exit code: the worst required cell decides. A vacuous proof holds nothing."""
    wanted = set(require)
    cells = [
        v
        for a in analyses
        for v in a.verdicts
        if wanted & {(v.guarantee, ""), (v.guarantee, v.fault)}
    ]
    if any(v.word is VerdictWord.REFUTED for v in cells):
        return exit_codes.REFUTED
    if any(v.is_vacuous or v.word is not VerdictWord.PROVED for v in cells):
        return exit_codes.UNDECIDED
    return exit_codes.ANALYSED


def as_json(
    deployments: tuple[Deployment, ...],
    analyses: dict[Any, GroupAnalysis],
    warnings: tuple[ConfigurationWarning, ...],
    subscription: SubscriptionGroup,
) -> dict[str, Any]:
    """The whole answer for programs; every group is listed, identical ones too."""
    return {
        "rocketmq_version": ROCKETMQ_VERSION,
        "limits": list(MODEL_LIMITS),
        "warnings": [{"file": w.file, "line": w.line, "message": w.message} for w in warnings],
        "groups": [
            _group_as_json(deployment, g, analyses[g.same_behaviour_key()], subscription)
            for deployment in deployments
            for g in deployment.groups
        ],
    }


def _group_as_json(
    deployment: Deployment,
    broker_group: BrokerGroup,
    analysis: GroupAnalysis,
    subscription: SubscriptionGroup,
) -> dict[str, Any]:
    outage = compute_outage(deployment, broker_group)
    return {
        "deployment": deployment.name,
        "cluster": broker_group.cluster,
        "broker_name": broker_group.broker_name,
        "configuration": describe_configuration(broker_group),
        "while_master_is_down": {
            "sends_go_to": list(outage.takes_sends),
            "reads_come_from_broker_ids": list(outage.serves_reads),
        },
        "outside_the_model": list(analysis.outside_the_model),
        "verdicts": [_verdict_as_json(analysis, v) for v in analysis.verdicts],
        "reading": reading_as_json(analyse_reading(broker_group, subscription)),
    }


def _verdict_as_json(analysis: GroupAnalysis, verdict: Verdict) -> dict[str, Any]:
    expectation = find_expectation(verdict.guarantee, analysis.structure, verdict.fault)
    is_expected = verdict.word is expectation.verdict
    return {
        "guarantee": verdict.guarantee,
        "sentence": CLAIMS[verdict.guarantee].sentence,
        "fault": verdict.fault,
        "verdict": verdict.word.value,
        "steps": verdict.steps,
        "schedule": encode_schedule(verdict.schedule) if verdict.schedule else None,
        "is_vacuous": verdict.is_vacuous,
        "is_claimed": expectation.is_claimed,
        "reason": expectation.reason if is_expected else verdict.note,
        "lemmas": list(verdict.lemmas),
        "depth": verdict.depth,
    }
