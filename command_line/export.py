"""``rmqspec export``: what others can check their own work against, or ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs
import click

from command_line import exit_codes
from properties.fault_class import SEARCHED
from properties.promela import PromelaModel, SmallInstance
from properties.smt_lib import write_smt_lib
from properties.subject import get_fault_classes, get_small_parameters
from properties.vectors import write_vectors
from properties.worlds import COLUMN_NAMES, KNOWN_STRUCTURES, STRUCTURES
from reference.leaves import compute_leaf_sorts, is_parameter
from reference.terms import Sort

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

PROMELA_EPILOG = """\b
Examples:
  rmqspec export promela --out pair.pml --fault "slave wiped"
  rmqspec export promela --out consumer.pml --fault "consumer kill" \\
      --structure "consumer/slave read/no offset check" --size ghost_queue_size_max=2
  rmqspec export promela --out tiny.pml --times 1 --size mapped_file_size_bytes=2 \\
      --size message_size_max_bytes=1 --size ghost_log_size_max_bytes=4
\b
What SPIN does with the model is told in spec/spin.md:
  spin -a -o2 tiny.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E -n -m1000000
\b
Exit codes: 0 written, 3 bad input (the file exists, no such size).
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
    """Write scenarios, proofs and models for other programs."""


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


@command.command(name="promela", epilog=PROMELA_EPILOG)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new file.")
@click.option(
    "--structure",
    "name",
    type=click.Choice(list(KNOWN_STRUCTURES)),
    metavar="NAME",
    default="SYNC_MASTER/ASYNC_FLUSH/1 slave",
    show_default=True,
    help="Any structure of `rmqspec prove`, of any release.",
)
@click.option(
    "--fault",
    type=click.Choice(COLUMN_NAMES),
    metavar="CLASS",
    default="none",
    show_default=True,
    help="A column: which faults may strike.",
)
@click.option(
    "--times",
    default=SEARCHED,
    show_default=True,
    type=click.IntRange(0, 100),
    help="How often each of them may strike.",
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Another size than the usual small one.",
)
@click.option(
    "--highest",
    multiple=True,
    metavar="LEAF=NUMBER",
    help="A number of the state that counts no further, so that there is an end of all states; "
    "for pairs master.connection_count=2.",
)
def promela(  # noqa: PLR0913, PLR0917
    out: Path, name: str, fault: str, times: int, sizes: tuple[str, ...], highest: tuple[str, ...]
) -> int:
    """Write one small instance as a model for SPIN, whose states are those of the instance."""
    structure = KNOWN_STRUCTURES[name]
    columns = {c.name: c for c in get_fault_classes(structure)}
    if fault not in columns:
        raise click.BadParameter(
            f"{name} has the columns {', '.join(columns)}", param_hint="--fault"
        )
    small = get_small_parameters(structure)
    known = [size for size, value in attrs.asdict(small).items() if isinstance(value, int)]
    given = parse_numbers(sizes, known, "--size")
    leaves = [p for p, sort in compute_leaf_sorts(structure).items() if sort is Sort.INTEGER]
    changing = [p for p in leaves if not is_parameter(p)]
    instance = SmallInstance(
        structure,
        attrs.evolve(columns[fault], times=times),
        attrs.evolve(small, **given),
        parse_numbers(highest, changing, "--highest"),
    )
    return export_promela(instance, out)


def parse_numbers(pairs: Iterable[str], known: Iterable[str], option: str) -> dict[str, int]:
    """Numbers by their names. Raises click.BadParameter for another name, or for no number."""
    numbers: dict[str, int] = {}
    names = list(known)
    for pair in pairs:
        name, _, number = pair.partition("=")
        if name not in names or not re.fullmatch(r"[1-9][0-9]?", number):
            message = f"{pair!r} is not NAME=NUMBER with a number from 1 to 99 and a NAME out of "
            raise click.BadParameter(message + ", ".join(names), param_hint=option)
        numbers[name] = int(number)
    return numbers


def export_promela(instance: SmallInstance, out: Path) -> int:
    """Write the model into a new file, and tell how large it is."""
    model = PromelaModel(instance)
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(model.write())
    except FileExistsError as problem:
        raise click.BadParameter(f"{out} exists; choose another --out") from problem
    except OSError as problem:
        raise click.BadParameter(f"{out} cannot be made: {problem.strerror}") from problem
    options = sum(len(step.list_options()) for step in model.steps)
    click.echo(f"{out}: {len(model.steps)} instances of rules, {options} options")
    return exit_codes.ANALYSED


def export(
    write: Callable[[Iterable[Any], Path], dict[str, int]],
    what: str,
    out: Path,
    names: tuple[str, ...],
) -> int:
    """Write these structures, or all, into a new folder, and tell how much it was."""
    if out.exists():
        raise click.BadParameter(f"{out} exists and is left as it is; choose another --out")
    try:
        counts = write([STRUCTURES[n] for n in names or STRUCTURES], out)
    except OSError as problem:
        raise click.BadParameter(f"{out} cannot be made: {problem.strerror}") from problem
    for name, count in counts.items():
        click.echo(f"{out / name}: {count} {what}")
    return exit_codes.ANALYSED
