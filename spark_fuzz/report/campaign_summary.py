"""Counts over a campaign's rows, made by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as spark_functions

from properties.worlds import find_world
from spark_fuzz.campaign.coverage import RULE
from spark_fuzz.campaign.rows import ENDS
from spark_fuzz.campaign.store import COVERAGE_FOLDER, DATA_FOLDER, read_manifest
from spark_fuzz.report.violation_classes import GET_LINEAGE, get_violating_step


def summarise(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """Counts over a written campaign: steps, schedules per violated claim, ends, rules used."""
    frame = spark.read.parquet(str(folder.absolute() / DATA_FOLDER))
    structure = read_manifest(folder).options.structure
    claims = list(find_world(structure).claims)
    at = [get_violating_step(structure, claim) for claim in claims]
    aggregates = [
        spark_functions.count("*").alias("schedules"),
        spark_functions.sum("steps").alias("steps"),
        spark_functions.sum("healing_steps").alias("healing_steps"),
        *(spark_functions.count_if(frame.end == end).alias(f"end:{end}") for end in ENDS),
    ]
    for g, column in zip(claims, at, strict=True):
        aggregates.append(spark_functions.count(column).alias(f"count:{g}"))
        first = spark_functions.struct(
            column.isNull(), column, "schedule", spark_functions.expr(GET_LINEAGE)
        )
        aggregates.append(spark_functions.min(first).alias(f"min:{g}"))
    row = frame.agg(*aggregates).collect()[0]
    met = spark.read.parquet(str(folder.absolute() / COVERAGE_FOLDER)).where(f"kind = '{RULE}'")
    used = met.groupBy("name").agg(spark_functions.sum("schedules").alias("schedules")).collect()
    return {
        "schedules": row["schedules"],
        "steps": row["steps"] or 0,
        "healing_steps": row["healing_steps"] or 0,
        "ends": {end: row[f"end:{end}"] for end in ENDS if row[f"end:{end}"]},
        "violations": {
            g: {
                "schedules": row[f"count:{g}"],
                "shortest_steps": row[f"min:{g}"][1],
                "shortest_lineage": row[f"min:{g}"][3],
            }
            for g in claims
            if row[f"count:{g}"]
        },
        "rules_used": {r["name"]: r["schedules"] for r in sorted(used)},
    }
