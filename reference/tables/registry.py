"""The rules of copied tables."""

from __future__ import annotations

from functools import partial

from reference.rule import rule
from reference.tables.structure import TablesStructure
from reference.world import make_registry

TABLES_RULES = make_registry(TablesStructure)
"""Every rule of this world by name, in the order of definition."""

tables_rule = partial(rule, into=TABLES_RULES)
"""Register a rule of this world."""
