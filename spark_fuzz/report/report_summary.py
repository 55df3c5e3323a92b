"""The summary of a finished campaign: the content of its report, as data.

It depends only on the campaign, not on its running time or its machines: computing it again gives
the same file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from attrs import frozen

from properties.schedules.telling import list_sizes
from properties.verdicts.fault_sets.admitted_faults import (
    are_proofs_current,
    find_tabled_verdict,
)
from reference.language.machine import compute_machine
from reference.releases.versions import find_version
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import MANIFEST, Manifest, read_manifest
from spark_fuzz.kernel.ancestry import parse_lineage

if TYPE_CHECKING:
    from spark_fuzz.report.known_failures import KnownFailure

SUMMARY_FILE = "summary.json"
REPORT_FILE = "report.html"


@frozen
class CampaignCounts:
    """Spark's counts over a campaign's rows."""

    counts: Mapping[str, Any]
    """The counts of ``campaign_summary.summarise``."""
    known: Sequence[KnownFailure]
    """The known ways to fail, met and missed."""
    classes: int | None
    """The number of classes of violations in classes.json; None if they were not requested."""


def compute_report_summary(folder: Path, findings: CampaignCounts, command: str) -> dict[str, Any]:
    """The content of summary.json; ``command`` starts the same campaign again.

    Raises CampaignError for a folder that is no campaign.
    """
    manifest = read_manifest(folder)
    options, counts = manifest.options, findings.counts
    instances = compute_machine(options.structure).instances
    return {
        "rocketmq_version": find_version(options.structure.variants).name,
        "command": command,
        "options": describe_options(manifest),
        "versions": json.loads((folder / MANIFEST).read_text())["versions"],
        "schedules": counts["schedules"],
        "steps": counts["steps"],
        "healing_steps": counts["healing_steps"],
        "ends": counts["ends"],
        "guarantees": [describe_guarantee(name, counts, options) for name in options.judged_claims],
        "is_compared_with_proofs": are_proofs_current(options.structure),
        "known_failures": [describe_known(failure) for failure in findings.known],
        "rules": {name: counts["rules_used"].get(name, 0) for name in instances},
        "classes": findings.classes,
        "coverage": counts.get("coverage"),
    }


def describe_options(manifest: Manifest) -> dict[str, Any]:
    """The options of the campaign."""
    options = manifest.options
    return {
        "structure": options.structure.name,
        "schedules": manifest.schedules_in_all,
        "guided_rounds": manifest.guided_rounds,
        "scheduler": options.scheduler,
        "healing_steps": options.healing_steps,
        "steps": options.steps,
        "seed": options.campaign_seed,
        "is_swarm": options.is_swarm,
        "limits": attrs.asdict(options.limits),
        "sizes": None if options.is_swarm else list_sizes(options.parameters),
        "first_schedule": options.format_identifier(0),
    }


def describe_guarantee(
    name: str, counts: Mapping[str, Any], options: CampaignOptions
) -> dict[str, Any]:
    """The findings about a guarantee, and its verdict under these faults."""
    admitted = [fault for fault, most in attrs.asdict(options.limits).items() if most > 0]
    tabled = find_tabled_verdict(name, options.structure, admitted)
    found = counts["violations"].get(name)
    shortest = found and options.format_identifier(parse_lineage(found["shortest_lineage"]))
    return {
        "guarantee": name,
        "sentence": options.structure.world.get_claim(name).sentence,
        "expected": tabled and tabled.word.value,
        "expected_by": tabled and tabled.fault,
        "disputed": list(tabled.disputed) if tabled else [],
        "schedules": found["schedules"] if found else 0,
        "shortest_steps": found and found["shortest_steps"],
        "is_about_rest": name not in options.structure.world.judged,
        "replay": found and f"rmqspec replay {shortest} --guarantee {name}",
    }


def describe_known(failure: KnownFailure) -> dict[str, Any]:
    """A known way to fail, met or missed."""
    return {**attrs.asdict(failure), "faults": sorted(failure.faults)}
