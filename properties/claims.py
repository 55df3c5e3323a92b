"""Everything that the matrix decides: the guarantees, and what a group comes to in peace."""

from __future__ import annotations

from properties.convergence import CONVERGENCE
from properties.guarantee import GUARANTEES
from properties.property import Property

CLAIMS: dict[str, Property] = {**GUARANTEES, **CONVERGENCE}
"""Every row of the matrix by name."""
