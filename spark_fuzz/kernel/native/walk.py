"""The compiled walk of many schedules, once for a structure and a machine."""

from __future__ import annotations

import ctypes
from typing import Any

from attrs import frozen

from spark_fuzz.kernel.layout import Layout
from spark_fuzz.kernel.native.compiler import fill_in, load_library
from spark_fuzz.kernel.native.lowering import list_sizes, lower_to_c
from spark_fuzz.kernel.walk import BatchPlan, Observations, WalkResults

SMALL_BITS, LARGE_BITS = 32, 64
"""Bits of a number; with the small ones twice as many schedules are walked at once."""

SMALL_MAX = 2**30
"""No number of 32 bits comes to be as large."""

CLAIMS_MAX = 31
"""So many claims fit into a set of 32 bits."""

GROWTH = 4
"""So many sizes at most are added to a leaf in one step, or to each other in a condition."""


class WalkArguments(ctypes.Structure):
    """What ``walk.c`` is given."""

    _numbers_ = (
        *("campaign_seed", "first_schedule", "count", "scheduler", "is_swarm", "steps_max"),
        *("healing_steps_max", "profiles", "limits", "parents", "parent_cells", "situations"),
    )
    _arrays_ = (
        *("initial", "profile_values", "limit_places", "usual_weights", "is_decisive"),
        *("parent_paths", "steps", "violations", "used", "healing_steps", "ends", "stuck"),
        *("overflow", "rule_table", "pair_table", "situation_table", "outcome_table", "marks"),
        "lost",
    )
    _fields_ = (
        *((name, ctypes.c_int64) for name in _numbers_),
        *((name, ctypes.c_void_p) for name in _arrays_),
    )


@frozen
class NativeWalk:
    """The compiled walk of one structure, with numbers of so many bits."""

    run_schedules: Any
    lanes: int
    """How many schedules are walked at once."""

    def run(self, plan: BatchPlan, record: WalkResults, observations: Observations) -> None:
        """Fill the rows of ``record`` and add to ``observations``. Raises MemoryError."""
        batch = make_batch(plan, record, observations)
        if self.run_schedules(ctypes.byref(batch)):
            raise MemoryError("there is no memory for the walk of these schedules")


def make_batch(plan: BatchPlan, record: WalkResults, observations: Observations) -> WalkArguments:
    """The arguments of the compiled function; the arrays must outlive its call."""
    numbers = {
        "campaign_seed": plan.campaign_seed,
        "first_schedule": plan.first_schedule,
        "count": len(record.steps),
        "scheduler": plan.scheduler,
        "is_swarm": int(plan.is_swarm),
        "steps_max": plan.steps_max,
        "healing_steps_max": plan.healing_steps_max,
        "profiles": len(plan.profiles),
        "limits": len(plan.limits),
        "parents": len(plan.parents),
        "parent_cells": plan.parents.shape[1],
        "situations": len(observations.situations),
    }
    arrays = {
        "initial": plan.initial,
        "profile_values": plan.profiles,
        "limit_places": plan.limits,
        "usual_weights": plan.usual_weights,
        "is_decisive": plan.is_decisive,
        "parent_paths": plan.parents,
        **record._asdict(),
        "rule_table": observations.rules,
        "pair_table": observations.pairs,
        "situation_table": observations.situations,
        "outcome_table": observations.outcomes,
        "marks": observations.marks,
        "lost": observations.lost,
    }
    return WalkArguments(**numbers, **{name: array.ctypes.data for name, array in arrays.items()})


def choose_bits(layout: Layout, plan: BatchPlan) -> int:
    """How large numbers are that no leaf and no sum of a walk exceeds."""
    largest = max(abs(plan.initial).max(initial=0), abs(plan.profiles).max(initial=0))
    steps = plan.steps_max + plan.healing_steps_max
    is_small = int(largest) * (steps + 1) * GROWTH < SMALL_MAX
    claims = max(len(layout.guarantees), len(layout.claims_about_rest))
    return SMALL_BITS if is_small and claims <= CLAIMS_MAX else LARGE_BITS


def load_walk(layout: Layout, bits: int) -> NativeWalk:
    """The compiled walk, from the cache if it was compiled before. Raises MissingCompilerError."""
    sizes = {"NUMBER_BITS": bits, **list_sizes(layout)}
    library = load_library(fill_in("walk.c", sizes, lower_to_c(layout)), "walk")
    function = library.run_schedules
    function.argtypes, function.restype = (ctypes.POINTER(WalkArguments),), ctypes.c_int
    return NativeWalk(function, ctypes.c_int.in_dll(library, "lanes").value)
