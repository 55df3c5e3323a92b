"""Which share of all states of a small instance a campaign reaches.

A breadth-first search knows every state that matters to a guarantee. The schedules of a campaign
under the same sizes and limits are walked by the same dice; each of their states is packed as the
search packs it, and looked up. A share below one says how much a campaign of this size leaves
unseen even where everything is small.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numba
import numpy as np
from attrs import frozen

from spark_fuzz.breadth_first import BreadthFirstSearch
from spark_fuzz.scheduler import compute_schedule_key, draw, pick_argument, pick_weighted
from spark_fuzz.swarm import compute_usual_weights


@frozen
class ReachedShare:
    """What a campaign has seen of an instance that is known completely."""

    schedules: int
    is_reached: Any
    """bool, shape (states,): for each state whether a schedule has met it."""

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return float(self.is_reached.mean())


def measure_reached_share(
    search: BreadthFirstSearch,
    states: Any,
    schedules: int,
    *,
    steps: int = 64,
    campaign_seed: int = 0,
) -> ReachedShare:
    """Which of these states the first schedules of a campaign reach.

    ``states`` are all those of the search, packed: ``search.collect_states()``, or the rows of all
    levels of a distributed search. The campaign has the sizes and the fault limits of the search,
    and is no swarm.
    """
    store = search.make_filled_store(states)
    is_reached = np.zeros(len(states), np.bool_)
    weights = np.array(compute_usual_weights(search.structure), np.int64)
    walk = compile_walk(search.kernel.module)
    for schedule in range(schedules):
        search.reset()
        key = compute_schedule_key(campaign_seed, schedule)
        walk(
            key,
            steps,
            weights,
            search.parameter_values,
            search.space,
            search.scratch,
            store,
            is_reached,
        )
    search.reset()
    return ReachedShare(schedules, is_reached)


@cache
def compile_walk(module: ModuleType) -> Callable[..., None]:
    """A walk of one kernel that notes the states on its way; compiled once in each process."""
    find_enabled, find_ranges, fire = module.find_enabled, module.find_ranges, module.fire
    pack_state, order_slaves = module.pack_state, module.order_slaves
    compute_slot, is_same_row = module.compute_slot, module.is_same_row

    def note_state(space: Any, scratch: Any, store: Any, is_reached: Any) -> None:
        """Look up the state in ``scratch.base``; its slaves are put in order elsewhere."""
        state, words = scratch.state, scratch.words
        state[:] = scratch.base
        if len(space.slave_cells) > 1:
            order_slaves(state, space.slave_cells)
        if not pack_state(state, space.fields, words, 0):
            return
        mask = len(store.table) - 1
        slot = compute_slot(words, 0, mask)
        while store.table[slot] > 0:
            if is_same_row(store.words, store.table[slot] - 1, words, 0):
                is_reached[store.table[slot] - 1] = True
                return
            slot = (slot + 1) & mask

    note = numba.njit(note_state)

    def walk(  # noqa: PLR0913, PLR0917
        key: int,
        steps: int,
        weights: Any,
        parameters: Any,
        space: Any,
        scratch: Any,
        store: Any,
        is_reached: Any,
    ) -> None:
        """One schedule from the initial state, which is in ``scratch.base``."""
        base, enabled = scratch.base, scratch.enabled
        ranges, arguments = scratch.ranges, scratch.arguments
        note(space, scratch, store, is_reached)
        for step in range(steps):
            count = find_enabled(base, parameters, enabled)
            if count == 0:
                return
            instance = pick_weighted(enabled, count, weights, draw(key, step, 0))
            for i in range(find_ranges(base, parameters, instance, ranges)):
                word = draw(key, step, i + 1)
                arguments[i] = pick_argument(ranges[2 * i], ranges[2 * i + 1], word)
            fire(base, parameters, instance, arguments)
            note(space, scratch, store, is_reached)

    compiled: Callable[..., None] = numba.njit(walk)
    return compiled
