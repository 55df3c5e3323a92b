"""Everything that the matrix decides: the guarantees, and what a group comes to in peace."""

from __future__ import annotations

from properties.property import Property
from properties.worlds.replication.world import CONVERGENCE, GUARANTEES

CLAIMS: dict[str, Property] = {**GUARANTEES, **CONVERGENCE}
"""Every row of the matrix by name."""
