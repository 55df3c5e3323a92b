"""The random choices of a schedule: a pure function of campaign seed, schedule number, step, draw.

The replay runs these functions. ``native/walk.c`` makes the same choices: tests and every campaign
compare whole schedules of both.
"""

from __future__ import annotations

from typing import Any

WORD = 0xFFFFFFFF
"""Random words have 32 bits."""
ENVIRONMENT_STEP = 1 << 20
"""Not the number of any step: its words decide the schedule's environment."""
PARENT_STEP = ENVIRONMENT_STEP + 1
"""Likewise: its word decides from which other schedule a guided one continues."""
DEPTH_STEP = ENVIRONMENT_STEP + 2
"""Likewise: its word decides how often a schedule's priorities change."""

WEIGHTED, PRIORITIES = range(2)
"""How the next instance is chosen among the enabled ones: at random, by weight; or the one of
highest priority, with priorities that change at a few random steps (Burckhardt and others, "A
Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010)."""
SCHEDULERS = ("random", "pct")
"""Their names, in the same order."""
DEPTHS = 6
"""Priorities change at about 1, 2, 4 up to 32 steps of a schedule; each of these equally often."""


def mix(value: int) -> int:
    """A scrambled 32-bit word: every input bit changes about half of the output bits.

    The products may wrap in 64-bit arithmetic; the low 32 bits, which are kept, are the same.
    """
    value = value & WORD
    value = ((value ^ (value >> 16)) * 0x7FEB352D) & WORD
    value = ((value ^ (value >> 15)) * 0x846CA68B) & WORD
    return value ^ (value >> 16)


def compute_schedule_key(campaign_seed: int, schedule: int) -> int:
    """The 62-bit key of one schedule of a campaign."""
    low = mix(campaign_seed & WORD) ^ mix((schedule & WORD) + 0x9E3779B9)
    high = mix((campaign_seed >> 32) & WORD) ^ mix(((schedule >> 32) & WORD) + 0x85EBCA6B)
    return ((mix(low + high) & 0x3FFFFFFF) << 32) | mix(low ^ mix(high + 0x27D4EB2F))


def draw(key: int, step: int, index: int) -> int:
    """The random word number ``index`` of a step."""
    low = mix((key & WORD) + step * 0x2545F491)
    high = mix((key >> 32) + index * 0x6C8E9CF5)
    return mix(low ^ ((high << 1) & WORD) ^ (high >> 31))


def pick_below(word: int, bound: int) -> int:
    """A number from 0 to ``bound`` - 1; bound is at least 1 and below 2**31."""
    return (word * bound) >> 32


def pick_weighted(enabled: Any, count: int, weights: Any, word: int) -> int:
    """One of the first ``count`` entries of ``enabled``, by its weight.

    ``enabled`` and ``weights`` are sequences of integers: indexes, and a positive weight per index.
    """
    total = 0
    for i in range(count):
        total += weights[enabled[i]]
    left = pick_below(word, total)
    for i in range(count):
        left -= weights[enabled[i]]
        if left < 0:
            return enabled[i]  # type: ignore[no-any-return]
    return enabled[count - 1]  # type: ignore[no-any-return]


def choose_instance(  # noqa: PLR0913, PLR0917
    scheduler: int, enabled: Any, count: int, weights: Any, key: int, step: int, steps_max: int
) -> int:
    """The instance that takes place next; every scheduler is one branch here.

    ``weights`` are the schedule's own, see ``draw_weight``; the scheduler may change them.
    """
    word = draw(key, step, 0)
    if scheduler == WEIGHTED:
        return pick_weighted(enabled, count, weights, word)
    changes = 1 << pick_below(draw(key, DEPTH_STEP, 0), DEPTHS)
    if pick_below(word, steps_max) < changes:
        weights[find_first(enabled, count, weights)] = -step
    return find_first(enabled, count, weights)


def find_first(enabled: Any, count: int, priorities: Any) -> int:
    """The enabled instance of highest priority; of equal ones the first."""
    first = enabled[0]
    for i in range(1, count):
        if priorities[enabled[i]] > priorities[first]:
            first = enabled[i]
    return first  # type: ignore[no-any-return]


def pick_argument(low: int, high: int, word: int) -> int:
    """A number from ``low`` to ``high``: each end once in four, else uniform."""
    kind = word & 3
    if kind == 0 or low == high:
        return low
    if kind == 1:
        return high
    return low + pick_below(mix(word), high - low + 1)


def pick_limit(limit: int, word: int) -> int:
    """How often a fault may happen in one schedule: half of the time never, else up to a limit."""
    if limit == 0 or word & 1 == 0:
        return 0
    return 1 + pick_below(mix(word), limit)


def pick_weight(weight: int, word: int) -> int:
    """A rule's weight in one schedule: as usual, or up to 32 times smaller, at least 1."""
    kind = word & 7
    if kind < 3:
        return weight
    if kind < 5:
        return max(1, weight >> 1)
    if kind == 5:
        return max(1, weight >> 2)
    if kind == 6:
        return max(1, weight >> 3)
    return max(1, weight >> 5)


def draw_weight(scheduler: int, is_swarm: bool, usual: int, word: int) -> int:
    """The initial value of a schedule for one instance: a positive weight, or a priority."""
    if scheduler == PRIORITIES:
        return word
    if is_swarm:
        return pick_weight(usual, word)
    return usual
