"""A schedule of a campaign walked and judged by the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import frozen

from properties.schedules.judgement import JudgedStep, judge
from properties.walks.steps import find_moving
from properties.worlds import find_healing, find_world
from reference.language.machine import Action, Enabled, Machine, compute_machine
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
    machine = compute_machine(options.structure)
    under = options.compute_environment(lineage)
    weights = list(under.weights)
    scheduler = SCHEDULERS.index(options.scheduler)
    cluster = options.structure.make_initial(under.parameters) if begin is None else begin
    steps = [JudgedStep(0, None, cluster, judge(cluster))]

    def choose(indexes: list[int], key: int, step: int) -> int:
        return choose_instance(scheduler, indexes, len(indexes), weights, key, step, options.steps)

    for step in range(options.steps):
        key = compute_schedule_key(options.campaign_seed, lineage.get_number_at(step))
        enabled = machine.enabled(steps[-1].cluster)
        if not enabled:
            break
        steps.append(take_step(machine, steps[-1], enabled, choose, key, step))
    return steps


def replay_whole(options: CampaignOptions, schedule: int | Lineage) -> Replay:
    """Every state of one schedule of a campaign, with its healing and the outcome of that."""
    steps = replay_schedule(options, schedule)
    before = len(steps) - 1
    if not options.healing_steps:
        return Replay(steps, before, -1, ())
    key = compute_schedule_key(options.campaign_seed, Lineage.of(schedule).number)
    machine = compute_machine(options.structure)
    for taken in range(options.healing_steps):
        moving = find_moving(machine, steps[-1].cluster)
        if not moving:
            break
        steps.append(take_step(machine, steps[-1], moving, pick_any, key, options.steps + taken))
    last = steps[-1].cluster
    return Replay(steps, before, find_end(machine, last), find_stuck(last))


def pick_any(indexes: list[int], key: int, step: int) -> int:
    """All equally likely, so that every possible step is taken eventually."""
    return indexes[pick_below(draw(key, step, 0), len(indexes))]


def take_step(  # noqa: PLR0913, PLR0917
    machine: Machine,
    before: JudgedStep,
    enabled: Iterable[Enabled],
    choose: Callable[[list[int], int, int], int],
    key: int,
    step: int,
) -> JudgedStep:
    """One step, its instance and its arguments chosen at random."""
    names = list(machine.instances)
    by_index = {names.index(e.instance.name): e for e in enabled}
    chosen = by_index[choose(list(by_index), key, step)]
    arguments = {
        r.name: pick_argument(r.low, r.high, draw(key, step, i + 1))
        for i, r in enumerate(chosen.ranges)
    }
    action = Action(chosen.instance.name, arguments)
    cluster = machine.step(before.cluster, action).cluster
    return JudgedStep(before.index + 1, action, cluster, judge(cluster))


def find_end(machine: Machine, cluster: Any) -> int:
    """The outcome of healing."""
    healing = find_healing(machine.structure)
    if find_moving(machine, cluster):
        return STILL_MOVING
    return AT_REST if healing is not None and healing.is_quiescent(cluster) else NOT_QUIESCENT


def find_stuck(cluster: Any) -> tuple[str, ...]:
    """The convergence claims that a state violates."""
    structure = cluster.structure
    claims = [n for n in find_world(structure).claims if n not in find_world(structure).guarantees]
    return judge(cluster, claims)
