"""A campaign's schedules, counted by the faults that happened in them: one pass over all rows.

There are far fewer sets of faults than schedules, and all that a report says of violations follows
from their counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as spark_functions

from properties.language.fault_model import get_fault_count_name
from properties.language.world import ClaimedStructure
from reference.language.machine import record_machine
from spark_fuzz.campaign.row_reading import is_stuck, name_fired, read_rows, select_fired
from spark_fuzz.campaign.rows import ENDS
from spark_fuzz.campaign.store import read_manifest

SCHEDULE_BITS = 44
"""The bits of a schedule's number in a first violation, below those of the step."""


@contextmanager
def counted_by_faults(spark: SparkSession, folder: Path) -> Iterator[DataFrame]:
    """The counts of a campaign, computed at their first use and kept meanwhile.

    Raises CampaignError for a folder that is no campaign, or one of other rules.
    """
    structure = read_manifest(folder).options.structure
    counted = count_by_faults(read_rows(spark, folder), structure).persist()
    try:
        yield counted
    finally:
        counted.unpersist()


def count_by_faults(rows: DataFrame, structure: ClaimedStructure) -> DataFrame:
    """A row for each set of faults that happened in some schedule.

    ``rule_bits`` has the bits of these faults only; ``schedules``, ``steps`` and ``healing_steps``
    are sums; ``end:NAME`` counts the schedules with this end, ``count:NAME`` those that violate
    this claim, and ``first:NAME`` is the first of these violations, for ``get_first``.
    """
    faults = [name for name, _ in list_faults(structure)]
    masked = {
        f"word{i}": word.bitwiseAND(mask)
        for i, (word, mask) in enumerate(select_fired(structure, faults))
    }
    sums = [
        spark_functions.count("*").alias("schedules"),
        spark_functions.sum("steps").alias("steps"),
        spark_functions.sum("healing_steps").alias("healing_steps"),
        *(spark_functions.count_if(rows.end == end).alias(f"end:{end}") for end in ENDS),
    ]
    for claim in list_claims(structure):
        step = get_violating_step(structure, claim)
        first = spark_functions.shiftleft(step.cast("long"), SCHEDULE_BITS) + rows.schedule
        sums.append(spark_functions.count(step).alias(f"count:{claim}"))
        sums.append(spark_functions.min(first).alias(f"first:{claim}"))
    words = (word.alias(name) for name, word in masked.items())
    counted = rows.groupBy(*words).agg(*sums)
    return counted.withColumn("rule_bits", spark_functions.struct(*masked)).drop(*masked)


def get_first(packed: int) -> tuple[int, int]:
    """The steps and the number of a first violation: fewest steps, then smallest number."""
    return packed >> SCHEDULE_BITS, packed & ((1 << SCHEDULE_BITS) - 1)


def count_faults(structure: ClaimedStructure) -> Column:
    """How many different faults a row's set has."""
    return spark_functions.size(name_fired(structure, [name for name, _ in list_faults(structure)]))


def list_claims(structure: ClaimedStructure) -> list[str]:
    """Every claim that a campaign may find violated."""
    return [*structure.world.claims, *structure.world.part_claims]


def get_violating_step(structure: ClaimedStructure, claim: str) -> Column:
    """The number of steps after which a row's schedule violates a claim, else null.

    Convergence claims are judged at the end of healing.
    """
    if claim in structure.world.judged:
        return spark_functions.col(f"violating_steps.{claim}")
    at_end = spark_functions.col("steps") + spark_functions.col("healing_steps")
    return spark_functions.when(is_stuck(structure, claim), at_end)


def list_faults(structure: ClaimedStructure) -> list[tuple[str, str]]:
    """Each instance that is a fault or environment event, with the name of its count."""
    counted = ((r.instance.name, get_fault_count_name(r)) for r in record_machine(structure))
    return [(name, fault) for name, fault in counted if fault is not None]
