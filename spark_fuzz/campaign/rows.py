"""The rows of a campaign as they are stored: one for each schedule, the same on every cluster.

A row costs a small part of its schedule's walk, so only what the kernel alone knows is stored;
``row_reading`` adds what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.ancestry import Parent, find_lineage
from spark_fuzz.kernel.kernel import BatchResults, Kernel

ENDS = ("at rest", "still moving", "not in peace")
"""How healing ends, in the order of ``walk``."""


def make_rows(
    kernel: Kernel, options: CampaignOptions, batch: BatchResults, parents: Sequence[Parent] = ()
) -> pa.RecordBatch:
    """The rows of consecutive schedules that continue these parents."""
    numbers = np.arange(batch.first_schedule, batch.first_schedule + len(batch.steps))
    # First narrow, then turned: the other way takes more than twice as long.
    violations = np.ascontiguousarray(batch.violations.astype(np.int32).T)
    columns = {
        "schedule": pa.array(numbers, pa.int64()),
        "steps": pa.array(batch.steps.astype(np.int32)),
        "violating_steps": _make_struct(kernel.layout.guarantees, map(_make_optional, violations)),
        "rule_bits": _make_struct(
            name_words(batch.used.shape[1]), map(pa.array, np.ascontiguousarray(batch.used.T))
        ),
        "lineage": _list_lineages(options, numbers, parents),
        "healing_steps": pa.array(batch.healing_steps.astype(np.int32)),
        "end": _name_ends(batch.ends),
        "stuck_bits": pa.array(batch.stuck),
    }
    return pa.RecordBatch.from_pydict(columns)


def name_words(count: int) -> list[str]:
    """The names of the words of a set of rule instances."""
    return [f"word{i}" for i in range(count)]


def open_writer(kernel: Kernel, options: CampaignOptions, path: Path) -> pq.ParquetWriter:
    """The writer of a unit's rows."""
    schema = make_rows(kernel, options, kernel.run(options, 0, 0)).schema
    violating = [f"violating_steps.{name}" for name in kernel.layout.guarantees]
    words = [f"rule_bits.{field.name}" for field in schema.field("rule_bits").type]
    # Sets of rule instances are nearly all different; all other columns repeat few values.
    return pq.ParquetWriter(
        path,
        schema,
        use_dictionary=[*violating, "steps", "lineage", "healing_steps", "end", "stuck_bits"],
        column_encoding={"schedule": "DELTA_BINARY_PACKED"},
        compression=dict.fromkeys(words, "zstd"),
        # Statistics of other columns cost more than these, which readers and progress look at.
        write_statistics=["schedule", *violating],
    )


def _list_lineages(
    options: CampaignOptions, numbers: Any, parents: Sequence[Parent]
) -> pa.StringArray:
    """The ancestors of guided schedules, null for unguided ones."""
    if not parents:
        return pa.nulls(len(numbers), pa.string())
    seed = options.campaign_seed
    return pa.array([str(find_lineage(seed, parents, int(number))) for number in numbers])


def _name_ends(ends: Any) -> pa.DictionaryArray:
    """The name of each end, null for -1; every name is stored once."""
    chosen = pa.array(ends.astype(np.int8), mask=ends < 0)
    return pa.DictionaryArray.from_arrays(chosen, pa.array(ENDS))


def _make_struct(names: Sequence[str], columns: Iterable[pa.Array]) -> pa.StructArray:
    return pa.StructArray.from_arrays([*columns], names)


def _make_optional(values: Any) -> pa.Array:
    """Numbers of 32 bits, null for -1."""
    is_there = values >= 0
    bits = pa.py_buffer(np.packbits(is_there, bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(values), [bits, pa.py_buffer(values)])
