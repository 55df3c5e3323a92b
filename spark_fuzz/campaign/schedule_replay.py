"""A schedule of a campaign walked and judged by the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import JudgedStep, judge, judge_after
from properties.walks.steps import find_moving
from reference.language.dependencies import EnabledSteps
from reference.language.machine import Action, Enabled, compute_machine
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.ancestry import Lineage
from spark_fuzz.kernel.scheduler import (
    SCHEDULERS,
    choose_instance,
    compute_schedule_key,
    draw,
    pick_argument,
    pick_below,
)
from spark_fuzz.kernel.walk import AT_REST, NOT_QUIESCENT, STILL_MOVING


@frozen
class Replay:
    """A whole schedule."""

    steps: list[JudgedStep]
    """The states of the first phase, then of healing; the first one is the initial state."""
    healing_begins: int
    """The index of the last step before healing."""
    end: int
    """AT_REST and so on of ``walk``; -1 without healing."""
    stuck: tuple[str, ...]
    """The convergence claims that the end violates; empty without healing."""


def replay_schedule(
    options: CampaignOptions, schedule: int | Lineage, *, begin: Any = None
) -> list[JudgedStep]:
    """Every state of one schedule of a campaign, healing left out.

    It begins in the first state, or in ``begin``, as those of ``Kernel.run`` do.
    """
    lineage = Lineage.of(schedule)
    under = options.compute_environment(lineage)
    weights = list(under.weights)
    scheduler = SCHEDULERS.index(options.scheduler)
    cluster = options.structure.make_initial(under.parameters) if begin is None else begin
    steps, walk = [JudgedStep(0, None, cluster, judge(cluster))], EnabledSteps(cluster)

    def choose(indexes: list[int], key: int, step: int) -> int:
        return choose_instance(scheduler, indexes, len(indexes), weights, key, step, options.steps)

    for step in range(options.steps):
        key = compute_schedule_key(options.campaign_seed, lineage.get_number_at(step))
        enabled = walk.list_enabled()
        if not enabled:
            break
        steps.append(take_step(walk, steps[-1], enabled, choose, key, step))
    return steps


def replay_whole(options: CampaignOptions, schedule: int | Lineage) -> Replay:
    """Every state of one schedule of a campaign, with its healing and the outcome of that."""
    steps = replay_schedule(options, schedule)
    before = len(steps) - 1
    if not options.healing_steps:
        return Replay(steps, before, -1, ())
    key = compute_schedule_key(options.campaign_seed, Lineage.of(schedule).number)
    walk = EnabledSteps(steps[-1].cluster)
    for taken in range(options.healing_steps):
        moving = find_moving(walk.list_enabled(), walk.cluster)
        if not moving:
            break
        steps.append(take_step(walk, steps[-1], moving, pick_any, key, options.steps + taken))
    return Replay(steps, before, find_end(walk), find_stuck(walk.cluster))


def pick_any(indexes: list[int], key: int, step: int) -> int:
    """All equally likely, so that every possible step is taken eventually."""
    return indexes[pick_below(draw(key, step, 0), len(indexes))]


def take_step(  # noqa: PLR0913, PLR0917
    walk: EnabledSteps,
    before: JudgedStep,
    enabled: Iterable[Enabled],
    choose: Callable[[list[int], int, int], int],
    key: int,
    step: int,
) -> JudgedStep:
    """One step, its instance and its arguments chosen by the dice."""
    names = _list_places(walk.cluster.structure)
    by_index = {names[e.instance.name]: e for e in enabled}
    chosen = by_index[choose(list(by_index), key, step)]
    arguments = {
        r.name: pick_argument(r.low, r.high, draw(key, step, i + 1))
        for i, r in enumerate(chosen.ranges)
    }
    action = Action(chosen.instance.name, arguments)
    walk.take(action)
    violated = judge_after(before, action.instance, walk.cluster)
    return JudgedStep(before.index + 1, action, walk.cluster, violated)


@cache
def _list_places(structure: ClaimedStructure) -> dict[str, int]:
    """The place of each instance in the machine's order."""
    return {name: place for place, name in enumerate(compute_machine(structure).instances)}


def find_end(walk: EnabledSteps) -> int:
    """The result of healing: still moving, at rest, or not quiescent."""
    healing = walk.cluster.structure.healing
    if find_moving(walk.list_enabled(), walk.cluster):
        return STILL_MOVING
    return AT_REST if healing is not None and healing.is_quiescent(walk.cluster) else NOT_QUIESCENT


def find_stuck(cluster: Any) -> tuple[str, ...]:
    """The convergence claims that a state violates."""
    structure = cluster.structure
    claims = [n for n in structure.world.claims if n not in structure.world.guarantees]
    return judge(cluster, claims)
