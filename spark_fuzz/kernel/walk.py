"""What a walk of many schedules is given, and what it fills: the arrays of ``walk.c``."""

from __future__ import annotations

from typing import Any, NamedTuple

WORD_BITS = 62
"""Instances per word of the set of those that fired."""
NUMBER_MAX = 1 << 31
"""No leaf is ever as large; far below the wrap-around."""
AT_REST, STILL_MOVING, NOT_QUIESCENT = range(3)
"""How healing ends: nothing moves in quiescence; something moves; neither."""
CLOSE_LOOK = 16
"""One schedule in this many is watched condition by condition."""

LAST, SCHEDULES, FIRST, STEP, NAME = range(5)
"""The last schedule that met it plus one; how many did; the first one; the first one's step; only
in a table of situations, the situation's number."""


class BatchPlan(NamedTuple):
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


class WalkResults(NamedTuple):
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
    """Observations, and the number of schedules with each.

    A table has a row for each thing that can be met, with LAST and so on.
    """

    rules: Any
    pairs: Any
    situations: Any
    outcomes: Any
    marks: Any
    """A random 62-bit number per instance."""
    lost: Any
    """One number: situations that did not fit in the table."""
