"""Breadth-first search level by level on disk, for instances too large for memory or one core.

The states of each level are files, cut into parts by their hash. A level is made in two rounds of
tasks, one for each part: the successors of a part are found with the same compiled functions as in
``BreadthFirstSearch``; then those that fall into a part are put in order, and those of an earlier
level are dropped by going through both in order. Tasks run in processes of this machine, or on
Spark. What they write depends only on the plan and the numbers of level and part: after any kill,
the same search continues in the same folder with the missing files.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from reference.language.machine import Action
from spark_fuzz.campaign.schedule import get_structure_code
from spark_fuzz.campaign.store import CampaignError
from spark_fuzz.processes import deaf_to_ctrl_c
from spark_fuzz.search.breadth_first import BreadthFirstResult, BreadthFirstSearch, ShortestAnswer
from spark_fuzz.search.cross_check import OnLevel
from spark_fuzz.search.level_store import (
    PARTS,
    STATES_PER_PART,
    Level,
    SearchPlan,
    begin_or_resume,
    complete_level,
    find_level,
    get_candidates_path,
    get_part_path,
    plan_search,
    read_rows,
    write_rows,
)
from spark_fuzz.search.row_order import choose_range, drop_known, restore, scramble, sort_distinct

STATES_LIMIT = 10**12
"""The largest budget."""

ROWS_TOGETHER = 50_000
"""The number of states that are expanded together: more states, fewer duplicate successors."""

FEW_STATES = 20_000
"""A level with fewer states before it is made by this process: tasks would cost more."""

RunTasks: TypeAlias = Callable[[Callable[[int], Any], list[int]], list[Any]]
"""Calls a function with each number, in any process; the results in the same order."""


def run_here(task: Callable[[int], Any], numbers: list[int]) -> list[Any]:
    """Tasks in this process, one after the other."""
    return [task(number) for number in numbers]


@contextmanager
def open_processes(count: int) -> Iterator[RunTasks]:
    """Tasks in so many processes, 0 for one per core.

    They raise CampaignError when a process is killed.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count or os.cpu_count(), context)

    def run(task: Callable[[int], Any], numbers: list[int]) -> list[Any]:
        try:
            with deaf_to_ctrl_c():
                results = pool.map(task, numbers)
            return list(results)
        except BrokenProcessPool as broken:
            raise CampaignError(
                "a process of the search was killed; what is finished is kept, and the same "
                "command continues, with fewer --jobs if memory was short"
            ) from broken

    try:
        yield run
    finally:
        pool.shutdown(cancel_futures=True)


@cache
def make_search(plan: SearchPlan) -> BreadthFirstSearch:
    """The search in memory whose parts are used here; made once in each process."""
    return BreadthFirstSearch(
        plan.structure,
        plan.fault_model,
        plan.sizes,
        plan.guarantees,
        is_symmetric=plan.is_symmetric,
    )


@frozen
class LevelSearch:
    """One structure under one fault model, searched by tasks that share a folder."""

    plan: SearchPlan
    folder: Path
    run_tasks: RunTasks = run_here
    """Every process must see the folder at the same path."""

    def search(
        self,
        states_max: int = STATES_LIMIT,
        depth_max: int | None = None,
        on_progress: OnLevel = lambda depth, states, frontier: None,
    ) -> BreadthFirstResult:
        """Search until every guarantee is violated, all states are found, or the budget is used up.

        Like ``BreadthFirstSearch.search``, but no level is cut short: the search ends with the
        first one that reaches the budget. Finished levels are not computed again. Raises
        CampaignError for a folder of another search, and whatever that search raises.
        """
        begun = evolve(self, plan=begin_or_resume(self.folder, self.plan))
        levels = [begun._settle_initial()]
        is_complete = False
        while not self._is_ended(levels, states_max, depth_max):
            level = begun._settle_level(len(levels), levels[-1].states)
            if not level.states:
                is_complete = True
                break
            levels.append(level)
            on_progress(len(levels) - 1, sum(each.states for each in levels), level.states)
        counts = tuple(level.states for level in levels)
        is_exhausted = not is_complete and sum(counts) >= states_max
        return BreadthFirstResult(begun._answer(levels), counts, is_complete, is_exhausted)

    def _is_ended(self, levels: list[Level], states_max: int, depth_max: int | None) -> bool:
        violated = {name for level in levels for name in level.violating}
        is_spent = sum(level.states for level in levels) >= states_max
        return violated >= set(self.plan.guarantees) or is_spent or len(levels) - 1 == depth_max

    def _settle_initial(self) -> Level:
        """Level 0, which this process writes; this compiles the functions for the others."""
        if found := find_level(self.folder, 0):
            return found
        rows = make_search(self.plan).pack_initial()
        make_search(self.plan).find_successors(rows)
        write_rows(get_candidates_path(self.folder, 0, 0), scramble(rows))
        return self._join_level(0, [0], run_here)

    def _settle_level(self, level: int, before: int) -> Level:
        """A level whose predecessor is finished, with so many states."""
        if found := find_level(self.folder, level):
            return found
        run_tasks = self._choose_tasks(before)
        sources = list(range(self.plan.parts))
        run_tasks(partial(expand_part, self.plan, self.folder, level), sources)
        self._check_shared([get_candidates_path(self.folder, level, part) for part in sources])
        return self._join_level(level, sources, run_tasks)

    def _choose_tasks(self, states: int) -> RunTasks:
        """What expands a level of so many states."""
        return run_here if states < FEW_STATES else self.run_tasks

    def _join_level(self, level: int, sources: list[int], run_tasks: RunTasks) -> Level:
        """The level of candidates that are in place."""
        parts = list(range(self.plan.parts))
        task = partial(settle_part, self.plan, self.folder, level, sources)
        found = Level.join(run_tasks(task, parts))
        self._check_shared([get_part_path(self.folder, level, part) for part in parts])
        complete_level(self.folder, level, found)
        return found

    def _check_shared(self, paths: list[Path]) -> None:
        if missing := [path for path in paths if not path.exists()]:
            raise CampaignError(
                f"{len(missing)} files of {self.folder} were written elsewhere; name a folder "
                "that the driver and all workers share"
            )

    def _answer(self, levels: list[Level]) -> tuple[ShortestAnswer, ...]:
        first: dict[str, tuple[int, tuple[int, ...]]] = {}
        for depth, level in enumerate(levels):
            for name, words in level.violating.items():
                first.setdefault(name, (depth, words))
        schedules = self._rebuild(levels, first)
        return tuple(
            ShortestAnswer(
                name, schedules.get(name), first[name][0] if name in first else len(levels) - 1
            )
            for name in self.plan.guarantees
        )

    def _rebuild(
        self, levels: list[Level], goals: dict[str, tuple[int, tuple[int, ...]]]
    ) -> dict[str, tuple[Action, ...]]:
        """A schedule to each of these states, given by depth and words.

        Backwards, all together: a level is expanded once more to find the parents of the next one.
        """
        chains: dict[str, list[tuple[int, ...]]] = {name: [] for name in goals}
        for level in range(max((depth for depth, _ in goals.values()), default=0) - 1, -1, -1):
            for name, (depth, words) in goals.items():
                if depth == level + 1:
                    chains[name].append(words)
            wanted = {name: chain[-1] for name, chain in chains.items() if chain}
            if level:
                found = self._find_parents(level, levels[level].states, wanted)
                for name, parent in found.items():
                    chains[name].append(parent)
        search = make_search(self.plan)
        return {
            name: search.rebuild(name, restore(np.array(chain[::-1], np.uint64)) if chain else ())
            for name, chain in chains.items()
        }

    def _find_parents(
        self, level: int, states: int, wanted: dict[str, tuple[int, ...]]
    ) -> dict[str, tuple[int, ...]]:
        """For each of these states the first one of a level that one step leads to it from.

        ``states`` is how many the level has.
        """
        goals = list(wanted.values())
        parts = list(range(self.plan.parts))
        task = partial(find_parents, self.plan, self.folder, level, goals)
        found = self._choose_tasks(states)(task, parts)
        return {
            name: min(parents[number] for parents in found if number in parents)
            for number, name in enumerate(wanted)
        }


def expand_part(plan: SearchPlan, folder: Path, level: int, source: int) -> None:
    """Put the successors in place that a part of the level before has."""
    path = get_candidates_path(folder, level, source)
    if path.exists():
        return
    rows = read_rows(get_part_path(folder, level - 1, source))
    found = [scramble(rows[:0])]
    for first in range(0, len(rows), ROWS_TOGETHER):
        successors, _ = make_search(plan).find_successors(
            restore(rows[first : first + ROWS_TOGETHER])
        )
        found.append(scramble(successors))
    write_rows(path, sort_distinct(np.concatenate(found)))


def settle_part(plan: SearchPlan, folder: Path, level: int, sources: list[int], part: int) -> Level:
    """Put the candidates of a part in place that are in no earlier level; judge them."""
    path = get_part_path(folder, level, part)
    if not path.exists():
        candidates = (read_rows(get_candidates_path(folder, level, source)) for source in sources)
        rows = sort_distinct(
            np.concatenate([choose_range(each, part, plan.parts) for each in candidates])
        )
        # Most candidates that are known are of the last levels: later ones are compared with few.
        for earlier in range(level - 1, -1, -1):
            rows = drop_known(rows, read_rows(get_part_path(folder, earlier, part)))
        write_rows(path, rows)
    rows = read_rows(path)
    violating = make_search(plan).find_violating(restore(rows))
    return Level(len(rows), {name: tuple(map(int, rows[row])) for name, row in violating.items()})


def find_parents(
    plan: SearchPlan, folder: Path, level: int, goals: list[tuple[int, ...]], part: int
) -> dict[int, tuple[int, ...]]:
    """The first state of a part that one step leads from, for the goals that some lead to."""
    rows = read_rows(get_part_path(folder, level, part))
    found: dict[int, tuple[int, ...]] = {}
    for first in range(0, len(rows), ROWS_TOGETHER):
        some = rows[first : first + ROWS_TOGETHER]
        successors, parents = make_search(plan).find_successors(restore(some))
        for number, goal in enumerate(restore(np.array(goals, np.uint64))):
            of_goal = parents[(successors == goal).all(axis=1)]
            if number not in found and len(of_goal):
                found[number] = tuple(map(int, some[of_goal.min()]))
    return found


@frozen
class LevelEngine:
    """The search engine of cross-checks on disk; each search has its own subfolder.

    Processes or Spark are started once a folder is known to belong to this search.
    """

    get_run_tasks: Callable[[], RunTasks]
    folder: Path

    def __call__(
        self,
        structure: ClaimedStructure,
        fault_model: FaultModel,
        guarantees: list[str],
        states_max: int,
        on_level: OnLevel,
    ) -> BreadthFirstResult:
        """Search, or continue an interrupted search."""
        name = fault_model.name.replace(" ", "_")
        folder = (self.folder / get_structure_code(structure) / name / guarantees[0]).absolute()
        parts = max(PARTS, -(-states_max // STATES_PER_PART))
        plan = plan_search(structure, fault_model, guarantees=guarantees, parts=parts)
        begin_or_resume(folder, plan)
        return LevelSearch(plan, folder, self.get_run_tasks()).search(
            states_max, on_progress=on_level
        )
