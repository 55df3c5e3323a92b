"""Coverage of schedules: rules, pairs of steps, situations, both outcomes of named conditions.

* A *rule* is a rule instance that fires.
* A *pair* is two rule instances that follow each other.
* A *situation* is the set of rule instances that are enabled together, without faults: it
  distinguishes the states of a system by the possible next steps.
* An *outcome* is a named condition of some rule, or the premise of a guarantee, being true, or
  being false. These are watched in one schedule of ``CLOSE_LOOK``.

The kernel counts the schedules that meet each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from properties.language.fault_model import get_fault_count_name
from spark_fuzz.kernel.layout import Layout
from spark_fuzz.kernel.scheduler import compute_schedule_key
from spark_fuzz.kernel.walk import FIRST, NAME, SCHEDULES, STEP, Observations

RULE, PAIR, SITUATION, OUTCOME = "rule", "pair", "situation", "outcome"
LOST = "lost"
"""The kind of a row that only counts: steps in situations that did not fit in a unit's table."""
SITUATIONS_MAX = 1 << 17
"""Rows of a unit's table of situations."""
COVERAGE_SCHEMA = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("schedules", pa.int64(), nullable=False),
        pa.field("first_schedule", pa.int64(), nullable=False),
        pa.field("first_step", pa.int32(), nullable=False),
    ]
)
"""A unit's observations: the number of schedules that met each, the first one, and its step."""


def make_observations(layout: Layout) -> Observations:
    """Empty tables for one kernel."""
    instances = len(layout.instances)
    marks = [
        compute_schedule_key(0, index) if get_fault_count_name(recorded) is None else 0
        for index, recorded in enumerate(layout.instances)
    ]
    return Observations(
        rules=np.zeros((instances, STEP + 1), np.int64),
        pairs=np.zeros((instances * instances, STEP + 1), np.int64),
        situations=np.zeros((SITUATIONS_MAX, NAME + 1), np.int64),
        outcomes=np.zeros((2 * len(layout.watched), STEP + 1), np.int64),
        marks=np.array(marks, np.int64),
        lost=np.zeros(1, np.int64),
    )


def list_observations(layout: Layout, observations: Observations) -> pa.Table:
    """Every observation, a row each, in a deterministic order."""
    rules = [recorded.instance.name for recorded in layout.instances]
    parts = [
        _list_named(RULE, observations.rules, rules.__getitem__),
        _list_named(PAIR, observations.pairs, get_pair_namer(layout)),
        _list_situations(observations.situations),
        _list_named(OUTCOME, observations.outcomes, get_outcome_namer(layout)),
    ]
    if lost := int(observations.lost[0]):
        parts.append(_make_part(LOST, [""], np.array([[0, lost, 0, 0]])))
    return pa.concat_tables(parts)


def write_observations(layout: Layout, observations: Observations, path: Path) -> None:
    """One file with every observation."""
    pq.write_table(
        list_observations(layout, observations),
        path,
        use_dictionary=["kind", "schedules", "first_step"],
        write_statistics=False,
        compression="zstd",
    )


def _list_named(kind: str, table: Any, name_of: Callable[[int], str]) -> pa.Table:
    """What was met of a table whose rows have names."""
    rows = np.flatnonzero(table[:, SCHEDULES])
    return _make_part(kind, [name_of(row) for row in rows.tolist()], table[rows])


def _list_situations(table: Any) -> pa.Table:
    """The situations that were met, each named by the 16 hexadecimal digits of its number."""
    met = table[table[:, SCHEDULES] > 0]
    met = met[np.argsort(met[:, NAME])]
    digits = met[:, NAME].astype(">i8").tobytes().hex().encode()
    ends = np.arange(0, len(digits) + 1, 16, dtype=np.int32)
    names = pa.StringArray.from_buffers(len(met), pa.py_buffer(ends), pa.py_buffer(digits))
    return _make_part(SITUATION, names, met)


def _make_part(kind: str, names: Any, cells: Any) -> pa.Table:
    """The rows of one kind."""
    columns = [
        pa.repeat(pa.scalar(kind), len(names)),
        pa.array(names, pa.string()),
        *(pa.array(np.ascontiguousarray(cells[:, cell])) for cell in (SCHEDULES, FIRST)),
        pa.array(cells[:, STEP].astype(np.int32)),
    ]
    return pa.Table.from_arrays(columns, schema=COVERAGE_SCHEMA)


def get_pair_namer(layout: Layout) -> Callable[[int], str]:
    """A function that names the rows of a table of pairs."""
    names = [r.instance.name for r in layout.instances]
    return lambda row: f"{names[row // len(names)]} -> {names[row % len(names)]}"


def get_outcome_namer(layout: Layout) -> Callable[[int], str]:
    """A function that names the rows of a table of outcomes."""
    names = list(layout.watched)
    return lambda row: f"{names[row // 2]} is {'true' if row % 2 else 'false'}"


def list_outcomes(layout: Layout) -> Iterator[str]:
    """Every possible outcome."""
    namer = get_outcome_namer(layout)
    return map(namer, range(2 * len(layout.watched)))
