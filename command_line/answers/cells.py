"""Verdicts as a table of coloured cells, for every world."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rich import box
from rich.table import Table

from properties.fault_model import FaultModel
from properties.generated_text import count_steps
from properties.verdicts.verdict import Verdict, VerdictWord

STYLES = {
    VerdictWord.PROVED: "green",
    VerdictWord.BOUNDED: "green",
    VerdictWord.REFUTED: "red",
    VerdictWord.UNDECIDED: "yellow",
    VerdictWord.NOT_REFUTED: "yellow",
}


class Analysis(Protocol):
    """What has a verdict for each claim and fault class."""

    def get(self, guarantee: str, fault: str) -> Verdict:
        """One cell."""


def make_table(
    analysis: Analysis,
    title: str,
    fault_models: tuple[FaultModel, ...],
    *sections: Iterable[str],
) -> Table:
    """One row per claim, one column per fault class, and a line between sections of claims."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0), pad_edge=False)
    table.add_column(title, no_wrap=True)
    for fault_model in fault_models:
        table.add_column(fault_model.name, min_width=9)
    for number, section in enumerate(sections, start=1):
        for name in section:
            table.add_row(name, *(make_cell(analysis.get(name, c.name)) for c in fault_models))
        if number < len(sections):
            table.add_section()
    return table


def make_cell(verdict: Verdict) -> str:
    """The text of a cell, for example ``refuted``, and below it ``16 steps``; or ``disputed``."""
    if verdict.disputed:
        return f"[yellow]{verdict.dispute.replace(' ', chr(10))}[/yellow]"
    text = verdict.word.value
    if verdict.steps is not None:
        text += f"\n{count_steps(verdict.steps)}"
    if verdict.is_vacuous:
        text += "\n(vacuous)"
    if verdict.depth is not None:
        text += f"\nto {verdict.depth}"
    style = "dim" if verdict.is_vacuous else STYLES[verdict.word]
    return f"[{style}]{text}[/{style}]"
