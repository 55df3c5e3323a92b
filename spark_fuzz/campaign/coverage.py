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

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from properties.fault_model import get_fault_count_name
from spark_fuzz.kernel.lowering import Layout
from spark_fuzz.kernel.observation import FIRST, NAME, SCHEDULES, STEP
from spark_fuzz.kernel.scheduler import compute_schedule_key
from spark_fuzz.kernel.walk import Observations

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
    columns: list[list[Any]] = [[], [], [], [], []]
    for kind, table, name_of in (
        (RULE, observations.rules, lambda row: layout.instances[row].instance.name),
        (PAIR, observations.pairs, get_pair_namer(layout)),
        (SITUATION, observations.situations, None),
        (OUTCOME, observations.outcomes, get_outcome_namer(layout)),
    ):
        rows = np.flatnonzero(table[:, SCHEDULES])
        if name_of is None:
            rows = rows[np.argsort(table[rows, NAME])]
            digits = table[rows, NAME].astype(">i8").tobytes().hex()
            names = [digits[i : i + 16] for i in range(0, len(digits), 16)]
        else:
            names = [name_of(int(row)) for row in rows]
        columns[0] += [kind] * len(rows)
        columns[1] += names
        for index, cell in enumerate((SCHEDULES, FIRST, STEP), start=2):
            columns[index] += table[rows, cell].tolist()
    if lost := int(observations.lost[0]):
        columns = [
            [*column, value] for column, value in zip(columns, (LOST, "", lost, 0, 0), strict=True)
        ]
    return pa.table(columns, schema=COVERAGE_SCHEMA)


def get_pair_namer(layout: Layout) -> Any:
    """A function that names the rows of a table of pairs."""
    names = [r.instance.name for r in layout.instances]
    return lambda row: f"{names[row // len(names)]} -> {names[row % len(names)]}"


def get_outcome_namer(layout: Layout) -> Any:
    """A function that names the rows of a table of outcomes."""
    names = list(layout.watched)
    return lambda row: f"{names[row // 2]} is {'true' if row % 2 else 'false'}"


def list_outcomes(layout: Layout) -> Iterator[str]:
    """Every possible outcome."""
    namer = get_outcome_namer(layout)
    return map(namer, range(2 * len(layout.watched)))
