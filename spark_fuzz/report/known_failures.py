"""The known ways to fail that a campaign has met, and those that it has missed.

A way to fail is a guarantee with a smallest set of faults that breaks it (``z3.fault_sets``); for
groups of at most one slave, and for all other worlds, all of them are known. A campaign has met one
if in some schedule the guarantee was violated and no fault outside the set happened.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as spark_functions

from properties.fault_model import get_fault_count_name
from properties.verdicts.fault_sets.certificates import BORDERED_STRUCTURES, load_borders
from properties.worlds import find_world
from reference.language.machine import record_machine


@frozen
class KnownFailure:
    """One known way to fail, and the number of schedules of a campaign that met it."""

    guarantee: str
    faults: frozenset[str]
    """The smallest set of faults that breaks the guarantee; empty: it fails without any."""
    steps: int
    """The steps of the known schedule, which is a shortest one."""
    schedules: int = 0
    """The number of schedules that have met it."""
    shortest_steps: int | None = None
    """The steps after which the quickest of them did."""

    def __str__(self) -> str:
        faults = " + ".join(sorted(self.faults)) or "no fault"
        return f"{self.guarantee} by {faults} ({self.steps} steps)"


def list_known_failures(structure: Any) -> tuple[KnownFailure, ...]:
    """Every known way to break the guarantees that are checked in each state.

    Empty for a structure whose fault sets are not decided.
    """
    if structure not in BORDERED_STRUCTURES:
        return ()
    guarantees = find_world(structure).guarantees
    return tuple(
        KnownFailure(border.guarantee, refutation.faults, len(refutation.schedule))
        for border in load_borders(structure)
        for refutation in border.refuted
        if border.guarantee in guarantees
    )


def count_known_failures(frame: DataFrame, structure: Any, limits: Any) -> list[KnownFailure]:
    """The known ways to fail that these limits admit, with the counts of the campaign's rows.

    One aggregation; only its single row is sent to the driver.
    """
    known = [f for f in list_known_failures(structure) if is_admitted(f, limits)]
    if not known:
        return []
    columns = []
    for index, failure in enumerate(known):
        met = spark_functions.when(has_met(failure, structure), get_step(failure))
        columns.append(spark_functions.count(met).alias(f"schedules{index}"))
        columns.append(spark_functions.min(met).alias(f"shortest{index}"))
    row = frame.agg(*columns).collect()[0]
    return [
        KnownFailure(f.guarantee, f.faults, f.steps, row[f"schedules{i}"], row[f"shortest{i}"])
        for i, f in enumerate(known)
    ]


def is_admitted(failure: KnownFailure, limits: Any) -> bool:
    """The faults that it needs may happen."""
    return all(getattr(limits, name) > 0 for name in failure.faults)


def get_step(failure: KnownFailure) -> Column:
    """The first step at which a row's schedule violates the guarantee."""
    return spark_functions.col(f"violating_steps.{failure.guarantee}")


def has_met(failure: KnownFailure, structure: Any) -> Column:
    """A row's schedule violates the guarantee, and no other fault happens in it."""
    others = [name for name, fault in list_faults(structure) if fault not in failure.faults]
    is_violated = get_step(failure).isNotNull()
    if not others:
        return is_violated
    strike = spark_functions.array(*(spark_functions.lit(name) for name in others))
    return is_violated & ~spark_functions.arrays_overlap("rules_used", strike)


def list_faults(structure: Any) -> list[tuple[str, str]]:
    """Each instance that is a fault or environment event, with the name of its count."""
    counted = ((r.instance.name, get_fault_count_name(r)) for r in record_machine(structure))
    return [(name, fault) for name, fault in counted if fault is not None]
