"""A campaign's rows as Spark reads them: the stored columns, and those that follow from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as spark_functions

from properties.language.world import ClaimedStructure
from spark_fuzz.campaign.rows import name_words
from spark_fuzz.campaign.store import (
    DATA_FOLDER,
    list_rule_instances,
    read_manifest,
)
from spark_fuzz.kernel.walk import WORD_BITS


def read_rows(spark: SparkSession, folder: Path) -> DataFrame:
    """The rows of a campaign, a column for each line of the table in ``spec/campaigns.md``.

    What a query does not use is neither read nor computed. Raises CampaignError for a folder that
    is no campaign, or one of other rules.
    """
    options = read_manifest(folder).options
    stored = spark.read.parquet(str(folder.absolute() / DATA_FOLDER))
    steps = {
        name: spark_functions.col(f"violating_steps.{name}")
        for name in stored.schema["violating_steps"].dataType.names
    }
    refuted, kept = spark_functions.lit("refuted"), spark_functions.lit("not_refuted")
    verdicts = (
        spark_functions.when(step.isNull(), kept).otherwise(refuted).alias(name)
        for name, step in steps.items()
    )
    return stored.select(
        spark_functions.lit(options.campaign_seed).cast("long").alias("campaign_seed"),
        "schedule",
        spark_functions.lit(options.structure_code).alias("structure"),
        spark_functions.lit(options.limits_code).alias("fault_limits"),
        "steps",
        spark_functions.struct(*verdicts).alias("verdicts"),
        "violating_steps",
        spark_functions.array_min(spark_functions.array(*steps.values())).alias(
            "first_violating_step"
        ),
        name_fired(options.structure, list_rule_instances(options.structure)).alias("rules_used"),
        "lineage",
        "healing_steps",
        "end",
        name_stuck(options.structure).alias("stuck"),
        "rule_bits",
        "stuck_bits",
    )


def name_fired(structure: ClaimedStructure, names: Sequence[str]) -> Column:
    """Those of these rule instances that fired in a row's schedule, in this order."""
    return _list_true({name: has_fired(structure, [name]) for name in names})


def name_stuck(structure: ClaimedStructure) -> Column:
    """The claims about rest that the end of a row's schedule violates."""
    return _list_true({n: is_stuck(structure, n) for n in structure.world.claims_about_rest})


def has_fired(structure: ClaimedStructure, names: Collection[str]) -> Column:
    """Whether any of these rule instances fired in a row's schedule."""
    words = (word.bitwiseAND(mask) != 0 for word, mask in select_fired(structure, names) if mask)
    return reduce(or_, words, spark_functions.lit(False))


def select_fired(structure: ClaimedStructure, names: Collection[str]) -> list[tuple[Column, int]]:
    """The words of a row's rule instances, each with the bits of these instances."""
    instances = list_rule_instances(structure)
    masks = [0] * -(-len(instances) // WORD_BITS)
    for index, name in enumerate(instances):
        masks[index // WORD_BITS] |= (name in names) << index % WORD_BITS
    words = (spark_functions.col(f"rule_bits.{word}") for word in name_words(len(masks)))
    return [*zip(words, masks, strict=True)]


def is_stuck(structure: ClaimedStructure, claim: str) -> Column:
    """Whether the end of a row's schedule violates a claim about rest."""
    mask = 1 << structure.world.claims_about_rest.index(claim)
    return spark_functions.col("stuck_bits").bitwiseAND(mask) != 0


def _list_true(conditions: dict[str, Column]) -> Column:
    """The names of the conditions that hold."""
    listed = [
        spark_functions.when(holds, spark_functions.lit(name)) for name, holds in conditions.items()
    ]
    return spark_functions.array_compact(spark_functions.array(*listed).cast("array<string>"))
