"""``rmqspec prove --cross-check``: a second engine searches certified verdicts again."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from command_line.output import exit_codes
from command_line.output.progress import show_progress
from properties.worlds import find_world
from properties.worlds.replication.structures import SEARCHED_SLAVES_MAX
from reference.checkout import FULL_ENVIRONMENT
from spark_fuzz.campaign.java import MissingPrerequisiteError, find_java

if TYPE_CHECKING:
    from spark_fuzz.search.cross_check import SearchEngine


def check_levels(folder: Path | None, states_max: int) -> None:
    """Raise click.BadParameter for a folder that would stay unused."""
    if folder and not states_max:
        raise click.BadParameter("it goes with --cross-check", param_hint="--levels")


def check_installed(*libraries: str) -> None:
    """Raise MissingPrerequisiteError if this environment lacks one of them."""
    if missing := [name for name in libraries if importlib.util.find_spec(name) is None]:
        raise MissingPrerequisiteError(f"this environment has no {missing[0]}; {FULL_ENVIRONMENT}")


@contextmanager
def open_engine(folder: Path | None, master: str) -> Iterator[SearchEngine]:
    """The engine that searches: this process, or Spark if there is a folder for the levels.

    Raises MissingPrerequisiteError without compiler, Spark or Java, click.Abort when interrupted.
    """
    check_installed("numba")
    from spark_fuzz.search.cross_check import search_here  # noqa: PLC0415

    if folder is None:
        yield search_here
        return
    check_installed("pyspark")
    find_java()
    from spark_fuzz.campaign.session import open_session  # noqa: PLC0415
    from spark_fuzz.search.distributed_search import SparkEngine  # noqa: PLC0415

    try:
        with ExitStack() as opened:
            get_session = cache(lambda: opened.enter_context(open_session(master)))
            yield SparkEngine(get_session, folder)
    except KeyboardInterrupt as interrupt:
        raise click.Abort(
            f"interrupted; finished levels are in {folder}, and the same command continues"
        ) from interrupt


def cross_check_all(
    structures: list[Any], fault: str, states_max: int, engine: SearchEngine
) -> int:
    """Print the result of the breadth-first search for each guarantee under one fault model."""
    from spark_fuzz.search.cross_check import Agreement, compare_with_certificate  # noqa: PLC0415

    worst = exit_codes.ANALYSED
    searched = [s for s in structures if s.slaves <= SEARCHED_SLAVES_MAX]
    for structure in searched:
        with show_progress() as progress:
            rows = compare_with_certificate(
                structure,
                find_world(structure).get_fault_model(fault),
                states_max,
                progress,
                engine,
            )
        for row in rows:
            click.echo(row.describe())
            if row.agreement is Agreement.DISAGREEMENT:
                worst = exit_codes.INTERNAL_DISAGREEMENT
    return worst
