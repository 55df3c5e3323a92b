"""The known ways to fail that a campaign has met, and those that it has missed.

A way to fail is a guarantee with a smallest set of faults that breaks it (``z3.fault_sets``); for
groups of at most one slave, and for all other worlds, all of them are known. A campaign has met one
if in some schedule the guarantee was violated and no fault outside the set happened.
"""

from __future__ import annotations

from attrs import evolve, frozen
from pyspark.sql import DataFrame
from pyspark.sql import functions as spark_functions

from properties.language.world import ClaimedStructure
from properties.verdicts.fault_sets.admitted_faults import are_proofs_current
from properties.verdicts.fault_sets.certificates import load_borders
from properties.worlds.catalogue import Tag, list_tagged
from reference.language.parameters import BaseFaults
from spark_fuzz.campaign.row_reading import has_fired
from spark_fuzz.report.fault_counts import get_first, list_faults


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


def list_known_failures(structure: ClaimedStructure) -> tuple[KnownFailure, ...]:
    """Every known way to break the guarantees that are checked in each state.

    Empty for a structure whose fault sets are not decided, or were decided for other rules.
    """
    if structure not in list_tagged(Tag.FAULT_SETS) or not are_proofs_current(structure):
        return ()
    guarantees = structure.world.guarantees
    return tuple(
        KnownFailure(border.guarantee, refutation.faults, len(refutation.schedule))
        for border in load_borders(structure)
        for refutation in border.refuted
        if border.guarantee in guarantees
    )


def count_known_failures(
    counted: DataFrame, structure: ClaimedStructure, limits: BaseFaults
) -> list[KnownFailure]:
    """The known ways to fail that these limits admit, from the campaign's counts by faults."""
    known = [f for f in list_known_failures(structure) if is_admitted(f, limits)]
    if not known:
        return []
    sums = []
    for index, failure in enumerate(known):
        others = [name for name, fault in list_faults(structure) if fault not in failure.faults]
        for kind, add_up in ("count", spark_functions.sum), ("first", spark_functions.min):
            column = counted[f"{kind}:{failure.guarantee}"]
            met = spark_functions.when(~has_fired(structure, others), column)
            sums.append(add_up(met).alias(f"{kind}{index}"))
    row = counted.agg(*sums).collect()[0]
    return [
        evolve(
            failure,
            schedules=row[f"count{index}"] or 0,
            shortest_steps=first and get_first(first)[0],
        )
        for index, failure in enumerate(known)
        for first in [row[f"first{index}"]]
    ]


def is_admitted(failure: KnownFailure, limits: BaseFaults) -> bool:
    """The faults that it needs may happen."""
    return all(getattr(limits, name) > 0 for name in failure.faults)
