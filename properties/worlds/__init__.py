"""Every world, and every structure of each, by name."""

from __future__ import annotations

from typing import Any

from properties.language.healing import Healing
from properties.language.world import World
from properties.worlds.delay.world import DELAY
from properties.worlds.reading.world import READING
from properties.worlds.replication.structures import (
    CERTIFIED_STRUCTURES,
    CONTROLLED_STRUCTURES,
    POOLED_STRUCTURES,
)
from properties.worlds.replication.world import REPLICATION
from properties.worlds.system.world import SYSTEM
from properties.worlds.tables.world import TABLES
from properties.worlds.toy import TOY
from reference.releases.versions import RULE_SETS, apply_rule_set
from reference.worlds.reading.structure import LATER_READING_STRUCTURES

OTHER_WORLDS = (READING, TABLES, DELAY)
"""The worlds beside replication, in the order of their chapters."""

WORLDS = (REPLICATION, *OTHER_WORLDS)
"""Every world that models RocketMQ."""

_WORLD_BY_KIND = {world.kind: world for world in (*WORLDS, SYSTEM, TOY)}


def find_world(structure: Any) -> World:
    """The world of a structure. Raises TypeError if it belongs to none."""
    world = _WORLD_BY_KIND.get(type(structure))
    if world is None:
        raise TypeError(f"{type(structure).__name__} belongs to no world")
    return world


def find_healing(structure: Any) -> Healing | None:
    """How a structure comes to rest; None if no claim mentions it."""
    return find_world(structure).get_healing(structure)


STRUCTURES_BY_WORLD: dict[str, tuple[Any, ...]] = {
    "replication": REPLICATION.structures,
    **{world.topic: world.structures for world in OTHER_WORLDS},
}
"""The structures of every world, by the world's name."""

MUTATED_STRUCTURES: dict[str, tuple[Any, ...]] = {
    world.topic: world.mutated_structures for world in OTHER_WORLDS
}
"""The structures in which mutants are made, by the world's name; replication has its own."""

WORLD_STRUCTURES = {s.name: s for world in OTHER_WORLDS for s in world.structures}
"""Every structure of the worlds beside replication, by name."""

STRUCTURES: dict[str, Any] = {s.name: s for world in WORLDS for s in world.structures}
"""Every structure that a command accepts, by name."""

PROVED_STRUCTURES: dict[str, Any] = {**STRUCTURES, **{s.name: s for s in SYSTEM.structures}}
"""Every structure that has a certificate, by name: those of the worlds and of the whole system."""

KNOWN_STRUCTURES: dict[str, Any] = {
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
