"""The world of consumption, its columns, and the sizes of its searches."""

from __future__ import annotations

from pathlib import Path

from properties.world import World, make_columns, register_world
from reference.consumption.rules import CONSUMPTION_RULES
from reference.consumption.structure import (
    CONSUMPTION_STRUCTURES,
    SMALL_CONSUMPTION,
    ConsumptionFaults,
)

CONSUMPTION_FAULT_CLASSES = make_columns(
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
)
"""Every column of this world."""

CONSUMPTION = register_world(
    World(
        name="consumer",
        structures=CONSUMPTION_STRUCTURES,
        rules=CONSUMPTION_RULES,
        counts=ConsumptionFaults,
        columns=CONSUMPTION_FAULT_CLASSES,
        small=SMALL_CONSUMPTION,
        folder=Path(__file__).parent,
        chapter="consumption.md",
    )
)

PROGRESS_GUARANTEES = CONSUMPTION.guarantees
PROGRESS_LEMMAS = CONSUMPTION.lemmas
