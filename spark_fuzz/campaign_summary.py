"""Counts over a campaign's rows, made by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as spark_functions

from spark_fuzz.campaign_store import DATA_FOLDER


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
