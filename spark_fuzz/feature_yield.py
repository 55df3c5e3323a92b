"""The yield of a campaign by feature: under which circumstances schedules violate a guarantee.

In a swarm the features are what a schedule drew: its sizes, and for each fault whether it may
strike. Where all schedules are alike they are what happened: which faults struck. Drawing again
takes longer than walking, so only the first schedules are looked at; as each is drawn for itself,
they are as good a sample as any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import pyarrow as pa
from attrs import frozen
from pyspark.sql import DataFrame
from pyspark.sql import functions as spark_functions
from pyspark.sql.types import LongType, StringType, StructField, StructType

from properties.sentences import list_sizes
from properties.worlds import find_world
from spark_fuzz.known_failures import list_faults
from spark_fuzz.schedule import CampaignOptions

SCHEDULES_LOOKED_AT = 20_000
"""The schedules below this number are looked at."""
SIZES = "sizes"
"""The feature that is no fault."""
COLUMNS = ("feature", "value", "guarantee", "schedules", "violating")
YIELD_SCHEMA = StructType(
    [StructField(name, StringType(), nullable=False) for name in COLUMNS[:3]]
    + [StructField(name, LongType(), nullable=False) for name in COLUMNS[3:]]
)

Features = Callable[[Mapping[str, Any]], dict[str, str]]
"""The value of each feature of a row."""


@frozen
class FeatureYield:
    """What schedules with one value of a feature come to."""

    feature: str
    """A fault by the name of its limit, or ``sizes``."""
    value: str
    """``allowed``, ``not allowed``, ``struck``, ``did not strike``, or the sizes that vary."""
    schedules: int
    """How many of the schedules looked at have it."""
    violating: Mapping[str, int]
    """How many of these violate each guarantee."""


def compute_yield(frame: DataFrame, options: CampaignOptions) -> list[FeatureYield]:
    """The yield by every feature that varies: faults by their names, then sizes.

    Counted by the workers.
    """
    looked_at = frame.where(f"schedule < {SCHEDULES_LOOKED_AT} and lineage is null").select(
        "schedule", "rules_used", "violating_steps", "stuck"
    )
    counts = (
        looked_at.mapInArrow(make_counter(options), YIELD_SCHEMA)
        .groupBy("feature", "value", "guarantee")
        .agg(
            spark_functions.sum("schedules").alias("schedules"),
            spark_functions.sum("violating").alias("violating"),
        )
    )
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in counts.collect():
        found.setdefault((row["feature"], row["value"]), {})[row["guarantee"]] = row
    guarantees = options.judged_claims
    return [
        FeatureYield(
            feature,
            value,
            rows[guarantees[0]]["schedules"],
            {name: rows[name]["violating"] for name in guarantees},
        )
        for (feature, value), rows in sorted(
            found.items(), key=lambda item: (item[0][0] == SIZES, item[0])
        )
    ]


def make_counter(options: CampaignOptions) -> Any:
    """What a worker does with its rows: count schedules, and violating ones, by feature."""
    find_features = find_drawn_features(options) if options.is_swarm else find_struck(options)
    guarantees = options.judged_claims

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            schedules: Counter[tuple[str, str]] = Counter()
            violating: Counter[tuple[str, str, str]] = Counter()
            for row in batch.to_pylist():
                violated = find_violated(row)
                for pair in find_features(row).items():
                    schedules[pair] += 1
                    violating.update((*pair, name) for name in violated)
            rows = [
                (*pair, g, number, violating[*pair, g])
                for pair, number in schedules.items()
                for g in guarantees
            ]
            columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
            types = [pa.string()] * 3 + [pa.int64()] * 2
            arrays = [pa.array(c, t) for c, t in zip(columns, types, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, COLUMNS)

    return count


def find_violated(row: Mapping[str, Any]) -> list[str]:
    """The guarantees that a row's schedule violates, and the claims about rest."""
    steps = row["violating_steps"]
    return [*(name for name, step in steps.items() if step is not None), *row["stuck"]]


def find_drawn_features(options: CampaignOptions) -> Features:
    """What a schedule of a swarm drew, as far as it may vary."""
    possible = [name for name, most in attrs.asdict(options.limits).items() if most > 0]
    profiles = [list_sizes(p) for p in find_world(options.structure).sizes.swarm]
    varying = [name for name in profiles[0] if len({p[name] for p in profiles}) > 1]

    def find(row: Mapping[str, Any]) -> dict[str, str]:
        drawn = options.compute_circumstances(row["schedule"]).parameters
        features = {
            name: "allowed" if getattr(drawn.limits, name) else "not allowed" for name in possible
        }
        if varying:
            features[SIZES] = ", ".join(f"{name} = {getattr(drawn, name)}" for name in varying)
        return features

    return find


def find_struck(options: CampaignOptions) -> Features:
    """Which faults struck in a schedule, of those that may."""
    limits = attrs.asdict(options.limits)
    instances = [(i, fault) for i, fault in list_faults(options.structure) if limits[fault] > 0]

    def find(row: Mapping[str, Any]) -> dict[str, str]:
        fired = set(row["rules_used"])
        struck = {fault for instance, fault in instances if instance in fired}
        return {fault: "struck" if fault in struck else "did not strike" for _, fault in instances}

    return find
