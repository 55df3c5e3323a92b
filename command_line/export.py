"""``rmqspec export``: what others can check their own work against, or ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from command_line.export_models import promela, tla
from command_line.export_traces import itf
from command_line.options.name_options import add_structures_option
from command_line.output import exit_codes
from command_line.output.new_files import OUT, check_new, tell_problem
from properties.exports.smt_lib import write_smt_lib
from properties.exports.vectors import write_vectors
from properties.worlds import STRUCTURES

VECTORS_EPILOG = """\b
Examples:
  rmqspec export vectors --out vectors
  rmqspec export vectors --out pair --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"
\b
Exit codes: 0 written, 3 bad input (the folder exists).
"""

SMT_LIB_EPILOG = """\b
Examples:
  rmqspec export smt-lib --out proofs --structure "SYNC_MASTER/SYNC_FLUSH/1 slave"
\b
Every file must be answered unsat. A structure takes 5 to 40 MB.
  cvc5 proofs/sync_master-sync_flush-1_slaves/safety/none/acknowledged_is_held_twice.smt2
\b
Exit codes: 0 written, 3 bad input (the folder exists).
"""


@click.group(name="export")
def command() -> None:
    """Write scenarios, traces, proofs and models for other programs."""


command.add_command(itf)
command.add_command(promela)
command.add_command(tla)


@command.command(name="vectors", epilog=VECTORS_EPILOG)
@OUT
@add_structures_option()
def vectors(out: Path, names: tuple[str, ...]) -> int:
    """Write every named scenario with the state after each step, valid and forbidden ones."""
    return export(write_vectors, "vectors", out, names)


@command.command(name="smt-lib", epilog=SMT_LIB_EPILOG)
@OUT
@add_structures_option()
def smt_lib(out: Path, names: tuple[str, ...]) -> int:
    """Write every proof obligation as a file of its own, for another solver than Z3."""
    return export(write_smt_lib, "obligations", out, names)


def export(
    write: Callable[[Iterable[Any], Path], dict[str, int]],
    what: str,
    out: Path,
    names: tuple[str, ...],
) -> int:
    """Write these structures, or all, into a new folder, and tell how much it was."""
    check_new(out)
    with tell_problem(out):
        counts = write([STRUCTURES[n] for n in names or STRUCTURES], out)
    for name, count in counts.items():
        click.echo(f"{out / name}: {count} {what}")
    return exit_codes.ANALYSED
