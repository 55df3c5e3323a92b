"""The rows of a campaign: one for each schedule, the same on every cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.ancestry import Parent, find_lineage
from spark_fuzz.kernel.kernel import Batch, Kernel

ENDS = ("at rest", "still moving", "not in peace")
"""How healing ends, in the order of ``walk``."""
VERDICTS = ("not_refuted", "refuted")
COLUMNS = (
    "campaign_seed",
    "schedule",
    "structure",
    "fault_limits",
    "steps",
    "verdicts",
    "violating_steps",
    "first_violating_step",
    "rules_used",
    "lineage",
    "healing_steps",
    "end",
    "stuck",
)


def make_rows(
    kernel: Kernel, options: CampaignOptions, batch: Batch, parents: Sequence[Parent] = ()
) -> pa.RecordBatch:
    """The rows of consecutive schedules that continue these parents; texts are dictionaries."""
    count = len(batch.steps)
    names = kernel.layout.guarantees
    violated = batch.violations >= 0
    verdicts = [_named(VERDICTS, violated[:, i]) for i in range(len(names))]
    at = [_nullable(batch.violations[:, i]) for i in range(len(names))]
    first = np.where(violated, batch.violations, np.iinfo(np.int64).max).min(axis=1)
    first[~violated.any(axis=1)] = -1
    numbers = np.arange(batch.first_schedule, batch.first_schedule + count, dtype=np.int64)
    columns = [
        pa.array(np.full(count, options.campaign_seed, np.int64)),
        pa.array(numbers),
        _named([options.structure_code], np.zeros(count)),
        _named([options.limits_code], np.zeros(count)),
        pa.array(batch.steps.astype(np.int32)),
        pa.StructArray.from_arrays(verdicts, names),
        pa.StructArray.from_arrays(at, names),
        _nullable(first),
        _make_lists(kernel.names, *kernel.list_used(batch.used)),
        _lineages(options, numbers, parents),
        pa.array(batch.healing_steps.astype(np.int32)),
        _named(ENDS, batch.ends),
        _lists(kernel.layout.claims_about_rest, kernel.unpack_stuck(batch.stuck)),
    ]
    return pa.RecordBatch.from_arrays(columns, COLUMNS)


def _lineages(options: CampaignOptions, numbers: Any, parents: Sequence[Parent]) -> pa.Array:
    """The ancestors of guided schedules, null for unguided ones."""
    if not parents:
        return pa.nulls(len(numbers), pa.string())
    seed = options.campaign_seed
    return pa.array([str(find_lineage(seed, parents, int(number))) for number in numbers])


def _nullable(values: Any) -> pa.Array:
    return pa.array(values.astype(np.int32), mask=values < 0)


def _lists(names: Sequence[str], matrix: Any) -> pa.Array:
    """For each row the names whose column is 1."""
    ends = np.concatenate([[0], np.cumsum(matrix.sum(axis=1))])
    return _make_lists(names, ends, np.nonzero(matrix)[1])


def _make_lists(names: Sequence[str], ends: Any, indexes: Any) -> pa.Array:
    """Lists of names that lie one behind the other, and end there."""
    return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), _named(names, indexes))


def _named(names: Sequence[str], indexes: Any) -> pa.Array:
    """The name of each index, null for -1; every name is stored once."""
    chosen = pa.array(indexes.astype(np.int16), mask=indexes < 0)
    return pa.DictionaryArray.from_arrays(chosen, pa.array(names, pa.string()))
