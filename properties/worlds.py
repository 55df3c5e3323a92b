"""Every world's structures by name; whoever imports this has all that the worlds registered."""

from __future__ import annotations

from typing import Any

from properties.certificates import CERTIFIED_STRUCTURES
from properties.consumption.world import CONSUMPTION
from properties.delay.world import DELAY
from properties.subject import get_claims, get_fault_classes
from properties.tables.world import TABLES
from reference.variant import RULE_SETS
from reference.version import apply_rule_set

WORLDS = (CONSUMPTION, TABLES, DELAY)
"""The worlds beside replication, in the order in which they are told."""

WORLD_STRUCTURES = {s.name: s for world in WORLDS for s in world.structures}
"""Every structure of them, by name."""

STRUCTURES_BY_WORLD: dict[str, tuple[Any, ...]] = {
    "replication": CERTIFIED_STRUCTURES,
    **{world.topic: world.structures for world in WORLDS},
}
"""The structures of every world, by the world's name."""

STRUCTURES: dict[str, Any] = {
    s.name: s for structures in STRUCTURES_BY_WORLD.values() for s in structures
}
"""Every structure that can be asked for, by name."""

KNOWN_STRUCTURES: dict[str, Any] = {
    **STRUCTURES,
    **{
        s.name: s
        for name in RULE_SETS
        for s in (apply_rule_set(structure, name) for structure in CERTIFIED_STRUCTURES)
    },
}
"""Every structure of every release, by name."""

CLAIM_NAMES = tuple(dict.fromkeys(n for s in STRUCTURES.values() for n in get_claims(s)))
"""The claims of all worlds, each once."""

COLUMN_NAMES = tuple(
    dict.fromkeys(c.name for s in STRUCTURES.values() for c in get_fault_classes(s))
)
"""The columns of all worlds, each once; worlds share some headings."""
