"""What schedules meet: rules, pairs of steps, situations, both outcomes of every named condition.

* A *rule* is a rule instance that fires.
* A *pair* is two rule instances that follow each other.
* A *situation* is the set of rule instances that are enabled together, faults left out: the states
  of a system told apart by what may happen next if nothing strikes.
* An *outcome* is a named condition of some rule, or the premise of a guarantee, being true, or
  being false. These are watched in one schedule of ``CLOSE_LOOK``.

Of each the kernel counts the schedules that meet it.
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
"""The kind of a row that only counts: steps in situations for which a unit's table had no room."""
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
"""What a unit met: by how many of its schedules, by which first, and at which of its steps."""


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
    """Everything that was met, a row each, in an order that depends on nothing else."""
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
            names = [f"{name:016x}" for name in table[rows, NAME]]
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
    """What names the rows of a table of pairs."""
    names = [r.instance.name for r in layout.instances]
    return lambda row: f"{names[row // len(names)]} -> {names[row % len(names)]}"


def get_outcome_namer(layout: Layout) -> Any:
    """What names the rows of a table of outcomes."""
    names = list(layout.watched)
    return lambda row: f"{names[row // 2]} is {'true' if row % 2 else 'false'}"


def list_outcomes(layout: Layout) -> Iterator[str]:
    """Every outcome that there is."""
    namer = get_outcome_namer(layout)
    return map(namer, range(2 * len(layout.watched)))
