"""Runs a campaign: each unit is computed by some worker and put in place once.

A unit's content depends only on the manifest and its number. Retries, speculation, a second run
beside this one and a resumed run therefore write identical content.
"""

from __future__ import annotations

import contextlib
import gc
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from properties.verdicts.verdict import InternalDisagreementError
from spark_fuzz.campaign.coverage import make_observations, write_observations
from spark_fuzz.campaign.guidance import (
    choose_parents,
    get_parents_path,
    read_parents,
    write_parents,
)
from spark_fuzz.campaign.progress import CampaignWatch, Progress
from spark_fuzz.campaign.rows import make_rows, open_writer
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.session import cancelled_when_interrupted
from spark_fuzz.campaign.store import (
    LARGE_UNIT,
    CampaignError,
    Manifest,
    create_campaign,
    find_missing_units,
    get_coverage_path,
    get_unit_path,
    plan_campaign,
    put_in_place,
    read_manifest,
    remove_leftovers,
)
from spark_fuzz.kernel.agreement import check_agreement
from spark_fuzz.kernel.ancestry import find_lineage
from spark_fuzz.kernel.kernel import NumberOverflowError, compile_kernel
from spark_fuzz.kernel.native.compiler import MissingCompilerError
from spark_fuzz.kernel.scheduler import mix, pick_below

ROWS_PER_GROUP = 50_000
"""Schedules that a worker holds in memory at a time."""
SCHEDULES_PER_CHECK = LARGE_UNIT
"""Of each unit, and of so many schedules, one is walked by the reference, too."""
UNITS_PER_TASK = 8
"""Spark spends about as much time on a task as a worker on 10,000 schedules."""


def ignore_progress(progress: Progress) -> None:
    """The default callback: do nothing."""


def write_campaign(
    spark: SparkSession,
    options: CampaignOptions,
    schedules: int,
    folder: Path,
    on_progress: Callable[[Progress], None] = ignore_progress,
) -> Progress:
    """Start a campaign in a new folder and run it to its end; the final progress.

    Raises CampaignError when the folder exists. If it is stopped, finished units stay, and
    ``resume_campaign`` computes the others.
    """
    create_campaign(folder, plan_campaign(options, schedules))
    return resume_campaign(spark, folder, on_progress)


def resume_campaign(
    spark: SparkSession,
    folder: Path,
    on_progress: Callable[[Progress], None] = ignore_progress,
) -> Progress:
    """Compute the missing units of a campaign; the final progress.

    Every worker must see the folder at the same path. Raises CampaignError for a folder that is no
    campaign, or one of other rules.
    """
    folder = folder.absolute()
    manifest = read_manifest(folder)
    # Functions are compiled at their first call: once here, not once by each worker.
    compile_kernel(manifest.options.structure).run(manifest.options, 0, 0)
    with CampaignWatch(folder, manifest, on_progress) as watch:
        for guided_round in range(1 + manifest.guided_rounds):
            compute_round(spark, manifest, folder, guided_round)
    remove_leftovers(folder)
    return watch.compute_progress()


def compute_round(spark: SparkSession, manifest: Manifest, folder: Path, guided_round: int) -> None:
    """Compute the missing units of one round; earlier rounds are finished."""
    missing = find_missing_units(folder, manifest, guided_round)
    if not missing:
        return
    if guided_round and not get_parents_path(folder, guided_round).exists():
        write_parents(folder, guided_round, choose_parents(spark, manifest, folder, guided_round))
    with translated(folder):
        compute_units(spark, manifest, folder, missing)
    if missing := find_missing_units(folder, manifest, guided_round):
        raise CampaignError(
            f"{len(missing)} units of {folder} were written elsewhere; give --out a folder that "
            "the driver and all workers share"
        )


KNOWN_ERRORS = (InternalDisagreementError, NumberOverflowError, MissingCompilerError)
WORKER_ERROR = re.compile(rf"({'|'.join(k.__name__ for k in KNOWN_ERRORS)}): (.*)")
"""A worker's own error, in the middle of Spark's message."""


@contextlib.contextmanager
def translated(folder: Path) -> Iterator[None]:
    """Raise a worker's own error, or CampaignError with a way to continue, instead of Spark's.

    Raises InternalDisagreementError, NumberOverflowError, MissingCompilerError, CampaignError.
    """
    try:
        yield
    except (Py4JError, PySparkException) as failure:
        text = str(failure)
        if found := WORKER_ERROR.search(text):
            kinds = {k.__name__: k for k in KNOWN_ERRORS}
            raise kinds[found[1]](found[2]) from failure
        causes = re.findall(r"^(?:Caused by: )?\S*(?:Error|Exception): .*", text, re.MULTILINE)
        cause = next(reversed(causes), text).strip().splitlines()[0]
        raise CampaignError(
            f"Spark gave up: {cause}; finished units are kept; once the cause is repaired, rmqspec "
            f"fuzz --resume {shlex.quote(str(folder))} computes the rest"
        ) from failure


def compute_units(spark: SparkSession, manifest: Manifest, folder: Path, units: list[int]) -> None:
    """One Spark job; when it is interrupted, its tasks are cancelled."""

    def write_units(tasks: Iterable[list[int]]) -> None:
        for unit in chain.from_iterable(tasks):
            write_unit(manifest, folder, unit)

    tasks = cut_into_tasks(units, spark.sparkContext.defaultParallelism)
    with cancelled_when_interrupted(spark):
        spark.sparkContext.parallelize(tasks, len(tasks)).foreachPartition(write_units)


def cut_into_tasks(units: list[int], cores: int) -> list[list[int]]:
    """The units of each task, in order: a few, and at last one each, so that cores end together."""
    tasks = []
    while units:
        size = max(1, min(UNITS_PER_TASK, len(units) // (2 * cores)))
        tasks.append(units[:size])
        units = units[size:]
    return tasks


def write_unit(manifest: Manifest, folder: Path, unit: int) -> None:
    """Compute a unit and put it in place, unless it is already there.

    Its observations are put in place before it, so that a unit in place is complete. Raises
    InternalDisagreementError when the reference walks one of its schedules differently.
    """
    path = get_unit_path(folder, unit)
    if path.exists():
        return
    options = manifest.options
    kernel = compile_kernel(options.structure)
    # Rules and terms live as long as the worker: no collection need visit them again.
    gc.freeze()
    parents = read_parents(folder, manifest.get_round(unit))
    observations = make_observations(kernel.layout)
    schedules = manifest.get_schedules(unit)
    checked = choose_checked(schedules)
    with put_in_place(path) as temporary, open_writer(kernel, options, temporary) as writer:
        for first in schedules[::ROWS_PER_GROUP]:
            count = min(ROWS_PER_GROUP, schedules.stop - first)
            batch = kernel.run(options, first, count, parents=parents, observations=observations)
            for number in checked.intersection(range(first, first + count)):
                lineage = find_lineage(options.campaign_seed, parents, number)
                check_agreement(kernel, options, batch, number - first, lineage)
            writer.write_batch(make_rows(kernel, options, batch, parents))
        with put_in_place(get_coverage_path(folder, unit)) as beside:
            write_observations(kernel.layout, observations, beside)


def choose_checked(schedules: range) -> set[int]:
    """Those of a unit's schedules that the reference walks, too."""
    return {
        first + pick_below(mix(first), min(SCHEDULES_PER_CHECK, schedules.stop - first))
        for first in schedules[::SCHEDULES_PER_CHECK]
    }
