"""What ``rmqspec check`` says of a world: its table, its reasons, and the same for programs."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from command_line.answers.cells import make_table
from command_line.answers.restrictions import find_resting, print_resting
from properties.verdicts.certificates import encode_schedule
from properties.verdicts.verdict import Verdict
from properties.verdicts.world_analysis import WorldAnalysis
from properties.worlds import find_world


def print_world(console: Console, analysis: WorldAnalysis) -> None:
    """The table, and the reason of each refuted guarantee."""
    structure = analysis.structure
    claims, columns = find_world(structure).claims, find_world(structure).fault_models
    console.print(make_table(analysis, analysis.title, columns, claims))
    print_resting(structure, analysis.verdicts)
    reasons = analysis.list_reasons()
    for v in reasons:
        click.echo(f"  {v.guarantee}, {v.fault}: {analysis.get_reason(v)}")
    for v in reasons[:1]:
        cell = f'{v.guarantee} "{v.fault}" --structure "{structure.name}"'
        click.echo(f"  To see each step of one: rmqspec explain {cell}")


def verdict_as_json(structure: Any, verdict: Verdict) -> dict[str, Any]:
    """What a cell of any world has for programs."""
    return {
        "guarantee": verdict.guarantee,
        "sentence": find_world(structure).claims[verdict.guarantee].sentence,
        "fault": verdict.fault,
        "verdict": verdict.word.value,
        "steps": verdict.steps,
        "schedule": encode_schedule(verdict.schedule) if verdict.schedule else None,
        "is_vacuous": verdict.is_vacuous,
        "disputed": list(verdict.disputed),
        "rests_on_reading": find_resting(structure, verdict),
    }


def verdicts_as_json(analysis: WorldAnalysis) -> list[dict[str, Any]]:
    """Every cell for programs, with its reason."""
    return [
        verdict_as_json(analysis.structure, v) | {"reason": analysis.get_reason(v)}
        for v in analysis.verdicts
    ]


def world_as_json(analysis: WorldAnalysis) -> dict[str, Any]:
    """One structure for programs."""
    return {
        "title": analysis.title,
        "structure": analysis.structure.name,
        "verdicts": verdicts_as_json(analysis),
    }
