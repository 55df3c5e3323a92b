"""The complete world of copied tables."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from properties.language.property import collect_properties
from properties.language.world import World, make_fault_models, make_sizes
from properties.worlds.tables import guarantee, lemma
from reference.worlds.tables.state import SMALL_TABLES, TablesFaults
from reference.worlds.tables.structure import RECONCILING, TABLES_RULES, TABLES_STRUCTURES

TABLES = World(
    name="tables",
    structures=TABLES_STRUCTURES,
    claims=collect_properties(guarantee),
    lemmas=collect_properties(lemma),
    fault_models=make_fault_models(
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
    sizes=make_sizes(
        SMALL_TABLES,
        swarm=tuple(evolve(SMALL_TABLES, ghost_contents_max=most) for most in (2, 3, 8)),
    ),
    folder=Path(__file__).parent,
    chapter="tables.md",
    later_rules={name: TABLES_RULES[name] for name in RECONCILING},
)
