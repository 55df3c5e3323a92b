"""The walk of one kernel: many schedules, judged after every step. Compiled by the kernel.

The text from ``run_schedules`` on follows the lowered rules in each generated module; the functions
before it only declare the lowered ones' arguments and results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from spark_fuzz.kernel.observation import note_observation, note_situation
from spark_fuzz.kernel.scheduler import (
    ENVIRONMENT_STEP,
    PARENT_STEP,
    choose_instance,
    compute_schedule_key,
    draw,
    draw_weight,
    pick_argument,
    pick_below,
    pick_limit,
)

WORD_BITS = 62
"""Instances per word of the set of those that fired."""
NO_END = 1 << 40
"""The end of the last part of a path: after every step."""
NUMBER_MAX = 1 << 31
"""No leaf is ever as large; far below the wrap-around."""
AT_REST, STILL_MOVING, NOT_QUIESCENT = range(3)
"""How healing ends: nothing moves in quiescence; something moves; neither."""
CLOSE_LOOK = 16
"""One schedule in this many is watched condition by condition."""


class Plan(NamedTuple):
    """The common data of all schedules of a batch."""

    campaign_seed: int
    first_schedule: int
    scheduler: int
    """Of ``scheduler``."""
    is_swarm: bool
    steps_max: int
    healing_steps_max: int
    """0 for no healing."""
    initial: Any
    """The changing leaves of the initial state, in the layout's order."""
    profiles: Any
    """The parameters that schedules choose from, a row each, in the layout's order."""
    limits: Any
    """The indexes of the fault limits in such a row, in their order."""
    usual_weights: Any
    """A positive number per instance."""
    is_decisive: Any
    """Per instance 1 when a step of it can change a verdict, else 0."""
    parents: Any
    """Of ``encode_paths``: the paths from which schedules continue; no row if they are unguided."""


class Desk(NamedTuple):
    """Working memory of one schedule."""

    state: Any
    parameters: Any
    weights: Any
    enabled: Any
    ranges: Any
    arguments: Any
    numbers: Any
    """The schedule whose random choices are used in each part of the path."""
    ends: Any
    """The step at which each part ends; NO_END in the last one."""
    outcomes: Any
    """Per condition that is watched 1 if it was false, 2 if it was true, 3 if it was both."""


class Record(NamedTuple):
    """The result of each schedule, a row each."""

    steps: Any
    violations: Any
    """First violating step per guarantee, -1 for none."""
    used: Any
    """Bit set of the instances that fired."""
    healing_steps: Any
    ends: Any
    """AT_REST and so on; -1 without healing."""
    stuck: Any
    """Bit set of the convergence claims that the end violates."""
    overflow: Any
    """One number: 1 when a leaf outgrew NUMBER_MAX."""


class Observations(NamedTuple):
    """Observations, and the number of schedules with each; see ``observation``."""

    rules: Any
    pairs: Any
    situations: Any
    outcomes: Any
    marks: Any
    """A random 62-bit number per instance."""
    lost: Any
    """One number: situations that did not fit in the table."""


def find_enabled(state: Any, parameters: Any, enabled: Any) -> int:
    """Write the indexes of the enabled instances into ``enabled``; return how many."""
    return 0


def find_ranges(state: Any, parameters: Any, instance: int, ranges: Any) -> int:
    """Write lowest and highest value of each argument into ``ranges``; return how many."""
    return 0


def fire(state: Any, parameters: Any, instance: int, arguments: Any) -> None:
    """Let an enabled instance take place: change ``state``."""


def judge(state: Any, parameters: Any) -> int:
    """The bit set of the guarantees that do not hold."""
    return 0


def find_moving(state: Any, parameters: Any, moving: Any) -> int:
    """Write the indexes of the enabled instances by which a system heals; return how many."""
    return 0


def is_quiescent(state: Any, parameters: Any) -> bool:
    """Quiescence: no fault happens, and every broker and consumer runs."""
    return False


def judge_rest(state: Any, parameters: Any) -> int:
    """The bit set of the convergence claims that do not hold."""
    return 0


def observe(state: Any, parameters: Any, outcomes: Any) -> None:
    """Record which watched conditions are true and which are false."""


def run_schedules(plan: Any, desk: Any, record: Any, observations: Any) -> None:
    """Walk the schedules of a batch, a row of ``record`` each."""
    for row in range(len(record.steps)):
        number = plan.first_schedule + row
        begin_schedule(plan, desk, number)
        clear_row(record, row)
        walk(plan, desk, record, observations, row)
        if plan.healing_steps_max > 0:
            heal(plan, desk, record, row)
        for i in range(len(desk.weights)):
            if record.used[row, i // WORD_BITS] >> (i % WORD_BITS) & 1:
                note_observation(observations.rules, i, number, 0)
        if is_looked_at_closely(number):
            for i in range(len(desk.outcomes)):
                for side in range(2):
                    if desk.outcomes[i] >> side & 1:
                        note_observation(observations.outcomes, 2 * i + side, number, 0)
        for i in range(len(desk.state)):
            if abs(desk.state[i]) >= NUMBER_MAX:
                record.overflow[0] = 1


def is_looked_at_closely(number: int) -> bool:
    """Every condition is watched in this schedule."""
    return number % CLOSE_LOOK == 0


def begin_schedule(plan: Any, desk: Any, number: int) -> None:
    """Set up the initial state, the path, and the schedule's environment."""
    for i in range(len(plan.initial)):
        desk.state[i] = plan.initial[i]
    for i in range(len(desk.outcomes)):
        desk.outcomes[i] = 0
    lay_path(plan, desk, number)
    key = compute_schedule_key(plan.campaign_seed, desk.numbers[0])
    chosen = 0
    if plan.is_swarm:
        chosen = pick_below(draw(key, ENVIRONMENT_STEP, 0), len(plan.profiles))
    for i in range(len(desk.parameters)):
        desk.parameters[i] = plan.profiles[chosen, i]
    first = 1 + len(plan.limits)
    if plan.is_swarm:
        for i in range(len(plan.limits)):
            cell = plan.limits[i]
            word = draw(key, ENVIRONMENT_STEP, 1 + i)
            desk.parameters[cell] = pick_limit(desk.parameters[cell], word)
    for i in range(len(desk.weights)):
        word = draw(key, ENVIRONMENT_STEP, first + i)
        desk.weights[i] = draw_weight(plan.scheduler, plan.is_swarm, plan.usual_weights[i], word)


def lay_path(plan: Any, desk: Any, number: int) -> None:
    """The sources of random choices: first those of a parent's path, then the schedule's own."""
    part = 0
    if len(plan.parents) > 0:
        key = compute_schedule_key(plan.campaign_seed, number)
        parent = pick_below(draw(key, PARENT_STEP, 0), len(plan.parents))
        parts = plan.parents.shape[1] // 2
        while part < parts and plan.parents[parent, part] >= 0:
            desk.numbers[part] = plan.parents[parent, part]
            desk.ends[part] = plan.parents[parent, parts + part]
            part += 1
    desk.numbers[part] = number
    desk.ends[part] = NO_END


def clear_row(record: Any, row: int) -> None:
    """Reset a row of results."""
    record.steps[row] = 0
    record.healing_steps[row] = 0
    record.ends[row] = -1
    record.stuck[row] = 0
    for i in range(record.used.shape[1]):
        record.used[row, i] = 0
    for i in range(record.violations.shape[1]):
        record.violations[row, i] = -1


def walk(plan: Any, desk: Any, record: Any, observations: Any, row: int) -> None:
    """The first phase: any step, faults included."""
    number = plan.first_schedule + row
    is_watched = is_looked_at_closely(number)
    key = compute_schedule_key(plan.campaign_seed, desk.numbers[0])
    part, seen, before = 0, 0, -1
    for step in range(plan.steps_max):
        if step == desk.ends[part]:
            part += 1
            key = compute_schedule_key(plan.campaign_seed, desk.numbers[part])
        count = find_enabled(desk.state, desk.parameters, desk.enabled)
        if count == 0:
            break
        note_situation(observations, desk.enabled, count, number, step)
        if is_watched:
            observe(desk.state, desk.parameters, desk.outcomes)
        instance = choose_instance(
            plan.scheduler, desk.enabled, count, desk.weights, key, step, plan.steps_max
        )
        seen |= take_step(plan, desk, record, row, instance, key, step, step + 1, seen)
        if before >= 0:
            pair = before * len(desk.weights) + instance
            note_observation(observations.pairs, pair, number, step + 1)
        before = instance
        record.steps[row] = step + 1


def heal(plan: Any, desk: Any, record: Any, row: int) -> None:
    """The second phase: no faults; every broker comes back and continues, in random order."""
    part = 0
    while desk.ends[part] != NO_END:
        part += 1
    key = compute_schedule_key(plan.campaign_seed, desk.numbers[part])
    seen = 0
    for i in range(record.violations.shape[1]):
        if record.violations[row, i] >= 0:
            seen |= 1 << i
    count = find_moving(desk.state, desk.parameters, desk.enabled)
    taken = 0
    while count > 0 and taken < plan.healing_steps_max:
        step = plan.steps_max + taken
        instance = desk.enabled[pick_below(draw(key, step, 0), count)]
        taken += 1
        index = record.steps[row] + taken
        seen |= take_step(plan, desk, record, row, instance, key, step, index, seen)
        count = find_moving(desk.state, desk.parameters, desk.enabled)
    record.healing_steps[row] = taken
    record.ends[row] = STILL_MOVING
    if count == 0:
        record.ends[row] = NOT_QUIESCENT
        if is_quiescent(desk.state, desk.parameters):
            record.ends[row] = AT_REST
    record.stuck[row] = judge_rest(desk.state, desk.parameters)


def take_step(  # noqa: PLR0913, PLR0917
    plan: Any,
    desk: Any,
    record: Any,
    row: int,
    instance: int,
    key: int,
    step: int,
    index: int,
    seen: int,
) -> int:
    """Let an instance take place; the bit set of the guarantees that it is the first to violate.

    The random choices are those of ``step``; ``index`` is the number of steps so far, this one
    included.
    """
    for i in range(find_ranges(desk.state, desk.parameters, instance, desk.ranges)):
        word = draw(key, step, i + 1)
        desk.arguments[i] = pick_argument(desk.ranges[2 * i], desk.ranges[2 * i + 1], word)
    fire(desk.state, desk.parameters, instance, desk.arguments)
    record.used[row, instance // WORD_BITS] |= 1 << (instance % WORD_BITS)
    if not plan.is_decisive[instance]:
        return 0
    violated = judge(desk.state, desk.parameters) & ~seen
    if violated:
        for bit in range(record.violations.shape[1]):
            if violated >> bit & 1:
                record.violations[row, bit] = index
    return violated
