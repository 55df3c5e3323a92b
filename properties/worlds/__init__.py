"""Every world, and every structure of each, by name."""

from __future__ import annotations

from properties.language.world import ClaimedStructure
from properties.worlds.delay.world import DELAY
from properties.worlds.reading.world import LATER_READING_STRUCTURES, READING
from properties.worlds.replication.structures import (
    CONTROLLED_STRUCTURES,
    POOLED_STRUCTURES,
)
from properties.worlds.replication.world import CERTIFIED_STRUCTURES, REPLICATION
from properties.worlds.system.world import SYSTEM
from properties.worlds.tables.world import TABLES
from reference.releases.versions import RULE_SETS, apply_rule_set

OTHER_WORLDS = (READING, TABLES, DELAY)
"""The worlds beside replication, in the order of their chapters."""

WORLDS = (REPLICATION, *OTHER_WORLDS)
"""Every world that models RocketMQ."""

STRUCTURES_BY_WORLD: dict[str, tuple[ClaimedStructure, ...]] = {
    "replication": REPLICATION.structures,
    **{world.topic: world.structures for world in OTHER_WORLDS},
}
"""The structures of every world, by the world's name."""

MUTATED_STRUCTURES: dict[str, tuple[ClaimedStructure, ...]] = {
    world.topic: world.mutated_structures for world in OTHER_WORLDS
}
"""The structures in which mutants are made, by the world's name; replication has its own."""

WORLD_STRUCTURES = {s.name: s for world in OTHER_WORLDS for s in world.structures}
"""Every structure of the worlds beside replication, by name."""

STRUCTURES: dict[str, ClaimedStructure] = {s.name: s for world in WORLDS for s in world.structures}
"""Every structure that a command accepts, by name."""

PROVED_STRUCTURES: dict[str, ClaimedStructure] = {
    **STRUCTURES,
    **{s.name: s for s in SYSTEM.structures},
}
"""Every structure that has a certificate, by name: those of the worlds and of the whole system."""

KNOWN_STRUCTURES: dict[str, ClaimedStructure] = {
    **PROVED_STRUCTURES,
    **{
        s.name: s
        for name in RULE_SETS
        for s in (apply_rule_set(structure, name) for structure in CERTIFIED_STRUCTURES)
    },
    **{s.name: s for s in (*POOLED_STRUCTURES, *CONTROLLED_STRUCTURES)},
    **{s.name: s for s in LATER_READING_STRUCTURES},
}
"""Every structure of every release, by name, those with a pool, and a controller's settings."""

CLAIM_NAMES = tuple(dict.fromkeys(n for world in (*WORLDS, SYSTEM) for n in world.claims))
"""The claims of all worlds, each once."""

FAULT_MODEL_NAMES = tuple(
    dict.fromkeys(c.name for world in (*WORLDS, SYSTEM) for c in world.fault_models)
)
"""The fault models of all worlds, each once; worlds share some names."""
