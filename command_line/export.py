"""``rmqspec export``: what others can check their own work against."""

from __future__ import annotations

from pathlib import Path

import click

from command_line import exit_codes
from properties.certificates import CERTIFIED_BY_NAME
from properties.vectors import write_vectors

EPILOG = """\b
Examples:
  rmqspec export vectors --out vectors
  rmqspec export vectors --out pair --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"
\b
Exit codes: 0 written, 3 bad input (the folder exists).
"""


@click.group(name="export")
def command() -> None:
    """Write scenarios for other implementations."""


@command.command(name="vectors", epilog=EPILOG)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new folder.")
@click.option(
    "--structure",
    "names",
    multiple=True,
    type=click.Choice(list(CERTIFIED_BY_NAME)),
    help="Only this structure; may be repeated.",
)
def vectors(out: Path, names: tuple[str, ...]) -> int:
    """Write every named scenario with the state after each step, valid and forbidden ones."""
    if out.exists():
        raise click.BadParameter(f"{out} exists and is left as it is; choose another --out")
    try:
        counts = write_vectors([CERTIFIED_BY_NAME[n] for n in names or CERTIFIED_BY_NAME], out)
    except OSError as problem:
        raise click.BadParameter(f"{out} cannot be made: {problem.strerror}") from problem
    for file, count in counts.items():
        click.echo(f"{out / file}: {count} vectors")
    return exit_codes.ANALYSED
