"""The world of copied tables, complete: whoever imports this has its rules, claims and lemmas."""

from __future__ import annotations

import properties.tables.guarantee
import properties.tables.lemma  # noqa: F401
from properties.tables.registry import TABLES

__all__ = ["TABLES"]
