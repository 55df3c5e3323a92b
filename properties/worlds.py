"""Every world's structures by name; whoever imports this has all that the worlds registered."""

from __future__ import annotations

from typing import Any

from properties.certificates import CERTIFIED_STRUCTURES
from properties.consumption.world import CONSUMPTION_STRUCTURES
from properties.subject import get_claims, get_fault_classes

WORLDS: dict[str, tuple[Any, ...]] = {
    "replication": CERTIFIED_STRUCTURES,
    "consumption": CONSUMPTION_STRUCTURES,
}
"""The structures of each world that can be asked for."""

STRUCTURES: dict[str, Any] = {s.name: s for world in WORLDS.values() for s in world}
"""The same by name."""

CLAIM_NAMES = tuple(dict.fromkeys(n for s in STRUCTURES.values() for n in get_claims(s)))
"""The claims of all worlds, each once."""

COLUMN_NAMES = tuple(
    dict.fromkeys(c.name for s in STRUCTURES.values() for c in get_fault_classes(s))
)
"""The columns of all worlds, each once; worlds share some headings."""
