"""What ``rmqspec check`` says of consumers: where they read, and what they may meet there."""

from __future__ import annotations

from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from properties.certificates import encode_schedule
from properties.expectation import find_expectation
from properties.reading import READING_CLAIMS
from properties.reading_analysis import (
    CONSUMPTION_FAULT_CLASSES,
    PROGRESS_GUARANTEES,
    ReadingAnalysis,
)
from properties.verdict import Verdict, VerdictWord

STYLES = {VerdictWord.PROVED: "green", VerdictWord.REFUTED: "red"}


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
    console.print(make_reading_table(analysis))
    for name, verdict in list_reasons(analysis):
        expected = find_expectation(name, analysis.structure, verdict.fault)
        click.echo(f"  {name}, {verdict.fault}: {expected.reason}")


def make_reading_table(analysis: ReadingAnalysis) -> Table:
    """One row per guarantee, one column per fault class."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0), pad_edge=False)
    table.add_column("while a consumer reads", no_wrap=True)
    for column in CONSUMPTION_FAULT_CLASSES:
        table.add_column(column.name, min_width=9)
    for name in PROGRESS_GUARANTEES:
        table.add_row(name, *(_cell(analysis.get(name, c.name)) for c in CONSUMPTION_FAULT_CLASSES))
    return table


def list_reasons(analysis: ReadingAnalysis) -> list[tuple[str, Verdict]]:
    """For each refuted guarantee and reason its first cell."""
    found: dict[tuple[str, str], tuple[str, Verdict]] = {}
    for v in analysis.verdicts:
        if v.word is VerdictWord.REFUTED:
            reason = find_expectation(v.guarantee, analysis.structure, v.fault).reason
            found.setdefault((v.guarantee, reason), (v.guarantee, v))
    return list(found.values())


def _cell(verdict: Verdict) -> str:
    steps = "" if verdict.steps is None else f"\n{verdict.steps} steps"
    style = STYLES.get(verdict.word, "yellow")
    return f"[{style}]{verdict.word.value}{steps}[/{style}]"


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
