"""New files and folders: existing ones are left alone, and failures are reported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

OUT = click.option("--out", required=True, type=click.Path(path_type=Path), help="A new folder.")
NEW_FILE = click.option("--out", required=True, type=click.Path(path_type=Path), help="A new file.")


def check_new(out: Path) -> None:
    """Raises click.BadParameter for a file or folder that exists."""
    if out.exists():
        raise click.BadParameter(f"{out} exists and is left as it is; choose another --out")


@contextmanager
def tell_problem(out: Path) -> Iterator[None]:
    """Inside, a file or folder that cannot be made becomes one clear line."""
    try:
        yield
    except OSError as problem:
        raise click.BadParameter(f"{out} cannot be made: {problem.strerror}") from problem
