"""Verdicts of any world as a coloured table with reasons."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

import click
from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from command_line.answers.restrictions import print_resting
from command_line.output.width import echo, get_width, wrap_words
from properties.checkout import PROGRAM
from properties.generated_text import count_steps
from properties.language.fault_model import FaultModel
from properties.verdicts.analysis import Analysis
from properties.verdicts.verdict import Verdict, VerdictWord

STYLES = {
    VerdictWord.PROVED: "green",
    VerdictWord.BOUNDED: "green",
    VerdictWord.REFUTED: "red",
    VerdictWord.UNDECIDED: "yellow",
    VerdictWord.NOT_REFUTED: "yellow",
}


TABLE_WIDTH = 132
"""Width of the tables in a pipe, where every column of the stock pair has room."""


def make_console() -> Console:
    """Standard output, as wide as the terminal; colours only there."""
    return Console(highlight=False, width=get_width() or TABLE_WIDTH)


def make_table(
    analysis: Analysis,
    title: str,
    fault_models: tuple[FaultModel, ...],
    *sections: Iterable[str],
) -> Table:
    """One row per claim, one column per fault model, and a line between sections of claims."""
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


def print_tables(
    console: Console,
    analysis: Analysis,
    title: str,
    fault_models: Sequence[FaultModel],
    *sections: Iterable[str],
) -> None:
    """The table, its columns spread over as many tables as a terminal needs; no cell is broken.

    In a pipe it is one table, however wide.
    """
    kept = [tuple(section) for section in sections]
    left = list(fault_models)
    while left:
        count = len(left)
        table = make_table(analysis, title, tuple(left), *kept)
        if get_width() is None:
            console = Console(highlight=False, width=max(console.width, measure_table(table)))
        while count > 1 and measure_table(table) > console.width:
            count -= 1
            table = make_table(analysis, title, tuple(left[:count]), *kept)
        fit_table(table, console.width)
        console.print(table)
        left = left[count:]


def measure_table(table: Table) -> int:
    """The smallest width in which no word of a table is broken."""
    return sum(measure_column(column)[0] for column in table.columns) + len(table.columns) + 1


def measure_column(column: Column) -> tuple[int, int]:
    """The smallest width of a column in which no word is broken, and that of its longest line."""
    cells = [str(each) for each in (column.header, *column.cells)]
    lines = [line for cell in cells for line in Text.from_markup(cell).plain.split("\n")]
    longest = max(map(len, lines), default=0)
    words = max((len(word) for line in lines for word in line.split()), default=0)
    least = longest if column.no_wrap else max(words, column.min_width or 0)
    return least, max(longest, least)


def fit_table(table: Table, width: int) -> None:
    """Fix the widths of a table's columns: no word is broken, and none is wider than it needs."""
    rest = width - measure_table(table)
    measured = [(column, *measure_column(column)) for column in table.columns]
    for column, least, _ in measured:
        column.width = least
    while rest > 0 and (narrow := [c for c, _, most in measured if (c.width or 0) < most]):
        for column in narrow[:rest]:
            column.width = (column.width or 0) + 1
        rest -= len(narrow[:rest])


def make_cell(verdict: Verdict) -> str:
    """A verdict as text, for example ``refuted``, and below it ``16 steps``; or ``disputed``."""
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


def print_world(console: Console, analysis: Analysis) -> None:
    """The table, and the reason of each refuted guarantee."""
    structure = analysis.structure
    claims, columns = structure.world.claims, structure.world.fault_models
    print_tables(console, analysis, analysis.title, columns, claims)
    print_resting(structure, analysis.verdicts)
    reasons = analysis.list_reasons()
    for v in reasons:
        echo(f"  {v.guarantee}, {v.fault}: {analysis.get_reason(v)}")
    for v in reasons[:1]:
        cell = f'{v.guarantee} "{v.fault}" --structure "{structure.name}"'
        print_story(cell)


def print_story(cell: str) -> None:
    """The command that tells a verdict's story."""
    told = "  To see each step of one: "
    command = shlex.join([PROGRAM, "explain", *shlex.split(cell)])
    width = get_width()
    lines = [told + command] if width is None else wrap_words(command, width, told, "    ")
    click.echo("\n".join(lines))
