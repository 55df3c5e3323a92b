"""The world of copied tables and its columns."""

from __future__ import annotations

from pathlib import Path

from properties.world import World, make_columns, register_world
from reference.tables.rules import TABLES_RULES
from reference.tables.structure import SMALL_TABLES, TABLES_STRUCTURES, TablesFaults

TABLES = register_world(
    World(
        name="tables",
        structures=TABLES_STRUCTURES,
        rules=TABLES_RULES,
        counts=TablesFaults,
        columns=make_columns(
            TablesFaults,
            {
                "change on slave": ("slave_changes",),
                "stop": ("stops",),
                "kill": ("kills",),
                "power loss": ("power_losses",),
                "role change": ("stops", "role_changes"),
                "clock coincidence": ("slave_changes", "clock_coincidences"),
            },
        ),
        small=SMALL_TABLES,
        folder=Path(__file__).parent,
        chapter="tables.md",
    )
)
