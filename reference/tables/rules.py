"""All rules of copied tables, in their order."""

from __future__ import annotations

from reference.rule import sort_by_topic
from reference.tables import changes, copying, faults, lifecycle
from reference.tables.registry import TABLES_RULES

__all__ = ["TABLES_RULES"]

sort_by_topic(TABLES_RULES, changes, copying, lifecycle, faults)
