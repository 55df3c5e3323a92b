"""The world of consumers, complete."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from properties.property import collect_properties
from properties.world import World, make_fault_models, make_sizes
from properties.worlds.consumption import guarantee, lemma, manual_steps, rest
from reference.language.rule import collect_rules
from reference.worlds.consumption.state import SMALL_CONSUMPTION, ConsumptionFaults
from reference.worlds.consumption.structure import CONSUMPTION_STRUCTURES

CONSUMPTION = World(
    name="consumer",
    structures=CONSUMPTION_STRUCTURES,
    claims=collect_properties(guarantee, rest),
    lemmas=collect_properties(lemma),
    fault_models=make_fault_models(
        ConsumptionFaults,
        {
            "consumer kill": ("consumer_kills",),
            "slave outage": ("slave_stops", "slave_kills"),
            "master stop": ("master_stops",),
            "partition": ("partitions",),
            "stale commit": ("stale_commits",),
            "master kill": ("master_kills",),
            "master power loss": ("master_power_losses",),
        },
    ),
    sizes=make_sizes(
        SMALL_CONSUMPTION,
        campaign=evolve(SMALL_CONSUMPTION, ghost_queue_size_max=12),
        swarm=tuple(evolve(SMALL_CONSUMPTION, ghost_queue_size_max=size) for size in (1, 2, 4, 12)),
    ),
    folder=Path(__file__).parent,
    chapter="consumption.md",
    manual_rules=collect_rules(manual_steps),
    get_healing=rest.get_healing,
)
