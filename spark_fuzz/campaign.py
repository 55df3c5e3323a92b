"""The rows of a campaign: one for each schedule, the same on every cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from properties.subject import get_guarantees
from spark_fuzz.campaign_store import plan_campaign
from spark_fuzz.kernel import Batch, Kernel, compile_kernel
from spark_fuzz.schedule import CampaignOptions


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
    numbers = spark.range(0, schedules, 1, plan_campaign(options, schedules).units)

    def run_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kernel = compile_kernel(options.structure)
        for batch in batches:
            ids = batch.column(0).to_numpy()
            for run in np.split(ids, np.nonzero(np.diff(ids) != 1)[0] + 1):
                if len(run):
                    yield compute_rows(kernel, options, int(run[0]), len(run))

    return numbers.mapInArrow(run_batches, compute_schema(options.structure))


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


def _nullable(values: Any) -> pa.Array:
    return pa.array(values.astype(np.int32), mask=values < 0)


def _rules_used(kernel: Kernel, batch: Batch) -> pa.Array:
    matrix = kernel.unpack_used(batch.used)
    offsets = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))]).astype(np.int32)
    names = pa.array(kernel.names).take(pa.array(np.nonzero(matrix)[1]))
    return pa.ListArray.from_arrays(pa.array(offsets), names)
