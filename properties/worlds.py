"""Every world beside replication, complete with its properties."""

from __future__ import annotations

from properties.consumption.world import CONSUMPTION
from properties.delay.world import DELAY
from properties.tables.world import TABLES

WORLDS = (CONSUMPTION, TABLES, DELAY)
"""In the order in which they are told."""

WORLD_STRUCTURES = {s.name: s for world in WORLDS for s in world.structures}
"""Every structure of them, by name."""
