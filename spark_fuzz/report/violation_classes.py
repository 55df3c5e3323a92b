"""Violations in classes, by their schedules without needless steps.

A campaign violates a guarantee in thousands of schedules, most of them in one of a few ways. Spark
picks candidates: for each guarantee the quickest one of each set of faults that happened, smallest
sets first. Its workers replay and shorten them with the reference. The result is classed by the
guarantee and the rules that fire, with their counts. The shortest member represents its class;
workers continue it at random to find the step from which on the violation was inevitable.

That is an estimate. After each step of a schedule the compiled kernel continues at random, many
times, without further faults: each fault's limit is its count so far. If every continuation
violates the guarantee, the violation needs no further fault. That is no proof: a rare continuation
without a violation may not have been drawn, and one that would violate later may have ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import evolve
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as spark_functions
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import judge, replay, shorten_refutation
from properties.verdicts.certificates import decode_schedule, encode_schedule
from reference.language.machine import Action
from reference.language.parameters import BaseParameters
from spark_fuzz.campaign.guidance import find_campaign_lineage
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_whole
from spark_fuzz.campaign.store import read_manifest
from spark_fuzz.kernel.ancestry import Lineage, parse_lineage
from spark_fuzz.kernel.kernel import Kernel, compile_kernel
from spark_fuzz.report.class_files import Continuations
from spark_fuzz.report.fault_counts import count_faults, get_first, list_claims

CONTINUATIONS = 300
"""The number of continuations drawn after each step. When all of them violate, then with 95 per
cent confidence fewer than one in a hundred does not (1 - 0.05 ** (1 / 300))."""
CONTINUATION_STEPS = 256
"""The maximal number of steps of a continuation."""


def sample_continuations(
    guarantee: str,
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Sequence[Action],
    drawn: int = CONTINUATIONS,
) -> Continuations:
    """Continue a schedule, whose last step violates the guarantee, after each of its steps.

    Seeded: the same schedule has the same continuations. Raises ScheduleError for a schedule that
    is impossible under these parameters.
    """
    kernel = compile_kernel(structure)
    steps = list(replay(structure, parameters, schedule, (guarantee,)))
    violating = [
        drawn if step.violated else count_violating(kernel, guarantee, step.cluster, drawn)
        for step in steps
    ]
    return Continuations(tuple(violating), drawn)


def count_violating(kernel: Kernel, guarantee: str, state: Any, drawn: int) -> int:
    """The number of continuations of a state, without a further fault, that violate."""
    quiet = evolve(state, parameters=state.parameters.limit(state.faults))
    options = CampaignOptions(
        kernel.structure,
        state.faults,
        CONTINUATION_STEPS,
        healing_steps=0 if guarantee in kernel.layout.guarantees else CONTINUATION_STEPS,
    )
    batch = kernel.run(options, 0, drawn, begin=quiet)
    if guarantee in kernel.layout.guarantees:
        return int((batch.violations[:, kernel.layout.guarantees.index(guarantee)] >= 0).sum())
    claim = kernel.layout.claims_about_rest.index(guarantee)
    return int(kernel.unpack_stuck(batch.stuck)[:, claim].sum())


CANDIDATES_PER_GUARANTEE = 24
"""The number of schedules shortened for each claim, each of another set of faults."""
CANDIDATES_ABOUT_REST = 8
"""The number for a convergence claim: its schedules are long, and it takes longer to judge."""

CLASS_SCHEMA = StructType(
    [
        StructField("guarantee", StringType(), nullable=False),
        StructField("rules", StringType(), nullable=False),
        StructField("steps", IntegerType(), nullable=False),
        StructField("lineage", StringType(), nullable=False),
        StructField("minimal_schedule", StringType(), nullable=False),
    ]
)
"""A shortened violation: its class is ``guarantee`` and ``rules``, for example
``kill_master, put_message x2``; ``minimal_schedule`` is JSON, as in certificates."""

SAMPLED_SCHEMA = StructType(
    [
        *CLASS_SCHEMA.fields,
        StructField("members", LongType(), nullable=False),
        StructField("violating_continuations", ArrayType(IntegerType(), False), nullable=False),
        StructField("continuations", IntegerType(), nullable=False),
    ]
)
"""A class: the number of its shortened candidates, and when it was inevitable."""


def find_classes(
    counted: DataFrame, folder: Path, candidates: int = CANDIDATES_PER_GUARANTEE
) -> DataFrame:
    """The classes of a campaign's violations, one row each, the shortest first.

    ``counted`` are its counts by faults. Columns: those of SAMPLED_SCHEMA; all but ``members`` are
    of the member that represents the class. Computed by the workers when it is used.
    """
    options = read_manifest(folder).options
    picked = pick_candidates(counted, folder, candidates)
    shortened = spread(picked).mapInArrow(make_shortener(options), CLASS_SCHEMA)
    of_class = Window.partitionBy("guarantee", "rules")
    best = of_class.orderBy("steps", "lineage")
    ranked = shortened.withColumn("rank", spark_functions.row_number().over(best)).withColumn(
        "members", spark_functions.count("*").over(of_class)
    )
    classes = spread(ranked.where("rank = 1").drop("rank"))
    sampled = classes.mapInArrow(make_sampler(options), SAMPLED_SCHEMA)
    return sampled.orderBy("steps", "guarantee", "rules")


def spread(frame: DataFrame) -> DataFrame:
    """Distribute few rows over all cores, because each takes long."""
    return frame.repartition(frame.sparkSession.sparkContext.defaultParallelism)


def pick_candidates(counted: DataFrame, folder: Path, candidates: int) -> DataFrame:
    """For each guarantee some schedules that violate it: (guarantee, lineage)."""
    manifest = read_manifest(folder)
    structure = manifest.options.structure
    firsts = (
        spark_functions.struct(
            spark_functions.lit(claim).alias("guarantee"), counted[f"first:{claim}"].alias("first")
        )
        for claim in list_claims(structure)
    )
    quickest = counted.select(
        count_faults(structure).alias("faults"),
        spark_functions.inline(spark_functions.array(*firsts)),
    ).where("first is not null")
    smallest_first = Window.partitionBy("guarantee").orderBy("faults", "first")
    ranked = quickest.withColumn("rank", spark_functions.row_number().over(smallest_first))
    most = spark_functions.when(
        spark_functions.col("guarantee").isin(list(structure.world.judged)), candidates
    ).otherwise(min(candidates, CANDIDATES_ABOUT_REST))
    picked = ranked.where(ranked.rank <= most).select("guarantee", "first").collect()
    named = [
        (row["guarantee"], str(find_campaign_lineage(manifest, folder, get_first(row["first"])[1])))
        for row in picked
    ]
    return counted.sparkSession.createDataFrame(named, "guarantee string, lineage string")


def make_shortener(options: CampaignOptions) -> Any:
    """A worker's function for candidates: replay, shorten, name the class."""
    return make_worker(
        lambda row: shorten(options, row["guarantee"], parse_lineage(row["lineage"])), CLASS_SCHEMA
    )


def make_sampler(options: CampaignOptions) -> Any:
    """A worker's function for classes: continue each after each of its steps."""
    return make_worker(lambda row: sample(options, row), SAMPLED_SCHEMA)


def make_worker(compute: Callable[[dict[str, Any]], dict[str, Any]], schema: StructType) -> Any:
    """A function for ``mapInArrow`` that computes one row of the schema from each row."""
    arrow_schema = to_arrow_schema(schema)

    def compute_all(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [compute(row) for row in batch.to_pylist()]
            yield pa.RecordBatch.from_pylist(rows, arrow_schema)

    return compute_all


def shorten(options: CampaignOptions, guarantee: str, lineage: Lineage) -> dict[str, Any]:
    """One violation without its needless steps, as a row of CLASS_SCHEMA."""
    steps = replay_whole(options, lineage).steps
    at = next(s.index for s in steps if judge(s.cluster, (guarantee,)))
    actions = [s.action for s in steps[1 : at + 1] if s.action is not None]
    parameters = options.compute_environment(lineage).parameters
    minimal = shorten_refutation(guarantee, options.structure, parameters, actions)
    return {
        "guarantee": guarantee,
        "rules": name_rules(minimal),
        "steps": len(minimal),
        "lineage": str(lineage),
        "minimal_schedule": json.dumps(encode_schedule(minimal)),
    }


def sample(options: CampaignOptions, row: dict[str, Any]) -> dict[str, Any]:
    """A class with the outcomes of its schedule's random continuations, a SAMPLED_SCHEMA row."""
    parameters = options.compute_environment(parse_lineage(row["lineage"])).parameters
    schedule = decode_schedule(json.loads(row["minimal_schedule"]))
    found = sample_continuations(row["guarantee"], options.structure, parameters, schedule)
    sampled = {"violating_continuations": found.violating, "continuations": found.drawn}
    return {**row, **sampled}


def name_rules(schedule: tuple[Action, ...]) -> str:
    """The rules that fire and how often, in alphabetical order."""
    names = sorted(action.instance.partition("[")[0] for action in schedule)
    counts = {name: names.count(name) for name in dict.fromkeys(names)}
    return ", ".join(name if n == 1 else f"{name} x{n}" for name, n in counts.items())
