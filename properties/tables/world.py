"""The world of copied tables, complete: whoever imports this has its rules, claims and lemmas."""

from __future__ import annotations

# Each registers what it has: guarantees, lemmas, and how schedules are drawn.
import properties.tables.guarantee
import properties.tables.lemma  # noqa: F401
import reference.tables.timeline  # noqa: F401
from properties.tables.registry import TABLES

__all__ = ["TABLES"]
