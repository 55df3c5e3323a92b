"""The whole answer of ``check``, for people and for programs: every table and reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import asdict, frozen

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
from command_line.output.width import echo
from properties.scenarios.reading_analysis import (
    ReadingAnalysis,
    ReadingQuestion,
    analyse_readings,
)
from properties.scenarios.system_analysis import analyse_systems
from properties.verdicts.analysis import (
    MODEL_LIMITS,
    GroupAnalysis,
    analyse_group,
    describe_configuration,
)
from properties.verdicts.expectations import find_expectation
from properties.verdicts.verdict import Verdict
from properties.verdicts.world_analysis import WorldAnalysis, analyse_pairs
from reference.configuration.broker_group import BrokerGroup, ConfigurationWarning, Deployment
from reference.decisions.outage import compute_outage
from reference.releases.versions import Version

TIMELINES = 2
"""How many schedules are drawn for each group, unless more are asked for."""


@frozen
class Everything:
    """Every verdict about some deployments."""

    deployments: tuple[Deployment, ...]
    analyses: dict[Any, GroupAnalysis]
    """By behaviour."""
    pairs: tuple[WorldAnalysis, ...]
    systems: tuple[WorldAnalysis, ...]
    readings: tuple[ReadingAnalysis, ...]
    question: ReadingQuestion

    def list_analyses(self) -> list[GroupAnalysis | ReadingAnalysis | WorldAnalysis]:
        """Every analysis that has verdicts."""
        return [*self.analyses.values(), *self.readings, *self.pairs, *self.systems]

    def list_places(self) -> dict[int, str]:
        """The masters' files by the analysis about them; all files for other analyses."""
        groups = [group for deployment in self.deployments for group in deployment.groups]
        everywhere = ", ".join(dict.fromkeys(group.master.file for group in groups))
        places = {id(analysis): everywhere for analysis in self.list_analyses()}
        for key, analysis in self.analyses.items():
            files = (g.master.file for g in groups if g.same_behaviour_key() == key)
            places[id(analysis)] = ", ".join(dict.fromkeys(files))
        return places


def analyse_everything(
    deployments: tuple[Deployment, ...],
    question: ReadingQuestion,
    version: Version,
    progress: Callable[[str], None],
) -> Everything:
    """Every verdict about some deployments."""
    groups = [g for deployment in deployments for g in deployment.groups]
    analyses = analyse_all(deployments, progress)
    progress("topics, subscription groups, delayed messages")
    pairs = analyse_pairs(groups, version)
    progress("consumers")
    readings = analyse_readings(groups, question)
    progress("from put to consumed")
    systems = analyse_systems(groups, question)
    return Everything(deployments, analyses, pairs, systems, readings, question)


def analyse_all(
    deployments: tuple[Deployment, ...], progress: Callable[[str], None]
) -> dict[Any, GroupAnalysis]:
    """One analysis per behaviour; groups that differ only in names share it."""
    analyses: dict[Any, GroupAnalysis] = {}
    for deployment in deployments:
        for broker_group in deployment.groups:
            key = broker_group.same_behaviour_key()
            if key not in analyses:
                analyses[key] = analyse_group(broker_group, progress)
    return analyses


def print_everything(
    everything: Everything,
    version: Version,
    warnings: Sequence[ConfigurationWarning],
    timelines: int | None,
    changes: Sequence[str],
) -> None:
    """Every table, with its reasons and some schedules; ``changes`` are lines about a what-if."""
    print_head(version, tuple(warnings))
    if changes:
        echo("\n" + "\n".join(changes))
    for deployment in everything.deployments:
        count = TIMELINES if timelines is None else timelines
        print_deployment(deployment, everything.analyses, count, everything.question)
    print_pairs(everything.pairs)
    print_systems(everything.systems)
    print_limits()


def describe_changes(
    configured: tuple[Deployment, ...],
    changed: Everything,
    what: str,
    progress: Callable[[str], None],
) -> list[str]:
    """The changes by the other settings, printed before the tables."""
    before = analyse_all(configured, progress)
    pairs = [
        (before[one.same_behaviour_key()], changed.analyses[other.same_behaviour_key()])
        for old, new in zip(configured, changed.deployments, strict=True)
        for one, other in zip(old.groups, new.groups, strict=True)
    ]
    return list(tell_changes(what, pairs))


def everything_as_json(
    everything: Everything, version: Version, warnings: Sequence[ConfigurationWarning]
) -> dict[str, Any]:
    """The whole answer for programs; every group is listed, identical ones too."""
    return {
        "rocketmq_version": version.name,
        "is_held_against_recordings": version.is_recorded,
        "limits": list(MODEL_LIMITS),
        "warnings": [asdict(warning) for warning in warnings],
        "groups": [
            _group_as_json(deployment, g, everything)
            for deployment in everything.deployments
            for g in deployment.groups
        ],
        "pairs": [world_as_json(pair) for pair in everything.pairs],
        "systems": [world_as_json(each) for each in everything.systems],
    }


def _group_as_json(
    deployment: Deployment, broker_group: BrokerGroup, everything: Everything
) -> dict[str, Any]:
    analysis = everything.analyses[broker_group.same_behaviour_key()]
    outage = compute_outage(deployment, broker_group)
    readings = analyse_readings([broker_group], everything.question)
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
        "readings": [reading_as_json(each) for each in readings],
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
