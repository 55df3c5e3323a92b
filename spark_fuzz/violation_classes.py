"""Violations in classes: by what is left of a schedule when every needless step is gone.

A campaign violates a guarantee in thousands of schedules, most of them in one of a few ways. Spark
picks candidates, for each guarantee the quickest one of each set of faults that struck, smallest
sets first; its workers replay and shorten them with the reference; what is left is classed by the
guarantee and the rules that fire, each as often as it does. Of each class the shortest member
stands for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as spark_functions
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from properties.certificates import encode_schedule
from properties.judgement import shorten_refutation
from properties.subject import get_guarantees
from reference.machine import Action
from spark_fuzz.known_failures import list_faults
from spark_fuzz.schedule import CampaignOptions
from spark_fuzz.schedule_replay import replay_schedule

CANDIDATES_PER_GUARANTEE = 24
"""How many schedules are shortened for each guarantee, each of another set of faults."""

CLASS_SCHEMA = StructType(
    [
        StructField("guarantee", StringType(), nullable=False),
        StructField("rules", StringType(), nullable=False),
        StructField("steps", IntegerType(), nullable=False),
        StructField("schedule", LongType(), nullable=False),
        StructField("minimal_schedule", StringType(), nullable=False),
    ]
)
"""A shortened violation: its class is ``guarantee`` and ``rules``, for example
``kill_master, put_message x2``; ``minimal_schedule`` is JSON, as in certificates."""


def find_classes(
    frame: DataFrame, options: CampaignOptions, candidates: int = CANDIDATES_PER_GUARANTEE
) -> DataFrame:
    """The classes of a campaign's violations, one row each, the shortest first.

    Columns: those of CLASS_SCHEMA for the member that stands for the class, and ``members``, how
    many shortened candidates belong to it. Computed by the workers when it is used.
    """
    shortened = pick_candidates(frame, options.structure, candidates).mapInArrow(
        make_shortener(options), CLASS_SCHEMA
    )
    of_class = Window.partitionBy("guarantee", "rules")
    best = of_class.orderBy("steps", "schedule")
    ranked = shortened.withColumn("rank", spark_functions.row_number().over(best)).withColumn(
        "members", spark_functions.count("*").over(of_class)
    )
    return ranked.where("rank = 1").drop("rank").orderBy("steps", "guarantee", "rules")


def pick_candidates(frame: DataFrame, structure: Any, candidates: int) -> DataFrame:
    """For each guarantee so many schedules that violate it: (guarantee, schedule)."""
    violation = spark_functions.explode(list_violations(structure)).alias("violation")
    violations = (
        frame.select("schedule", list_struck(structure).alias("faults"), violation)
        .select("schedule", "faults", "violation.*")
        .where("step is not null")
    )
    quickest = violations.groupBy("guarantee", "faults").agg(
        spark_functions.min(spark_functions.struct("step", "schedule")).alias("first")
    )
    smallest_first = Window.partitionBy("guarantee").orderBy(
        spark_functions.size("faults"), "first.step", "first.schedule"
    )
    ranked = quickest.withColumn("rank", spark_functions.row_number().over(smallest_first))
    return ranked.where(f"rank <= {candidates}").select("guarantee", "first.schedule")


def list_violations(structure: Any) -> Any:
    """A row's violations as an array of (guarantee, step), the step null where there is none."""
    return spark_functions.array(
        *(
            spark_functions.struct(
                spark_functions.lit(name).alias("guarantee"),
                spark_functions.col(f"violating_steps.{name}").alias("step"),
            )
            for name in get_guarantees(structure)
        )
    )


def list_struck(structure: Any) -> Any:
    """The faults that struck in a row's schedule, in alphabetical order."""
    faults = [spark_functions.lit(name) for name, _ in list_faults(structure)]
    struck = spark_functions.array_intersect("rules_used", spark_functions.array(*faults))
    return spark_functions.array_sort(struck)


def make_shortener(options: CampaignOptions) -> Any:
    """What a worker does with its candidates: replay, shorten, name the class."""

    def shorten_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [
                shorten(options, row["guarantee"], row["schedule"]) for row in batch.to_pylist()
            ]
            columns = zip(*rows, strict=True) if rows else [()] * len(CLASS_SCHEMA)
            types = (pa.string(), pa.string(), pa.int32(), pa.int64(), pa.string())
            arrays = [pa.array(c, t) for c, t in zip(columns, types, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, CLASS_SCHEMA.names)

    return shorten_all


def shorten(
    options: CampaignOptions, guarantee: str, schedule: int
) -> tuple[str, str, int, int, str]:
    """One violation without its needless steps, as a row of CLASS_SCHEMA."""
    steps = replay_schedule(options, schedule)
    at = next(s.index for s in steps if guarantee in s.violated)
    actions = [s.action for s in steps[1 : at + 1] if s.action is not None]
    parameters = options.compute_circumstances(schedule).parameters
    minimal = shorten_refutation(guarantee, options.structure, parameters, actions)
    text = json.dumps(encode_schedule(minimal))
    return guarantee, name_rules(minimal), len(minimal), schedule, text


def name_rules(schedule: tuple[Action, ...]) -> str:
    """The rules that fire and how often, in alphabetical order."""
    names = sorted(action.instance.partition("[")[0] for action in schedule)
    counts = {name: names.count(name) for name in dict.fromkeys(names)}
    return ", ".join(name if n == 1 else f"{name} x{n}" for name, n in counts.items())
