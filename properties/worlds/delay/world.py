"""The world of delayed delivery, complete."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from properties.property import collect_properties
from properties.world import World, make_fault_models, make_sizes
from properties.worlds.delay import guarantee, lemma, manual_steps
from reference.language.rule import collect_rules
from reference.worlds.delay.state import SMALL_DELAY, DelayFaults
from reference.worlds.delay.structure import DELAY_STRUCTURES

DELAY = World(
    name="delay",
    structures=DELAY_STRUCTURES,
    claims=collect_properties(guarantee),
    lemmas=collect_properties(lemma),
    fault_models=make_fault_models(
        DelayFaults,
        {
            "stop": ("stops",),
            "kill": ("kills",),
            "power loss": ("power_losses",),
            "promotion": ("stops", "promotions"),
        },
    ),
    sizes=make_sizes(
        SMALL_DELAY,
        swarm=tuple(
            evolve(SMALL_DELAY, ghost_queue_size_max=size, ghost_followed=followed)
            for size in (1, 2, 4)
            for followed in range(size)
        ),
    ),
    folder=Path(__file__).parent,
    chapter="delay.md",
    manual_rules=collect_rules(manual_steps),
)
