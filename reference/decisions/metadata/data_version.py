"""Versions of tables.

Source: DataVersion of 4.4.0.
"""

from __future__ import annotations

from attrs import frozen


@frozen
class DataVersion:
    """Two versions are equal when both numbers are (R-MS-09); contents are not compared."""

    timestamp_ms: float
    """When the table was changed last, or when its manager was made."""
    counter: int = 0
    """How often it was changed."""

    def compute_next(self, now_ms: float) -> DataVersion:
        """The version after a change (DataVersion#nextVersion)."""
        return DataVersion(now_ms, self.counter + 1)
