"""Breadth-first search level by level on Spark, for instances that are too large for one core.

The states of each level are files of packed words. Workers expand a level with the same compiled
functions as ``BreadthFirstSearch``; Spark groups the successors by part, and those that are in no
earlier level become the next one. A part's content depends only on the plan, the level and its
number: after any kill, the same search continues in the same folder with the missing parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen
from pyspark.sql import DataFrame, SparkSession

from properties.fault_model import FaultModel
from reference.language.machine import Action
from spark_fuzz.campaign.schedule import get_structure_code
from spark_fuzz.campaign.session import cancelled_when_interrupted
from spark_fuzz.campaign.store import CampaignError
from spark_fuzz.search.breadth_first import (
    STATES_LIMIT,
    BreadthFirstResult,
    BreadthFirstSearch,
    ShortestAnswer,
)
from spark_fuzz.search.cross_check import OnLevel
from spark_fuzz.search.level_store import (
    Level,
    SearchPlan,
    begin_or_resume,
    choose_parts,
    find_missing_parts,
    get_level_path,
    get_part_path,
    get_rows,
    make_table,
    plan_search,
    read_level,
    read_rows,
    write_part,
)

ROWS_TOGETHER = 100_000
"""The number of states that a worker expands together: more states, fewer duplicate successors."""


@cache
def make_search(plan: SearchPlan) -> BreadthFirstSearch:
    """The single-core search whose parts are used here; made once in each process."""
    return BreadthFirstSearch(
        plan.structure,
        plan.fault_model,
        plan.sizes,
        plan.guarantees,
        is_symmetric=plan.is_symmetric,
    )


@frozen
class DistributedSearch:
    """One structure under one fault class, searched by Spark's workers.

    Every worker must see the folder at the same path. The session is the caller's.
    """

    spark: SparkSession
    plan: SearchPlan
    folder: Path

    def search(
        self,
        states_max: int = STATES_LIMIT,
        depth_max: int | None = None,
        on_progress: Callable[[int, int, int], None] = lambda depth, states, frontier: None,
    ) -> BreadthFirstResult:
        """Search until every guarantee is violated, all states are found, or the budget is used up.

        Like ``BreadthFirstSearch.search``, but no level is cut short: the search ends with the
        first one that reaches the budget. Finished levels are not computed again. Raises
        CampaignError for a folder of another search, and whatever that search raises.
        """
        begin_or_resume(self.folder, self.plan)
        levels = [self._settle_initial()]
        is_complete = False
        while not self._is_ended(levels, states_max, depth_max):
            level = self._settle_level(len(levels))
            if not level.states:
                is_complete = True
                break
            levels.append(level)
            on_progress(len(levels) - 1, sum(each.states for each in levels), level.states)
        counts = tuple(level.states for level in levels)
        is_exhausted = not is_complete and sum(counts) >= states_max
        return BreadthFirstResult(self._answer(levels), counts, is_complete, is_exhausted)

    def _is_ended(self, levels: list[Level], states_max: int, depth_max: int | None) -> bool:
        violated = {name for level in levels for name in level.violating}
        is_spent = sum(level.states for level in levels) >= states_max
        return violated >= set(self.plan.guarantees) or is_spent or len(levels) - 1 == depth_max

    def _settle_initial(self) -> Level:
        """Level 0, which this process writes; this compiles the functions for the workers."""
        rows = make_search(self.plan).pack_initial()
        make_search(self.plan).find_successors(rows)
        parts = choose_parts(rows, self.plan.parts)
        for part in find_missing_parts(self.folder, self.plan, 0):
            settle_part(self.plan, self.folder, 0, part, rows[parts == part])
        return read_level(self.folder, self.plan, 0)

    def _settle_level(self, level: int) -> Level:
        """A level whose predecessor is finished."""
        if missing := find_missing_parts(self.folder, self.plan, level):
            met = self._settle_parts(level, missing)
            elsewhere = met & set(find_missing_parts(self.folder, self.plan, level))
            if elsewhere:
                raise CampaignError(
                    f"{len(elsewhere)} parts of {self.folder} were written elsewhere; name a "
                    "folder that the driver and all workers share"
                )
            for part in set(missing) - met:
                settle_part(self.plan, self.folder, level, part, None)
        return read_level(self.folder, self.plan, level)

    def _settle_parts(self, level: int, missing: list[int]) -> set[int]:
        """Let workers settle these parts; the parts that some state leads to."""
        plan, folder = self.plan, self.folder

        def expand(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                rows, _ = make_search(plan).find_successors(get_rows(batch))
                parts = choose_parts(rows, plan.parts)
                is_missing = np.isin(parts, missing)
                table = make_table(rows[is_missing])
                yield from table.append_column("part", pa.array(parts[is_missing])).to_batches()

        def settle(key: tuple[Any, ...], table: pa.Table) -> pa.Table:
            part = key[0].as_py()
            settle_part(plan, folder, level, part, get_rows(table))
            return pa.table({"part": pa.array([part], pa.int32())})

        frame = self._read_level(level - 1)
        columns = ", ".join(f"{name} long" for name in frame.columns)
        groups = frame.mapInArrow(expand, f"{columns}, part int").groupBy("part")
        return {row.part for row in self._collect(groups.applyInArrow(settle, "part int"))}

    def _answer(self, levels: list[Level]) -> tuple[ShortestAnswer, ...]:
        first: dict[str, tuple[int, Any]] = {}
        for depth, level in enumerate(levels):
            for name, words in level.violating.items():
                first.setdefault(name, (depth, words))
        schedules = self._rebuild(first)
        return tuple(
            ShortestAnswer(
                name, schedules.get(name), first[name][0] if name in first else len(levels) - 1
            )
            for name in self.plan.guarantees
        )

    def _rebuild(self, goals: dict[str, tuple[int, Any]]) -> dict[str, tuple[Action, ...]]:
        """A schedule to each of these states, given by depth and words.

        Backwards, all together: a level is expanded once more to find the parents of the next one.
        """
        chains: dict[str, list[Any]] = {name: [] for name in goals}
        for level in range(max((depth for depth, _ in goals.values()), default=0) - 1, -1, -1):
            for name, (depth, words) in goals.items():
                if depth == level + 1:
                    chains[name].append(words)
            wanted = {name: chain[-1] for name, chain in chains.items() if chain}
            if level:
                for name, words in self._find_parents(level, wanted).items():
                    chains[name].append(words)
        search = make_search(self.plan)
        return {name: search.rebuild(name, chain[::-1]) for name, chain in chains.items()}

    def _find_parents(self, level: int, wanted: dict[str, Any]) -> dict[str, Any]:
        """For each of these states the smallest one of a level that one step leads to it from."""
        plan = self.plan
        goals = np.array(list(wanted.values()))

        def find(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                rows = get_rows(batch)
                successors, parents = make_search(plan).find_successors(rows)
                for number, goal in enumerate(goals):
                    of_goal = rows[parents[(successors == goal).all(axis=1)]]
                    numbers = pa.array([number] * len(of_goal), pa.int32())
                    yield from make_table(of_goal).append_column("goal", numbers).to_batches()

        frame = self._read_level(level)
        columns = ", ".join(f"{name} long" for name in frame.columns)
        found: list[list[tuple[int, ...]]] = [[] for _ in goals]
        for *words, number in self._collect(frame.mapInArrow(find, f"{columns}, goal int")):
            found[number].append(tuple(words))
        return {name: np.array(min(each)) for name, each in zip(wanted, found, strict=True)}

    def _read_level(self, level: int) -> DataFrame:
        self.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(ROWS_TOGETHER))
        return self.spark.read.parquet(str(get_level_path(self.folder, level)))

    def _collect(self, frame: DataFrame) -> list[Any]:
        """The rows of a frame; when this is interrupted, its tasks are cancelled."""
        with cancelled_when_interrupted(self.spark):
            return list(frame.collect())


@frozen
class SparkEngine:
    """The search engine of cross-checks on a cluster; each search has its own subfolder.

    Spark is started once the first of these folders is known to belong to this search.
    """

    get_session: Callable[[], SparkSession]
    folder: Path

    def __call__(
        self,
        structure: Any,
        fault_model: FaultModel,
        guarantees: list[str],
        states_max: int,
        on_level: OnLevel,
    ) -> BreadthFirstResult:
        """Search, or continue an interrupted search."""
        column = fault_model.name.replace(" ", "_")
        folder = (self.folder / get_structure_code(structure) / column / guarantees[0]).absolute()
        plan = plan_search(structure, fault_model, guarantees=guarantees)
        begin_or_resume(folder, plan)
        search = DistributedSearch(self.get_session(), plan, folder)
        return search.search(states_max, on_progress=on_level)


def settle_part(plan: SearchPlan, folder: Path, level: int, part: int, rows: Any) -> None:
    """Put those of a part's candidates in place that are in no earlier level, judged and in order.

    ``rows`` is None if there are no candidates.
    """
    search = make_search(plan)
    if rows is None:
        rows = np.zeros((0, search.packing.word_count), np.int64)
    earlier = [get_part_path(folder, before, part) for before in range(level)]
    known = read_rows(earlier) if earlier else rows[:0]
    new = search.find_new(known, rows)
    write_part(get_part_path(folder, level, part), new, search.find_violating(new))
