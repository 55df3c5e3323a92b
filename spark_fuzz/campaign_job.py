"""Running a campaign: each unit is computed by some worker and put in place once.

A unit's content depends on nothing but the manifest and its number. So retries, speculation, a
second run beside this one and a resumed run can only write what is or would be there anyway.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from uuid import uuid4

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from spark_fuzz.campaign import compute_rows
from spark_fuzz.campaign_progress import Progress, Watch
from spark_fuzz.campaign_store import (
    CampaignError,
    Manifest,
    create_campaign,
    find_missing_units,
    get_unit_path,
    plan_campaign,
    put_in_place,
    read_manifest,
    remove_leftovers,
)
from spark_fuzz.kernel import compile_kernel
from spark_fuzz.schedule import CampaignOptions

ROWS_PER_GROUP = 20_000
"""Schedules that a worker holds in memory at a time."""


def ignore_progress(progress: Progress) -> None:
    """For who does not want to know."""


def write_campaign(
    spark: SparkSession,
    options: CampaignOptions,
    schedules: int,
    folder: Path,
    on_progress: Callable[[Progress], None] = ignore_progress,
) -> Progress:
    """Begin a campaign in a new folder and run it to its end; the final progress.

    Raises CampaignError when the folder exists. Whatever stops it, the units in place stay, and
    ``resume_campaign`` computes the others.
    """
    create_campaign(folder, plan_campaign(options, schedules))
    return resume_campaign(spark, folder, on_progress)


def resume_campaign(
    spark: SparkSession,
    folder: Path,
    on_progress: Callable[[Progress], None] = ignore_progress,
) -> Progress:
    """Compute the units of a campaign that are not in place; the final progress.

    Every worker must see the folder at the same path. Raises CampaignError for a folder that is no
    campaign or is one of other rules.
    """
    folder = folder.absolute()
    manifest = read_manifest(folder)
    compile_kernel(manifest.options.structure)
    with Watch(folder, manifest, on_progress) as watch:
        if missing := find_missing_units(folder, manifest):
            compute_units(spark, manifest, folder, missing)
    if missing := find_missing_units(folder, manifest):
        raise CampaignError(
            f"{len(missing)} units of {folder} were written elsewhere; give --out a folder that "
            "the driver and all workers share"
        )
    remove_leftovers(folder)
    return watch.compute_progress()


def compute_units(spark: SparkSession, manifest: Manifest, folder: Path, units: list[int]) -> None:
    """One Spark job with a task for each unit; when it is interrupted, its tasks are cancelled."""
    context = spark.sparkContext
    tag = f"rmqspec-{uuid4().hex}"

    def write_units(numbers: Iterable[int]) -> None:
        for unit in numbers:
            write_unit(manifest, folder, unit)

    context.addJobTag(tag)
    try:
        context.parallelize(units, len(units)).foreachPartition(write_units)
    except BaseException:
        # An interrupt may have cut a call to the JVM in its middle: what follows may fail, too.
        with contextlib.suppress(Exception):
            context.cancelJobsWithTag(tag)
        raise
    finally:
        with contextlib.suppress(Exception):
            context.removeJobTag(tag)


def write_unit(manifest: Manifest, folder: Path, unit: int) -> None:
    """Compute a unit and put it in place; nothing is computed when it is there already."""
    path = get_unit_path(folder, unit)
    if path.exists():
        return
    kernel = compile_kernel(manifest.options.structure)
    schema = compute_rows(kernel, manifest.options, 0, 0).schema
    schedules = manifest.get_schedules(unit)
    with put_in_place(path) as temporary, pq.ParquetWriter(temporary, schema) as writer:
        for first in schedules[::ROWS_PER_GROUP]:
            count = min(ROWS_PER_GROUP, schedules.stop - first)
            writer.write_batch(compute_rows(kernel, manifest.options, first, count))
