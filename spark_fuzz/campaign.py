"""A campaign: millions of schedules as one Spark job, one row each, whatever the cluster."""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as spark_functions
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from properties.subject import get_guarantees
from reference import ROCKETMQ_VERSION
from spark_fuzz.kernel import Batch, Kernel, compile_kernel
from spark_fuzz.schedule import CampaignOptions, compute_rules_digest

SCHEDULES_PER_PARTITION = 20_000
"""The unit of work and of progress in all but the largest campaigns."""
PARTITIONS_MAX = 2_000
"""Larger campaigns have larger units."""
DATA_FOLDER = "schedules.parquet"
MANIFEST = "manifest.json"


class CampaignError(Exception):
    """Raised when a campaign cannot begin or be read; one line, with a remedy."""


@frozen
class Progress:
    """How far a campaign is."""

    done: int
    """Partitions finished."""
    total: int
    """Partitions in all."""
    seconds: float
    """Time since the job began."""


def compute_schema(structure: Any) -> StructType:
    """One row per schedule."""
    per_guarantee = list(get_guarantees(structure))
    return StructType(
        [
            StructField("campaign_seed", LongType(), nullable=False),
            StructField("schedule", LongType(), nullable=False),
            StructField("structure", StringType(), nullable=False),
            StructField("fault_limits", StringType(), nullable=False),
            StructField("steps", IntegerType(), nullable=False),
            StructField(
                "verdicts",
                StructType([StructField(g, StringType(), nullable=False) for g in per_guarantee]),
                nullable=False,
            ),
            StructField(
                "violating_steps",
                StructType([StructField(g, IntegerType()) for g in per_guarantee]),
                nullable=False,
            ),
            StructField("first_violating_step", IntegerType()),
            StructField("rules_used", ArrayType(StringType(), containsNull=False), nullable=False),
        ]
    )


def run_campaign(spark: SparkSession, options: CampaignOptions, schedules: int) -> DataFrame:
    """The rows of schedules 0 to ``schedules`` - 1, computed when the DataFrame is used.

    The session is the caller's and is not stopped. A row depends on nothing but the options and
    its number: not on partitions, cores or retries.
    """
    partitions = compute_partitions(schedules)
    numbers = spark.range(0, schedules, 1, partitions)

    def run_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kernel = compile_kernel(options.structure)
        for batch in batches:
            ids = batch.column(0).to_numpy()
            for run in np.split(ids, np.nonzero(np.diff(ids) != 1)[0] + 1):
                if len(run):
                    yield compute_rows(kernel, options, int(run[0]), len(run))

    return numbers.mapInArrow(run_batches, compute_schema(options.structure))


def compute_partitions(schedules: int) -> int:
    """How many units of work a campaign has; the same on every cluster."""
    return min(PARTITIONS_MAX, -(-schedules // SCHEDULES_PER_PARTITION))


def compute_rows(
    kernel: Kernel, options: CampaignOptions, first_schedule: int, count: int
) -> pa.RecordBatch:
    """The rows of consecutive schedules."""
    batch = kernel.run(options, first_schedule, count)
    names = kernel.layout.guarantees
    violated = batch.violations >= 0
    words = pa.array(["not_refuted", "refuted"])
    verdicts = [words.take(pa.array(violated[:, i].astype(np.int64))) for i in range(len(names))]
    at = [_nullable(batch.violations[:, i]) for i in range(len(names))]
    first = np.where(violated, batch.violations, np.iinfo(np.int64).max).min(axis=1)
    first[~violated.any(axis=1)] = -1
    columns = [
        pa.array(np.full(count, options.campaign_seed, np.int64)),
        pa.array(np.arange(first_schedule, first_schedule + count, dtype=np.int64)),
        pa.repeat(options.structure_code, count),
        pa.repeat(options.limits_code, count),
        pa.array(batch.steps.astype(np.int32)),
        pa.StructArray.from_arrays(verdicts, names),
        pa.StructArray.from_arrays(at, names),
        _nullable(first),
        _rules_used(kernel, batch),
    ]
    return pa.RecordBatch.from_arrays(columns, compute_schema(options.structure).names)


def write_campaign(
    spark: SparkSession,
    options: CampaignOptions,
    schedules: int,
    folder: Path,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> dict[str, Any]:
    """Run a campaign into a new folder: Parquet and a manifest; returns the manifest.

    Raises CampaignError when the folder exists. A campaign that is interrupted or fails leaves
    nothing behind.
    """
    if folder.exists():
        raise CampaignError(f"{folder} exists and is left as it is; choose another --out")
    compile_kernel(options.structure)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    started = time.monotonic()
    try:
        with _Watch(spark, compute_partitions(schedules), on_progress):
            frame = run_campaign(spark, options, schedules)
            frame.write.parquet(str(partial.absolute() / DATA_FOLDER))
    except BaseException:
        with contextlib.suppress(Exception):
            spark.sparkContext.cancelAllJobs()
        shutil.rmtree(partial, ignore_errors=True)
        raise
    manifest = {
        "rocketmq_version": ROCKETMQ_VERSION,
        "rules": compute_rules_digest(options.structure),
        "structure": options.structure_code,
        "fault_limits": options.limits_code,
        "steps": options.steps,
        "campaign_seed": options.campaign_seed,
        "schedules": schedules,
        "seconds": round(time.monotonic() - started, 3),
    }
    (partial / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    partial.rename(folder)
    return manifest


def summarise(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """Counts over a written campaign: steps, schedules per violated guarantee, rules used."""
    frame = spark.read.parquet(str(folder.absolute() / DATA_FOLDER))
    guarantees = frame.select("violating_steps.*").columns
    at = [spark_functions.col(f"violating_steps.{g}") for g in guarantees]
    aggregates = [
        spark_functions.count("*").alias("schedules"),
        spark_functions.sum("steps").alias("steps"),
    ]
    for g, column in zip(guarantees, at, strict=True):
        aggregates.append(spark_functions.count(column).alias(f"count:{g}"))
        aggregates.append(
            spark_functions.min(spark_functions.struct(column.isNull(), column, "schedule")).alias(
                f"min:{g}"
            )
        )
    row = frame.agg(*aggregates).collect()[0]
    used = (
        frame.select(spark_functions.explode("rules_used").alias("rule"))
        .groupBy("rule")
        .count()
        .collect()
    )
    return {
        "schedules": row["schedules"],
        "steps": row["steps"] or 0,
        "violations": {
            g: {
                "schedules": row[f"count:{g}"],
                "shortest_steps": row[f"min:{g}"][1],
                "shortest_schedule": row[f"min:{g}"][2],
            }
            for g in guarantees
            if row[f"count:{g}"]
        },
        "rules_used": {r["rule"]: r["count"] for r in used},
    }


class _Watch:
    """Tells progress while a job runs: Spark's own status, polled from a thread."""

    def __init__(
        self, spark: SparkSession, total: int, on_progress: Callable[[Progress], None]
    ) -> None:
        self.tracker = spark.sparkContext.statusTracker()
        self.total = total
        self.on_progress = on_progress
        self.is_done = threading.Event()
        self.started = time.monotonic()
        self.thread = threading.Thread(target=self._poll, daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *error: object) -> None:
        self.is_done.set()
        self.thread.join()

    def _poll(self) -> None:
        while not self.is_done.wait(0.5):
            done = 0
            for stage in self.tracker.getActiveStageIds():
                info = self.tracker.getStageInfo(stage)
                done += info.numCompletedTasks if info else 0
            self.on_progress(Progress(done, self.total, time.monotonic() - self.started))


def _nullable(values: Any) -> pa.Array:
    return pa.array(values.astype(np.int32), mask=values < 0)


def _rules_used(kernel: Kernel, batch: Batch) -> pa.Array:
    matrix = kernel.unpack_used(batch.used)
    offsets = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))]).astype(np.int32)
    names = pa.array(kernel.names).take(pa.array(np.nonzero(matrix)[1]))
    return pa.ListArray.from_arrays(pa.array(offsets), names)
