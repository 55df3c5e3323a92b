"""``rmqspec export``: what others can check their own work against, or ours."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import click

from command_line import exit_codes
from command_line.progress import show_progress
from properties.itf_export import (
    Exported,
    list_certified,
    list_counterexamples,
    list_issue_traces,
    write_traces,
)
from properties.smt_lib import write_smt_lib
from properties.vectors import write_vectors
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
  cvc5 proofs/sync_master-sync_flush-1_slaves/safety/none/acknowledged_is_held_twice.smt2
\b
Every file must be answered unsat. A structure takes 5 to 40 MB.
Exit codes: 0 written, 3 bad input (the folder exists).
"""

ITF_EPILOG = """\b
Examples:
  rmqspec export itf --out traces
  rmqspec export itf --out pair --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3"
  rmqspec export itf --out issues --issues
  rmqspec replay issues/known_issues/slave_ahead_acknowledges.itf.json
\b
All traces are about 3,000 files. index.json lists them with their fault columns.
Exit codes: 0 written, 3 bad input (the folder exists).
"""

OUT = click.option("--out", required=True, type=click.Path(path_type=Path), help="A new folder.")
CHOSEN = click.option(
    "--structure",
    "names",
    multiple=True,
    type=click.Choice(list(STRUCTURES)),
    help="Only this structure; may be repeated.",
)


@click.group(name="export")
def command() -> None:
    """Write scenarios, traces and proofs for other programs."""


@command.command(name="vectors", epilog=VECTORS_EPILOG)
@OUT
@CHOSEN
def vectors(out: Path, names: tuple[str, ...]) -> int:
    """Write every named scenario with the state after each step, valid and forbidden ones."""
    return export(write_vectors, "vectors", out, names)


@command.command(name="smt-lib", epilog=SMT_LIB_EPILOG)
@OUT
@CHOSEN
def smt_lib(out: Path, names: tuple[str, ...]) -> int:
    """Write every proof obligation as a file of its own, for another solver than Z3."""
    return export(write_smt_lib, "obligations", out, names)


@command.command(name="itf", epilog=ITF_EPILOG)
@OUT
@click.option(
    "--structure",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this structure, of any release; may be repeated.",
)
@click.option("--issues", "is_issues_only", is_flag=True, help="Only the known issues.")
def itf(out: Path, names: tuple[str, ...], is_issues_only: bool) -> int:
    """Write every stored counterexample and known issue as an ITF trace, for `rmqspec replay`."""
    check_new(out)
    traces = list_traces(names, is_issues_only)
    counts: Counter[str] = Counter()
    try:
        with show_progress() as progress:
            for each in write_traces(traces, out):
                counts[each.file.parent.name] += 1
                progress(f"{counts.total()} traces: {each.file}")
    except OSError as problem:
        raise click.BadParameter(f"{out} cannot be made: {problem.strerror}") from problem
    for folder, count in counts.items():
        click.echo(f"{out / folder}: {count} traces")
    return exit_codes.ANALYSED


def list_traces(names: tuple[str, ...], is_issues_only: bool) -> Iterable[Exported]:
    """The traces that are asked for: of some structures, of the known issues, or all.

    Raises click.BadParameter for a structure without a certificate.
    """
    if is_issues_only and names:
        raise click.BadParameter("--issues has structures of its own; leave --structure out")
    certified = {s.name: s for s in list_certified()} if not is_issues_only else {}
    for name in names:
        if name not in certified:
            nearest = ", ".join(difflib.get_close_matches(name, certified, 3, cutoff=0.0))
            raise click.BadParameter(f"no counterexamples of {name!r}; nearest are {nearest}")
    asked = [certified[name] for name in names or certified]
    issues = () if names else list_issue_traces()
    return chain(issues, chain.from_iterable(map(list_counterexamples, asked)))


def check_new(out: Path) -> None:
    """Raises click.BadParameter for a folder that exists."""
    if out.exists():
        raise click.BadParameter(f"{out} exists and is left as it is; choose another --out")


def export(
    write: Callable[[Iterable[Any], Path], dict[str, int]],
    what: str,
    out: Path,
    names: tuple[str, ...],
) -> int:
    """Write these structures, or all, into a new folder, and tell how much it was."""
    check_new(out)
    try:
        counts = write([STRUCTURES[n] for n in names or STRUCTURES], out)
    except OSError as problem:
        raise click.BadParameter(f"{out} cannot be made: {problem.strerror}") from problem
    for name, count in counts.items():
        click.echo(f"{out / name}: {count} {what}")
    return exit_codes.ANALYSED
