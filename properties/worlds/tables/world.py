"""The complete world of copied tables."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve, frozen

from properties.language.property import collect_properties
from properties.language.world import (
    ClaimedStructure,
    Numbers,
    World,
    make_fault_models,
    make_sizes,
)
from properties.worlds.tables import guarantee, lemma
from reference.worlds.tables.state import SMALL_TABLES, STAGE_NAMES, TablesFaults
from reference.worlds.tables.structure import RECONCILING, TABLES_RULES, TablesStructure


@frozen(cache_hash=True)
class ClaimedTables(TablesStructure, ClaimedStructure):
    """A master, and a slave that copies its tables, with the claims of this world."""

    @property
    def world(self) -> World:
        """The world whose claims these are."""
        return TABLES


LATER_TOPICS = ClaimedTables(
    is_answered_first=False, has_role_switch=True, is_own_address_checked=True
)
"""Topics from 4.7.1 on, which are answered last (AdminBrokerProcessor#updateAndCreateTopic), and
groups from 5.3.1 on, whose file keeps the version (SubscriptionGroupManager#setDataVersion)."""

TABLES_STRUCTURES = (
    ClaimedTables(),
    ClaimedTables(is_version_kept=False, is_answered_first=False),
    ClaimedTables(has_role_switch=True, is_own_address_checked=True),
    ClaimedTables(
        is_version_kept=False,
        is_answered_first=False,
        has_role_switch=True,
        is_own_address_checked=True,
    ),
    ClaimedTables(has_role_switch=True),
    ClaimedTables(is_table_written_first=True),
    LATER_TOPICS,
    evolve(LATER_TOPICS, is_reconciled=True),
    evolve(LATER_TOPICS, is_remade=True),
    evolve(LATER_TOPICS, is_remade=True, is_table_written_first=True),
    evolve(LATER_TOPICS, is_reconciled=True, is_table_written_first=True),
)
"""Every structure of this world that has a certificate."""

TABLES = World(
    name="tables",
    structures=TABLES_STRUCTURES,
    properties=collect_properties(guarantee, lemma),
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
    numbers=Numbers(codes={"stage": STAGE_NAMES}),
    later_rules={name: TABLES_RULES[name] for name in RECONCILING},
)
