"""``rmqspec prove --cross-check``: a second engine searches certified verdicts again."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from command_line.output import exit_codes
from command_line.output.interruption import say_when_interrupted
from command_line.output.progress import show_progress
from properties.checkout import FULL_ENVIRONMENT
from spark_fuzz.campaign.java import MissingPrerequisiteError, find_java

if TYPE_CHECKING:
    from spark_fuzz.search.cross_check import SearchEngine
    from spark_fuzz.search.level_search import RunTasks


STATES_IN_MEMORY_MAX = 2**31 - 1
"""In memory states are numbered in 32 bits."""


def check_levels(folder: Path | None, master: str | None, states_max: int) -> None:
    """Raise click.BadParameter for a folder or a cluster that would stay unused, or is needed.

    From now on an interruption says what is kept: the levels in the folder, if there is one.
    """
    kept = f"finished levels are in {folder}, and the same command continues"
    say_when_interrupted(lambda: f"interrupted; {kept}" if folder else "interrupted")
    if folder and not states_max:
        raise click.BadParameter("it goes with --cross-check", param_hint="--levels")
    if master and not folder:
        raise click.BadParameter("it goes with --levels", param_hint="--master")
    if states_max > STATES_IN_MEMORY_MAX and not folder:
        raise click.BadParameter(
            f"more than {STATES_IN_MEMORY_MAX} states need --levels", param_hint="--cross-check"
        )


def check_installed(*libraries: str) -> None:
    """Raise MissingPrerequisiteError if this environment lacks one of them."""
    if missing := [name for name in libraries if importlib.util.find_spec(name) is None]:
        raise MissingPrerequisiteError(f"this environment has no {missing[0]}; {FULL_ENVIRONMENT}")


@contextmanager
def open_engine(folder: Path | None, master: str | None, jobs: int) -> Iterator[SearchEngine]:
    """The engine that searches: in memory, or with a folder for the levels on disk.

    On disk it is ``jobs`` processes, 0 for one per core, or Spark if there is a ``master``. Raises
    MissingPrerequisiteError without compiler, Spark or Java.
    """
    check_installed("numpy")
    from spark_fuzz.search.cross_check import search_here  # noqa: PLC0415

    if folder is None:
        yield search_here
        return
    if master:
        check_installed("pyspark")
        find_java()
    from spark_fuzz.search.level_search import LevelEngine, open_processes  # noqa: PLC0415

    open_tasks = partial(open_spark, master) if master else partial(open_processes, jobs)
    with ExitStack() as opened:
        yield LevelEngine(cache(lambda: opened.enter_context(open_tasks())), folder)


@contextmanager
def open_spark(master: str) -> Iterator[RunTasks]:
    """The tasks of a Spark session."""
    from spark_fuzz.campaign.session import open_session, run_tasks  # noqa: PLC0415

    with open_session(master) as spark:
        yield partial(run_tasks, spark)


def cross_check_all(
    structures: list[Any], fault: str, states_max: int, engine: SearchEngine
) -> int:
    """Print the result of the breadth-first search for each guarantee under one fault model."""
    from spark_fuzz.search.cross_check import Agreement, compare_with_certificate  # noqa: PLC0415

    worst = exit_codes.ANALYSED
    for structure in structures:
        with show_progress() as progress:
            rows = compare_with_certificate(
                structure,
                structure.world.get_fault_model(fault),
                states_max,
                progress,
                engine,
            )
        for row in rows:
            click.echo(row.describe())
            if row.agreement is Agreement.DISAGREEMENT:
                worst = exit_codes.INTERNAL_DISAGREEMENT
    return worst
