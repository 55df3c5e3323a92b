"""Refutations by random schedules, for a world whose states are too large for bounded search.

Under each fault model the compiled kernel follows many schedules, from the first state and then
from every state along a known schedule: one that refutes another claim, reaches a situation, or
refutes a claim of a part. The earliest violation of each claim is replayed by the reference and
shortened. Such a schedule need not be the shortest, and a claim that none violates may still be
false.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from attrs import evolve, frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import (
    follow,
    is_refuted_by,
    lower_numbers,
    shorten_refutation,
)
from properties.schedules.known_schedules import load_known_schedules
from properties.schedules.related_structures import Schedule, fill_in
from properties.verdicts.certificates import get_world_folder
from properties.verdicts.verdict import Verdict, VerdictWord
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine, record_machine
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_schedule
from spark_fuzz.kernel.kernel import compile_kernel
from spark_fuzz.kernel.scheduler import SCHEDULERS

SCHEDULES = 100_000
"""The number of schedules followed under a fault model, by each scheduler."""
STEPS = 64
"""The number of steps of each."""
STRAY_SCHEDULES, STRAY_STEPS = 250, 40
"""The number of schedules that continue from each state of a known one, and their length."""
ROUNDS = 4
"""The number of rounds in which schedules continue from the findings of the round before."""
WAYS, WAY_STEPS = 20_000, 256
"""The number and length of schedules in a search for rules that few schedules take."""


@frozen
class Begin:
    """A state, and the steps to it."""

    schedule: Schedule = ()
    """The steps to it."""
    state: Any = None
    """The state; None for the first one."""


FIRST = Begin()
"""The initial state, where every schedule begins."""


def sample_refutations(
    structure: ClaimedStructure,
    open_cells: Mapping[str, Collection[str]],
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    schedules: int = SCHEDULES,
    seed: int = 0,
) -> tuple[Verdict, ...]:
    """The refutations of these claims that random schedules find, by fault model."""
    found: list[Verdict] = []
    fault_models = [c for c in structure.world.fault_models if open_cells.get(c.name)]
    for fault_model in fault_models:
        on_progress(f"{structure.name}: {fault_model.name}, random schedules, {len(found)} cells")
        found += sample_fault_model(
            structure, open_cells[fault_model.name], fault_model, schedules, seed
        )
    known = list_known(structure)
    for number in range(ROUNDS):
        fresh: list[Verdict] = []
        begins = list_begins(structure, known)
        for fault_model in fault_models:
            on_progress(
                f"{structure.name}: {fault_model.name}, round {number + 1}, {len(found)} cells"
            )
            done = {v.guarantee for v in found if v.fault == fault_model.name}
            left = [claim for claim in open_cells[fault_model.name] if claim not in done]
            fresh += (
                go_on_from(structure, left, fault_model, begins, seed=seed + number) if left else []
            )
        found += fresh
        known = [verdict.schedule for verdict in fresh]
        if not known:
            break
    return tuple(found)


class FaultSetSampler:
    """Searches schedules with only the faults of a set, from the states of known schedules."""

    def __init__(self, structure: ClaimedStructure, known: Iterable[Schedule]) -> None:
        """``known``: the schedules from whose states the first search continues."""
        self.structure = structure
        self.known = known
        self.found: list[Begin] = []

    @cached_property
    def begins(self) -> list[Begin]:
        """The states of the known schedules; replaying them takes long, and may not be needed."""
        return list_begins(self.structure, self.known)

    def search(
        self, fault_model: FaultModel, claims: Collection[str], on_progress: Callable[[str], None]
    ) -> dict[str, Schedule]:
        """Schedules against these claims; the next search continues from them as well."""
        on_progress(f"{self.structure.name}, {fault_model.name}: {len(claims)} open")
        begins = [*self.found, *self.begins]
        found = go_on_from(self.structure, claims, fault_model, begins, is_any=True)
        reached = list_begins(self.structure, [verdict.schedule for verdict in found])
        self.found = [*reached, *self.found]
        return {verdict.guarantee: verdict.schedule for verdict in found}


def sample_fault_model(
    structure: ClaimedStructure,
    claims: Collection[str],
    fault_model: FaultModel,
    schedules: int,
    seed: int,
) -> list[Verdict]:
    """The refutations by a fault model's random schedules, by the scheduler with fewer steps."""
    best: dict[str, Verdict] = {}
    for scheduler in SCHEDULERS:
        options = CampaignOptions(
            structure, fault_model.search_limits, STEPS, seed, scheduler=scheduler
        )
        for claim, schedule in list_earliest(options, schedules, claims):
            note_refutation(best, structure, fault_model, claim, schedule)
    return list(best.values())


def go_on_from(  # noqa: PLR0913
    structure: ClaimedStructure,
    claims: Collection[str],
    fault_model: FaultModel,
    begins: Iterable[Begin],
    *,
    seed: int = 0,
    is_any: bool = False,
) -> list[Verdict]:
    """The refutations by random schedules from these states; the earliest for each claim.

    ``is_any``: the first schedule against a claim will do.
    """
    best: dict[str, Verdict] = {}
    for begin in admit(begins, structure, fault_model):
        left = [claim for claim in claims if not (is_any and claim in best)]
        if not left:
            break
        for scheduler in SCHEDULERS:
            options = CampaignOptions(
                structure, fault_model.search_limits, STRAY_STEPS, seed, scheduler=scheduler
            )
            for claim, schedule in list_earliest(options, STRAY_SCHEDULES, left, begin):
                note_refutation(best, structure, fault_model, claim, schedule)
    return list(best.values())


def note_refutation(
    best: dict[str, Verdict],
    structure: ClaimedStructure,
    fault_model: FaultModel,
    claim: str,
    schedule: Schedule,
) -> None:
    """Keep the shortened schedule, if it is shorter than the one kept so far.

    A schedule twice as long is skipped: it is seldom shorter afterwards, and shortening is slow.
    """
    if claim in best and len(schedule) >= 2 * len(best[claim].schedule):
        return
    kept = shorten(structure, claim, schedule, fault_model)
    if claim not in best or len(kept) < len(best[claim].schedule):
        best[claim] = Verdict(claim, fault_model.name, VerdictWord.REFUTED, kept, is_shortest=False)


def list_known(structure: ClaimedStructure) -> list[Schedule]:
    """Every schedule of this world's certificates, and of those of its parts."""
    parts = structure.world.list_parts(structure)
    folders = dict.fromkeys(get_world_folder(each) for each in (structure, *parts))
    asked = {
        r.instance.name: {name: 0 for name, *_ in r.arguments} for r in record_machine(structure)
    }
    return [
        tuple(evolve(a, arguments={**asked.get(a.instance, {}), **a.arguments}) for a in schedule)
        for folder in folders
        for schedule in load_known_schedules(folder)
    ]


def list_begins(structure: ClaimedStructure, known: Iterable[Schedule]) -> list[Begin]:
    """Every state along these schedules, once; missing steps before refused ones are filled in."""
    world = structure.world
    parameters = world.sizes.campaign.limit(world.everything.search_limits)
    begins: dict[tuple[Any, ...], Begin] = {}
    for schedule in sorted(known, key=len):
        steps: list[Action] = []
        possible = fill_in(structure, parameters, schedule)
        for action, state in follow(structure, parameters, possible):
            steps += [] if action is None else [action]
            begins.setdefault(tuple(flatten(state).values()), Begin(tuple(steps), state))
    return sorted(begins.values(), key=lambda begin: len(begin.schedule))


def admit(
    begins: Iterable[Begin], structure: ClaimedStructure, fault_model: FaultModel
) -> Iterator[Begin]:
    """The states reached only by a fault model's faults, with the faults that may follow."""
    limits = attrs.asdict(fault_model.search_limits)
    parameters = structure.world.sizes.campaign.limit(fault_model.search_limits)
    for begin in begins:
        struck = attrs.asdict(begin.state.faults)
        if all(struck[name] <= limits[name] for name in limits):
            yield evolve(begin, state=evolve(begin.state, parameters=parameters))


def list_earliest(
    options: CampaignOptions, schedules: int, claims: Collection[str], begin: Begin = FIRST
) -> Iterator[tuple[str, Schedule]]:
    """For each violated claim, the schedule that violates it in the fewest steps."""
    kernel = compile_kernel(options.structure)
    violations = kernel.run(options, 0, schedules, begin=begin.state).violations
    for claim in claims:
        steps = violations[:, kernel.layout.guarantees.index(claim)]
        hits = np.nonzero(steps >= 0)[0]
        if len(hits):
            number = int(hits[np.argmin(steps[hits])])
            way = replay_schedule(options, number, begin=begin.state)[1 : int(steps[number]) + 1]
            taken = tuple(step.action for step in way if step.action is not None)
            yield claim, (*begin.schedule, *taken)


def shorten(
    structure: ClaimedStructure, claim: str, schedule: Schedule, fault_model: FaultModel
) -> Schedule:
    """The schedule without needless steps: a stop is removed with the start after it."""
    sizes = structure.world.sizes.campaign
    parameters = sizes.limit(fault_model.search_limits)

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_refuted_by(claim, structure, parameters, trial)

    needed = shorten_refutation(claim, structure, parameters, schedule)
    return lower_numbers(needed, is_refuting)


def sample_ways(
    structure: ClaimedStructure, known: Iterable[Schedule], *, schedules: int = WAYS, seed: int = 0
) -> Iterator[Schedule]:
    """For each rule instance that random schedules take, the beginning of one that takes it.

    Instances that a known schedule takes are not searched.
    """
    taken = {action.instance for schedule in known for action in schedule}
    missing = set(compute_machine(structure).instances) - taken
    if not missing:
        return
    kernel = compile_kernel(structure)
    for fault_model in (structure.world.every_fault, *structure.world.fault_models):
        options = CampaignOptions(structure, fault_model.search_limits, WAY_STEPS, seed)
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
