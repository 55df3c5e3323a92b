"""What ``rmqspec check`` says of a world: its table, its reasons, and the same for programs."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from command_line.cells import make_table
from properties.certificates import encode_schedule
from properties.subject import get_claims, get_fault_classes
from properties.world_analysis import WorldAnalysis


def print_world(console: Console, analysis: WorldAnalysis) -> None:
    """The table, and the reason of each refuted guarantee."""
    structure = analysis.structure
    claims, columns = get_claims(structure), get_fault_classes(structure)
    console.print(make_table(analysis, analysis.title, columns, claims))
    reasons = analysis.list_reasons()
    for v in reasons:
        click.echo(f"  {v.guarantee}, {v.fault}: {analysis.get_reason(v)}")
    for v in reasons[:1]:
        cell = f'{v.guarantee} "{v.fault}" --structure "{structure.name}"'
        click.echo(f"  To see each step of one: rmqspec explain {cell}")


def verdicts_as_json(analysis: WorldAnalysis) -> list[dict[str, Any]]:
    """Every cell for programs."""
    claims = get_claims(analysis.structure)
    return [
        {
            "guarantee": v.guarantee,
            "sentence": claims[v.guarantee].sentence,
            "fault": v.fault,
            "verdict": v.word.value,
            "steps": v.steps,
            "schedule": encode_schedule(v.schedule) if v.schedule else None,
            "is_vacuous": v.is_vacuous,
            "reason": analysis.get_reason(v),
        }
        for v in analysis.verdicts
    ]


def world_as_json(analysis: WorldAnalysis) -> dict[str, Any]:
    """One structure for programs."""
    return {
        "title": analysis.title,
        "structure": analysis.structure.name,
        "verdicts": verdicts_as_json(analysis),
    }
