"""Guided rounds: schedules that continue where earlier ones met something rare.

Before a round the rarest pairs and situations of all earlier rounds are selected, and for each the
first schedule that met it, with the step. These are the parents of the round: a schedule repeats a
parent's steps up to that step, then makes its own random choices (like a coverage-guided fuzzer).
The parents are stored once, so the round's schedules depend on nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from spark_fuzz.campaign.coverage import PAIR, SITUATION
from spark_fuzz.campaign.store import (
    COVERAGE_FOLDER,
    DATA_FOLDER,
    CampaignError,
    Manifest,
    put_in_place,
)
from spark_fuzz.kernel.ancestry import Lineage, Parent, find_lineage, parse_lineage

if TYPE_CHECKING:  # A schedule is replayed without Spark.
    from pyspark.sql import DataFrame, SparkSession

PARENTS_MAX = 1024
"""The parents of a round."""


def choose_parents(
    spark: SparkSession, manifest: Manifest, folder: Path, guided_round: int
) -> list[Parent]:
    """The places from which a round continues: those that fewest schedules reached, rarest first.

    Raises CampaignError when there is none.
    """
    from pyspark.sql import functions as spark_functions  # noqa: PLC0415

    before = [f"unit-{unit:06}.parquet" for unit in range(manifest.get_units(guided_round).start)]
    coverage = read_files(spark, folder / COVERAGE_FOLDER, before)
    rows = read_files(spark, folder / DATA_FOLDER, before).select("schedule", "lineage")
    first = spark_functions.min(spark_functions.struct("first_schedule", "first_step"))
    rarest = (
        coverage.where(spark_functions.col("kind").isin(PAIR, SITUATION))
        .groupBy("kind", "name")
        .agg(spark_functions.sum("schedules").alias("schedules"), first.alias("first"))
        .select("kind", "name", "schedules", "first.*")
        .where(f"0 < first_step and first_step < {manifest.options.steps}")
        .orderBy("schedules", "kind", "name")
        .limit(PARENTS_MAX)
    )
    found = rarest.join(rows, rarest.first_schedule == rows.schedule).select(
        "first_step",
        spark_functions.expr("coalesce(lineage, cast(schedule as string)) as lineage"),
    )
    pairs = sorted({(row.lineage, row.first_step) for row in found.collect()})
    if not pairs:
        raise CampaignError(
            f"round {guided_round} has no place to continue from; leave out --guided-rounds"
        )
    return [Parent(parse_lineage(lineage), step) for lineage, step in pairs]


def read_files(spark: SparkSession, folder: Path, names: Sequence[str]) -> DataFrame:
    """Some files of a folder as one table."""
    return spark.read.parquet(*(str(folder / name) for name in names))


def get_parents_path(folder: Path, guided_round: int) -> Path:
    """The path of a round's parents."""
    return folder / f"parents-{guided_round:02}.json"


def write_parents(folder: Path, guided_round: int, parents: Sequence[Parent]) -> None:
    """Put the parents of a round in place."""
    content = [{"lineage": str(p.lineage), "step": p.step} for p in parents]
    with put_in_place(get_parents_path(folder, guided_round)) as path:
        path.write_text(json.dumps(content, indent=0) + "\n")


@lru_cache(maxsize=4)
def read_parents(folder: Path, guided_round: int) -> tuple[Parent, ...]:
    """The parents of a started round; none in round 0. Raises CampaignError."""
    if not guided_round:
        return ()
    path = get_parents_path(folder, guided_round)
    try:
        content = json.loads(path.read_text())
        return tuple(Parent(parse_lineage(p["lineage"]), int(p["step"])) for p in content)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise CampaignError(f"{path} has no parents ({problem!r}); begin anew") from problem


def find_campaign_lineage(manifest: Manifest, folder: Path, schedule: int) -> Lineage:
    """What a schedule of a campaign descends from. Raises CampaignError without its parents."""
    parents = read_parents(folder, schedule // manifest.schedules)
    return find_lineage(manifest.options.campaign_seed, parents, schedule)
