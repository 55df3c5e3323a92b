"""``rmqspec judges``: the verdicts of five engines, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs
import click
from rich.console import Console
from rich.table import Table

from command_line.answers.cross_check import check_installed
from command_line.options.shared_options import (
    USUAL,
    add_faults_option,
    add_structures_option,
    find_fault_model,
    find_structures,
)
from command_line.output import exit_codes
from command_line.output.progress import show_progress
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.system.world import SYSTEM

if TYPE_CHECKING:
    from spark_fuzz.judges.five_judges import JudgedCell

EPILOG = """\b
Examples:
  rmqspec judges --structure "delay/4.4.0" --fault kill
  rmqspec judges --structure "delay/4.4.0"       # every fault model
  rmqspec judges --fault "slave kill"
  rmqspec judges --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave" --fault none --json

A fault model takes 5 to 20 s. Each structure's kernel is compiled once, some 4 s; that needs
a C compiler.

Exit codes: 0 no two judges contradict each other, 3 bad input, 4 missing prerequisite, 70 two of
them do: both are named, with what they say.
"""

JUDGED = {name: s for name, s in STRUCTURES.items() if s not in SYSTEM.structures}
"""Those that are small enough for every judge."""

WIDTH = 130
"""Columns of text that a table takes; a narrower terminal wraps its lines."""


@click.command(name="judges", epilog=EPILOG)
@add_structures_option()
@add_faults_option()
@click.option(
    "--json", "is_json", is_flag=True, help="Print JSON for programs, a line per verdict."
)
def command(names: tuple[str, ...], faults: tuple[str, ...], is_json: bool) -> int:
    """Compare induction, bounded search, exhaustive search, kernel and Hypothesis.

    They share only the rules. If two contradict each other, one of them has a defect. Without
    --structure they judge the usual pair, SYNC_MASTER/ASYNC_FLUSH/1 slave.
    """
    check_installed("numpy", "hypothesis")
    from spark_fuzz.judges.five_judges import judge_cells  # noqa: PLC0415

    worst = exit_codes.ANALYSED
    for structure in find_structures(names or (USUAL,), JUDGED, "structure that is judged"):
        asked = [find_fault_model(structure, fault) for fault in faults]
        for column in asked or sorted(structure.world.fault_models, key=lambda c: c.name):
            with show_progress() as progress:
                cells = judge_cells(structure, column, progress)
            for cell in cells if is_json else ():
                click.echo(json.dumps(attrs.asdict(cell)))
            if not is_json:
                print_cells(cells)
            for disagreement in (d for cell in cells for d in cell.list_disagreements()):
                click.echo(f"disagreement: {disagreement}", err=True)
                worst = exit_codes.INTERNAL_DISAGREEMENT
    return worst


def print_cells(cells: tuple[JudgedCell, ...]) -> None:
    """A table: a row for each guarantee, a column for each judge."""
    first = cells[0]
    table = Table(title=f"{first.structure}, {first.fault}", title_justify="left")
    table.add_column("guarantee", no_wrap=True)
    for opinion in first.opinions:
        table.add_column(opinion.judge)
    for cell in cells:
        table.add_row(cell.guarantee, *map(str, cell.opinions))
    Console(width=max(WIDTH, Console().width)).print(table)
