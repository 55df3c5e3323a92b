"""The walk of one kernel: many schedules, judged after every step. Compiled by the kernel.

The text of ``run_schedules`` follows the lowered rules in each generated module; the four functions
before it only tell what the lowered ones take and give.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spark_fuzz.scheduler import (
    SWARM_STEP,
    compute_schedule_key,
    draw,
    pick_argument,
    pick_below,
    pick_limit,
    pick_weight,
    pick_weighted,
)

ARGUMENTS_MAX = 0
WORD_BITS = 62
"""Instances per word of the set of those that fired."""


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


def run_schedules(  # noqa: PLR0913, PLR0917
    campaign_seed: int,
    first_schedule: int,
    initial: Any,
    profiles: Any,
    limits: Any,
    usual_weights: Any,
    is_swarm: bool,
    steps_max: int,
    steps: Any,
    violations: Any,
    used: Any,
) -> None:
    """Walk ``len(steps)`` schedules from number ``first_schedule`` on.

    ``initial`` and each row of ``profiles`` hold leaves in the layout's order, ``limits`` where in
    such a row the fault limits lie, in order, ``usual_weights`` one positive number per instance.
    In a swarm each schedule draws its row, its limits and its weights; else the first row and the
    usual weights hold for all. Filled in per schedule: ``steps`` taken, ``violations`` (first
    violating step per guarantee, -1 for none), ``used`` (bit set of instances that fired).
    """
    state = initial.copy()
    parameters = profiles[0].copy()
    weights = usual_weights.copy()
    enabled = np.empty(len(weights), np.int64)
    ranges = np.empty(2 * ARGUMENTS_MAX, np.int64)
    arguments = np.zeros(ARGUMENTS_MAX, np.int64)
    for row in range(len(steps)):
        state[:] = initial
        key = compute_schedule_key(campaign_seed, first_schedule + row)
        if is_swarm:
            parameters[:] = profiles[pick_below(draw(key, SWARM_STEP, 0), len(profiles))]
            for i in range(len(limits)):
                word = draw(key, SWARM_STEP, 1 + i)
                parameters[limits[i]] = pick_limit(parameters[limits[i]], word)
            for i in range(len(weights)):
                word = draw(key, SWARM_STEP, 1 + len(limits) + i)
                weights[i] = pick_weight(usual_weights[i], word)
        seen = 0
        used[row, :] = 0
        violations[row, :] = -1
        step = 0
        while step < steps_max:
            count = find_enabled(state, parameters, enabled)
            if count == 0:
                break
            instance = pick_weighted(enabled, count, weights, draw(key, step, 0))
            for i in range(find_ranges(state, parameters, instance, ranges)):
                word = draw(key, step, i + 1)
                arguments[i] = pick_argument(ranges[2 * i], ranges[2 * i + 1], word)
            fire(state, parameters, instance, arguments)
            step += 1
            used[row, instance // WORD_BITS] |= 1 << (instance % WORD_BITS)
            violated = judge(state, parameters) & ~seen
            if violated:
                seen |= violated
                for bit in range(violations.shape[1]):
                    if violated >> bit & 1:
                        violations[row, bit] = step
        steps[row] = step
