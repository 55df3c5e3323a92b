"""The world of delayed delivery and its columns."""

from __future__ import annotations

from pathlib import Path

from properties.world import World, make_columns, register_world
from reference.delay.rules import DELAY_RULES
from reference.delay.structure import DELAY_STRUCTURES, SMALL_DELAY, DelayFaults

DELAY = register_world(
    World(
        name="delay",
        structures=DELAY_STRUCTURES,
        rules=DELAY_RULES,
        counts=DelayFaults,
        columns=make_columns(
            DelayFaults,
            {
                "stop": ("stops",),
                "kill": ("kills",),
                "power loss": ("power_losses",),
                "promotion": ("stops", "promotions"),
            },
        ),
        small=SMALL_DELAY,
        folder=Path(__file__).parent,
        chapter="delay.md",
    )
)
