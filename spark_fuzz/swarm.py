"""What each schedule of a swarm draws for itself: fault limits, weights of rules, sizes.

A campaign in which every schedule is under the same circumstances keeps meeting the same
interleavings. In a swarm each schedule leaves out about half of the faults, makes some rules rare
and works with one of several sizes, at and around the boundaries that matter (Groce and others,
"Swarm Testing", 2012). What it draws is a function of campaign seed and schedule number alone.

A world registers its sizes for the class of its structures.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import attrs
from attrs import evolve, frozen

from properties.subject import get_small_parameters
from reference.consumption.structure import SMALL_CONSUMPTION, ConsumptionStructure
from reference.delay.structure import SMALL_DELAY, DelayStructure
from reference.machine import compute_machine
from reference.structure import SMALL_PARAMETERS, Structure
from reference.tables.structure import SMALL_TABLES, TablesStructure
from spark_fuzz.scheduler import CIRCUMSTANCES_STEP, draw, draw_weight, pick_below, pick_limit
from spark_fuzz.weights import get_weights


@frozen
class Circumstances:
    """What one schedule works under."""

    parameters: Any
    """Sizes and fault limits."""
    weights: tuple[int, ...]
    """A number per instance of the machine, in its order: a weight, or a priority to begin with."""


@singledispatch
def get_swarm_sizes(structure: Any) -> tuple[Any, ...]:
    """The sizes that the schedules of a swarm choose from; limits do not matter here."""
    return (get_small_parameters(structure),)


SMALL_LOG = evolve(SMALL_PARAMETERS, mapped_file_size_bytes=16, ghost_log_size_max_bytes=96)


@get_swarm_sizes.register
def _(structure: Structure) -> tuple[Any, ...]:
    """Batches of a byte, around a message, of a file; any fall-behind limit, also none."""
    shapes = (
        # file, message, batch, fall-behind limit
        (16, 5, 4, 6),
        (16, 5, 1, 6),
        (16, 5, 5, 0),
        (16, 5, 16, 1),
        (16, 15, 4, 96),
        (4, 3, 4, 3),
        (4, 3, 3, 4),
        (4, 1, 1, 1),
        (8, 7, 8, 8),
        (8, 7, 2, -1),
        (32, 5, 4, 96),
        (32, 31, 32, 31),
    )
    return tuple(
        evolve(
            SMALL_LOG,
            mapped_file_size_bytes=file,
            message_size_max_bytes=message,
            ha_transfer_batch_size_bytes=batch,
            ha_slave_fallbehind_max_bytes=limit,
        )
        for file, message, batch, limit in shapes
    )


@get_swarm_sizes.register
def _(structure: ConsumptionStructure) -> tuple[Any, ...]:
    return tuple(evolve(SMALL_CONSUMPTION, ghost_queue_size_max=size) for size in (1, 2, 4, 12))


@get_swarm_sizes.register
def _(structure: TablesStructure) -> tuple[Any, ...]:
    return tuple(evolve(SMALL_TABLES, ghost_contents_max=most) for most in (2, 3, 8))


@get_swarm_sizes.register
def _(structure: DelayStructure) -> tuple[Any, ...]:
    """Short queues, and each place of them followed."""
    return tuple(
        evolve(SMALL_DELAY, ghost_queue_size_max=size, ghost_followed=followed)
        for size in (1, 2, 4)
        for followed in range(size)
    )


def compute_usual_weights(structure: Any) -> tuple[int, ...]:
    """The weight of each instance where nothing is drawn, in the machine's order."""
    weights = get_weights(structure)
    instances = compute_machine(structure).instances.values()
    return tuple(weights.get(i.rule.name) for i in instances)


def draw_circumstances(
    structure: Any, most: Any, key: int, *, scheduler: int, is_swarm: bool
) -> Circumstances:
    """What the schedule with this key works under; no fault may strike more often than in ``most``.

    ``most`` are the campaign's parameters; without a swarm they hold as they are. The draws are, in
    this order: the sizes, each limit, each weight. The kernel draws the same.
    """
    names = tuple(attrs.fields_dict(type(most.limits)))
    parameters = most
    if is_swarm:
        sizes = get_swarm_sizes(structure)
        chosen = sizes[pick_below(draw(key, CIRCUMSTANCES_STEP, 0), len(sizes))]
        drawn = {
            name: pick_limit(getattr(most.limits, name), draw(key, CIRCUMSTANCES_STEP, 1 + i))
            for i, name in enumerate(names)
        }
        parameters = evolve(chosen, limits=evolve(most.limits, **drawn))
    weights = tuple(
        draw_weight(scheduler, is_swarm, usual, draw(key, CIRCUMSTANCES_STEP, 1 + len(names) + i))
        for i, usual in enumerate(compute_usual_weights(structure))
    )
    return Circumstances(parameters, weights)
