"""The draws of each schedule of a swarm: fault limits, weights of rules, sizes.

A campaign in which every schedule has the same environment keeps meeting the same interleavings. In
a swarm each schedule leaves out about half of the faults, makes some rules rare and uses one of
several sizes, at and around the boundaries that matter (Groce and others, "Swarm Testing", 2012).
Its draws are a function of campaign seed and schedule number alone.
"""

from __future__ import annotations

from typing import Any

import attrs
from attrs import evolve, frozen

from properties.language.world import ClaimedStructure
from reference.language.machine import compute_machine
from reference.language.parameters import BaseParameters
from spark_fuzz.kernel.scheduler import (
    ENVIRONMENT_STEP,
    draw,
    draw_weight,
    pick_below,
    pick_limit,
)


@frozen
class Environment:
    """The environment of one schedule."""

    parameters: BaseParameters
    """Sizes and fault limits."""
    weights: tuple[int, ...]
    """A number per instance of the machine, in its order: a weight, or an initial priority."""


def compute_usual_weights(structure: ClaimedStructure) -> tuple[int, ...]:
    """The weight of each instance without draws, in the machine's order."""
    return tuple(i.rule.weight for i in compute_machine(structure).instances.values())


def draw_environment(
    structure: ClaimedStructure, most: Any, key: int, *, scheduler: int, is_swarm: bool
) -> Environment:
    """The environment of the schedule with this key; fault limits are at most those of ``most``.

    ``most`` are the campaign's parameters; without a swarm they are used unchanged. The draws are,
    in this order: the sizes, each limit, each weight. The kernel draws the same.
    """
    names = tuple(attrs.fields_dict(type(most.limits)))
    parameters = most
    if is_swarm:
        sizes = structure.world.sizes.swarm
        chosen = sizes[pick_below(draw(key, ENVIRONMENT_STEP, 0), len(sizes))]
        drawn = {
            name: pick_limit(getattr(most.limits, name), draw(key, ENVIRONMENT_STEP, 1 + i))
            for i, name in enumerate(names)
        }
        parameters = chosen.limit(evolve(most.limits, **drawn))
    weights = tuple(
        draw_weight(scheduler, is_swarm, usual, draw(key, ENVIRONMENT_STEP, 1 + len(names) + i))
        for i, usual in enumerate(compute_usual_weights(structure))
    )
    return Environment(parameters, weights)
