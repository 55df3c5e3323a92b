"""Every verdict and every short answer, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from command_line.answers.everything import Everything
from command_line.answers.restrictions import find_resting
from command_line.answers.short.groups import ShortAnswer
from properties.language.world import ClaimedStructure
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.log import MODEL_LIMITS, describe_configuration
from properties.scenarios.analysis.reading import ReadingAnalysis
from properties.scenarios.reading_claims import READING_CLAIMS
from properties.scenarios.summary.answer import encode_summary
from properties.verdicts.analysis import Analysis
from properties.verdicts.certificates import encode_schedule
from properties.verdicts.expectations import find_expectation
from properties.verdicts.verdict import Verdict
from reference.configuration.broker_group import ConfigurationWarning, Deployment
from reference.decisions.outage import compute_outage
from reference.releases.versions import Version


def everything_as_json(
    everything: Everything,
    answers: Sequence[ShortAnswer],
    version: Version,
    warnings: Sequence[ConfigurationWarning],
) -> dict[str, Any]:
    """The whole answer; every group is listed, also those that behave alike."""
    return {
        "rocketmq_version": version.name,
        "is_held_against_recordings": version.is_recorded,
        "limits": list(MODEL_LIMITS),
        "warnings": [attrs.asdict(warning) for warning in warnings],
        "groups": [
            group_as_json(deployment, each)
            for deployment, analyses in everything.by_deployment
            for each in analyses
        ],
        "starts": [world_as_json(each) for each in everything.starts],
        "pairs": [world_as_json(table) for table in everything.tables],
        "systems": [world_as_json(each) for each in everything.systems],
        "summaries": [short_answer_as_json(each) for each in answers],
    }


def short_answer_as_json(answer: ShortAnswer) -> dict[str, Any]:
    """The short answer about groups that behave alike."""
    return {
        "deployment": answer.deployment,
        "groups": [group.broker_name for group in answer.groups],
        "are_slaves_known": not answer.is_side_by_side,
        "answers": [encode_summary(each) for each in answer.summaries],
    }


def group_as_json(deployment: Deployment, analysis: GroupAnalysis) -> dict[str, Any]:
    """One group: its settings, its log, its consumers."""
    group = analysis.group
    outage = compute_outage(deployment, group)
    return {
        "deployment": deployment.name,
        "cluster": group.cluster,
        "broker_name": group.broker_name,
        "rocketmq_version": group.version.name,
        "configuration": describe_configuration(group),
        "while_master_is_down": {
            "sends_go_to": list(outage.takes_sends),
            "reads_come_from_broker_ids": list(outage.serves_reads),
        },
        "outside_the_model": list(analysis.log.outside_the_model),
        "verdicts": [log_verdict_as_json(analysis.log, v) for v in analysis.log.verdicts],
        "readings": [reading_as_json(each) for each in analysis.readings],
    }


def log_verdict_as_json(log: Analysis, verdict: Verdict) -> dict[str, Any]:
    """A verdict of a log, with what RocketMQ promises and what a proof rests on."""
    expectation = find_expectation(verdict.guarantee, log.structure, verdict.fault)
    is_expected = verdict.word is expectation.verdict
    return verdict_as_json(log.structure, verdict) | {
        "is_claimed": expectation.is_claimed,
        "reason": expectation.reason if is_expected else verdict.note,
        "lemmas": list(verdict.lemmas),
        "depth": verdict.depth,
    }


def verdict_as_json(structure: ClaimedStructure, verdict: Verdict) -> dict[str, Any]:
    """A verdict of any world for programs."""
    return {
        "guarantee": verdict.guarantee,
        "sentence": structure.world.claims[verdict.guarantee].sentence,
        "fault": verdict.fault,
        "verdict": verdict.word.value,
        "steps": verdict.steps,
        "schedule": encode_schedule(verdict.schedule) if verdict.schedule else None,
        "is_vacuous": verdict.is_vacuous,
        "disputed": list(verdict.disputed),
        "rests_on_reading": find_resting(structure, verdict),
        "unmet_assumption": verdict.assumption or None,
    }


def verdicts_as_json(analysis: Analysis) -> list[dict[str, Any]]:
    """Every verdict for programs, with its reason."""
    return [
        verdict_as_json(analysis.structure, v) | {"reason": analysis.get_reason(v)}
        for v in analysis.verdicts
    ]


def world_as_json(analysis: Analysis) -> dict[str, Any]:
    """One structure for programs."""
    return {
        "title": analysis.title,
        "structure": analysis.structure.name,
        "verdicts": verdicts_as_json(analysis),
    }


def reading_as_json(analysis: ReadingAnalysis) -> dict[str, Any]:
    """The answer for programs."""
    options = analysis.consumers.options
    return {
        "subscription_groups": list(analysis.consumers.names),
        "broker_id": options.broker_id,
        "which_broker_when_consume_slowly": options.slow_broker_id,
        "consume_enable": options.is_consume_enabled,
        "brokers": [attrs.asdict(each) for each in analysis.brokers],
        "structure": _name_structure(analysis.from_last),
        "structure_from_first": _name_structure(analysis.from_first),
        "claims": [
            {
                "claim": name,
                "sentence": READING_CLAIMS[name].sentence,
                "holds": run is None,
                "pulls": [str(step) for step in run or ()],
            }
            for name, run in analysis.claims.items()
        ],
        "verdicts": _tell_verdicts(analysis.from_last),
        "verdicts_from_first": _tell_verdicts(analysis.from_first),
    }


def _name_structure(world: Analysis | None) -> str | None:
    return world.structure.name if world else None


def _tell_verdicts(world: Analysis | None) -> list[dict[str, Any]]:
    return verdicts_as_json(world) if world else []
