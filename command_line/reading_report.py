"""What ``rmqspec check`` says of consumers: where they read, and what they may meet there."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from command_line.cells import make_table
from properties.certificates import encode_schedule
from properties.consumption.world import CONSUMPTION_FAULT_CLASSES, PROGRESS_GUARANTEES
from properties.expectation import find_expectation
from properties.reading import READING_CLAIMS
from properties.reading_analysis import ReadingAnalysis
from properties.verdict import Verdict, VerdictWord


def print_reading(console: Console, analysis: ReadingAnalysis) -> None:
    """Where pulls go, the table of consumption, and the reason of each refuted guarantee."""
    group = analysis.deployment
    click.echo(
        f"\nConsumers of a subscription group with brokerId={group.broker_id}, "
        f"whichBrokerWhenConsumeSlowly={group.slow_broker_id}:"
    )
    for name, run in analysis.claims.items():
        sentence = READING_CLAIMS[name].sentence.replace("``", "")
        told = "yes" if run is None else f"no, pulls go {', then '.join(map(str, run))}"
        click.echo(f"  {sentence} ({told})")
    title = "while a consumer reads"
    console.print(make_table(analysis, title, CONSUMPTION_FAULT_CLASSES, PROGRESS_GUARANTEES))
    for name, verdict in list_reasons(analysis):
        expected = find_expectation(name, analysis.structure, verdict.fault)
        click.echo(f"  {name}, {verdict.fault}: {expected.reason}")


def list_reasons(analysis: ReadingAnalysis) -> list[tuple[str, Verdict]]:
    """For each refuted guarantee and reason its first cell."""
    found: dict[tuple[str, str], tuple[str, Verdict]] = {}
    for v in analysis.verdicts:
        if v.word is VerdictWord.REFUTED:
            reason = find_expectation(v.guarantee, analysis.structure, v.fault).reason
            found.setdefault((v.guarantee, reason), (v.guarantee, v))
    return list(found.values())


def reading_as_json(analysis: ReadingAnalysis | None) -> dict[str, Any] | None:
    """The answer for programs; nothing for a group without slaves."""
    if analysis is None:
        return None
    return {
        "structure": analysis.structure.name,
        "claims": [
            {
                "claim": name,
                "sentence": READING_CLAIMS[name].sentence,
                "holds": run is None,
                "pulls": [str(step) for step in run or ()],
            }
            for name, run in analysis.claims.items()
        ],
        "verdicts": [
            {
                "guarantee": v.guarantee,
                "sentence": PROGRESS_GUARANTEES[v.guarantee].sentence,
                "fault": v.fault,
                "verdict": v.word.value,
                "steps": v.steps,
                "schedule": encode_schedule(v.schedule) if v.schedule else None,
                "reason": find_expectation(v.guarantee, analysis.structure, v.fault).reason,
            }
            for v in analysis.verdicts
        ],
    }
