"""Counts over a campaign's rows, and estimates of unseen things from the rate of new ones.

A schedule is a sample, and what it meets are its species. With ``met_once`` things met by exactly
one of n unguided schedules, the next schedule is expected to meet ``met_once / n`` new ones (Good
and Turing), and at least ``met_once ** 2 / (2 * met_twice)`` things are still unseen (Chao). Both
are about these schedules and these things: more steps, other limits, or a failure that needs a rare
combination of many conditions are not in them. Guided schedules are no independent samples and do
not count here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as spark_functions

from spark_fuzz.campaign.coverage import LOST, OUTCOME, PAIR, RULE, SITUATION, list_outcomes
from spark_fuzz.campaign.guidance import find_campaign_lineage
from spark_fuzz.campaign.rows import ENDS
from spark_fuzz.campaign.store import COVERAGE_FOLDER, Manifest, read_manifest
from spark_fuzz.kernel.layout import Layout
from spark_fuzz.kernel.walk import CLOSE_LOOK
from spark_fuzz.report.fault_counts import get_first, list_claims


def summarise(counted: DataFrame, folder: Path) -> dict[str, Any]:
    """Counts over a campaign: steps, schedules per violated claim, ends, rules used.

    ``counted`` are its counts by faults.
    """
    manifest = read_manifest(folder)
    claims = list_claims(manifest.options.structure)
    added = ["schedules", "steps", "healing_steps", *(f"end:{end}" for end in ENDS)]
    added += [f"count:{claim}" for claim in claims]
    row = counted.agg(
        *(spark_functions.sum(counted[name]).alias(name) for name in added),
        *(spark_functions.min(counted[f"first:{c}"]).alias(f"first:{c}") for c in claims),
    ).collect()[0]
    violations = {}
    for claim in claims:
        if row[f"count:{claim}"]:
            steps, schedule = get_first(row[f"first:{claim}"])
            violations[claim] = {
                "schedules": row[f"count:{claim}"],
                "shortest_steps": steps,
                "shortest_lineage": str(find_campaign_lineage(manifest, folder, schedule)),
            }
    return {
        "schedules": row["schedules"],
        "steps": row["steps"],
        "healing_steps": row["healing_steps"],
        "ends": {end: row[f"end:{end}"] for end in ENDS if row[f"end:{end}"]},
        "violations": violations,
        "rules_used": count_rules(counted.sparkSession, folder),
    }


def count_rules(spark: SparkSession, folder: Path) -> dict[str, int]:
    """In how many schedules each rule instance fired."""
    met = spark.read.parquet(str(folder.absolute() / COVERAGE_FOLDER)).where(f"kind = '{RULE}'")
    used = met.groupBy("name").agg(spark_functions.sum("schedules").alias("schedules")).collect()
    return {row["name"]: row["schedules"] for row in sorted(used)}


HEADINGS = {
    PAIR: "pairs of consecutive steps",
    SITUATION: "situations (steps possible together)",
    OUTCOME: "outcomes of named conditions",
}


def summarise_coverage(spark: SparkSession, folder: Path, manifest: Manifest) -> dict[str, Any]:
    """Observations, kind by kind, with their curve over the schedules and their estimates."""
    units = spark.read.parquet(str(folder.absolute() / COVERAGE_FOLDER))
    merged = (
        units.groupBy("kind", "name")
        .agg(
            spark_functions.min("first_schedule").alias("first_schedule"),
            spark_functions.sum(
                spark_functions.when(
                    units.first_schedule < manifest.schedules, units.schedules
                ).otherwise(0)
            ).alias("unguided"),
            spark_functions.sum("schedules").alias("counted"),
        )
        .persist()
    )
    outcomes = list(list_outcomes(Layout(manifest.options.structure)))
    try:
        kinds = [summarise_kind(merged, kind, manifest) for kind in HEADINGS]
        lost = merged.where(f"kind = '{LOST}'").agg({"counted": "sum"}).collect()[0][0] or 0
        met = {row.name for row in merged.where(f"kind = '{OUTCOME}'").select("name").collect()}
    finally:
        merged.unpersist()
    kinds[-1] |= {
        "possible": len(outcomes),
        "never_met": [name for name in outcomes if name not in met],
    }
    return {"kinds": kinds, "is_estimated": True, "lost": lost}


def summarise_kind(merged: DataFrame, kind: str, manifest: Manifest) -> dict[str, Any]:
    """One kind: counts, curve, estimates."""
    own = merged.where(f"kind = '{kind}'")
    total = manifest.schedules_in_all
    # The number of binary digits: a schedule is among the first 2 ** digits.
    digits = spark_functions.expr("if(first_schedule = 0, 0, length(bin(first_schedule)))")
    counted = own.groupBy(digits.alias("digits")).count().collect()
    news = {row.digits: row["count"] for row in counted}
    curve, met = [], 0
    for exponent in range((total - 1).bit_length() + 1):
        met += news.get(exponent, 0)
        curve.append([min(1 << exponent, total), met])
    rare = own.agg(
        spark_functions.count_if(own.unguided == 1).alias("once"),
        spark_functions.count_if(own.unguided == 2).alias("twice"),
    ).collect()[0]
    samples = manifest.schedules if kind != OUTCOME else -(-manifest.schedules // CLOSE_LOOK)
    return {
        "kind": HEADINGS[kind],
        "met": met,
        "possible": None,
        "curve": curve,
        "met_once": rare.once,
        "met_twice": rare.twice,
        "expected_new_per_schedule": rare.once / samples,
        "unseen_at_least": estimate_unseen(rare.once, rare.twice),
        "never_met": [],
    }


def estimate_unseen(once: int, twice: int) -> float:
    """A lower bound of the unseen things (Chao's, in the form without division by zero).

    ``once`` and ``twice`` count the things that exactly one, or two, samples met.
    """
    return once * (once - 1) / (2 * (twice + 1))
