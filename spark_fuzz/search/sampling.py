"""Refutations by random schedules, for a world whose states are too large for bounded search.

Under each column many schedules are followed by the compiled kernel. The earliest violation of each
claim is replayed by the reference and freed of what it does not need. Nothing says that a schedule
found so is the shortest, and a claim that none violates may be false all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve

from properties.fault_model import FaultModel
from properties.schedules.judgement import is_refuted_by, lower_numbers, remove_needless_steps
from properties.schedules.related_structures import Schedule
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds import find_world
from reference.language.machine import Action
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_schedule
from spark_fuzz.kernel.kernel import compile_kernel
from spark_fuzz.kernel.scheduler import SCHEDULERS

SCHEDULES = 100_000
"""How many schedules are followed under a column, by each scheduler."""
STEPS = 64
"""Steps of each."""
WAYS, WAY_STEPS = 20_000, 256
"""How many schedules are followed where rules are sought that few of them take, and how long."""


def sample_refutations(
    structure: Any,
    claims: Container[str],
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    schedules: int = SCHEDULES,
    seed: int = 0,
) -> tuple[Verdict, ...]:
    """For each column the refutations of these claims that its random schedules come to."""
    found: list[Verdict] = []
    for column in find_world(structure).fault_models:
        on_progress(f"{structure.name}: {column.name}, random schedules, {len(found)} cells")
        found += sample_column(structure, claims, column, schedules, seed)
    return tuple(found)


def sample_column(
    structure: Any, claims: Container[str], column: FaultModel, schedules: int, seed: int
) -> list[Verdict]:
    """What the random schedules of a column refute, by whichever scheduler takes fewer steps."""
    best: dict[str, Verdict] = {}
    for scheduler in SCHEDULERS:
        options = CampaignOptions(structure, column.search_limits, STEPS, seed, scheduler=scheduler)
        for claim, schedule in list_earliest(options, schedules):
            if claim not in claims:
                continue
            kept = shorten(structure, claim, schedule, column)
            if claim not in best or len(kept) < len(best[claim].schedule):
                best[claim] = Verdict(
                    claim, column.name, VerdictWord.REFUTED, kept, is_shortest=False
                )
    return list(best.values())


def list_earliest(options: CampaignOptions, schedules: int) -> Iterator[tuple[str, Schedule]]:
    """For each guarantee that some schedule violates, the one that does so in the fewest steps."""
    kernel = compile_kernel(options.structure)
    violations = kernel.run(options, 0, schedules).violations
    for index, claim in enumerate(kernel.layout.guarantees):
        steps = violations[:, index]
        hits = np.nonzero(steps >= 0)[0]
        if len(hits):
            number = int(hits[np.argmin(steps[hits])])
            way = replay_schedule(options, number)[1 : int(steps[number]) + 1]
            yield claim, tuple(step.action for step in way if step.action is not None)


def shorten(structure: Any, claim: str, schedule: Schedule, column: FaultModel) -> Schedule:
    """What of a schedule is needed."""
    sizes = find_world(structure).sizes.campaign
    parameters = evolve(sizes, limits=column.search_limits)

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_refuted_by(claim, structure, parameters, trial)

    return lower_numbers(remove_needless_steps(schedule, is_refuting), is_refuting)


def sample_ways(structure: Any, *, schedules: int = WAYS, seed: int = 0) -> Iterator[Schedule]:
    """For each rule instance that random schedules come to, the beginning of one that takes it."""
    kernel = compile_kernel(structure)
    missing = set(kernel.names)
    for column in (find_world(structure).every_fault, *find_world(structure).fault_models):
        options = CampaignOptions(structure, column.search_limits, WAY_STEPS, seed)
        used = kernel.unpack_used(kernel.run(options, 0, schedules).used)
        for name in sorted(missing):
            hits = np.nonzero(used[:, kernel.names.index(name)])[0]
            if len(hits):
                missing.remove(name)
                yield cut_behind(options, int(hits[0]), name)


def cut_behind(options: CampaignOptions, number: int, instance: str) -> Schedule:
    """A schedule up to the first step that takes this instance."""
    steps = replay_schedule(options, number)[1:]
    actions = tuple(step.action for step in steps if step.action is not None)
    last = next(i for i, action in enumerate(actions) if action.instance == instance)
    return actions[: last + 1]
