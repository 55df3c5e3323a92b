"""The rules of copied tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.rule import Rule, RuleBody, rule
from reference.tables.structure import TablesStructure
from reference.world import get_rules

TABLES_RULES: dict[str, Rule] = {}
"""Every rule of this world by name, in the order of definition."""


def tables_rule(
    *, who: str, source: str
) -> Callable[[Callable[..., RuleBody]], Callable[..., RuleBody]]:
    """Register a rule of this world."""
    return rule(who=who, source=source, into=TABLES_RULES)


@get_rules.register
def _(structure: TablesStructure) -> Mapping[str, Rule]:
    return TABLES_RULES
