"""All rules of copied tables, in their order."""

from __future__ import annotations

from reference.tables import changes, copying, faults, lifecycle
from reference.tables.registry import TABLES_RULES

__all__ = ["TABLES_RULES"]

TOPICS = tuple(topic.__name__.rpartition(".")[2] for topic in (changes, copying, lifecycle, faults))
"""The order of rules: by topic, inside a topic as they are written. Certificates rest on it."""

_in_order = sorted(TABLES_RULES.items(), key=lambda item: TOPICS.index(item[1].topic))
TABLES_RULES.clear()
TABLES_RULES.update(_in_order)
