"""The rules of consumption."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.consumption.structure import ConsumptionStructure
from reference.rule import Rule, RuleBody, rule
from reference.world import get_rules

CONSUMPTION_RULES: dict[str, Rule] = {}
"""Every rule of this world by name, in the order of definition."""


def consumption_rule(
    *, who: str, source: str
) -> Callable[[Callable[..., RuleBody]], Callable[..., RuleBody]]:
    """Register a rule of this world."""
    return rule(who=who, source=source, into=CONSUMPTION_RULES)


@get_rules.register
def _(structure: ConsumptionStructure) -> Mapping[str, Rule]:
    return CONSUMPTION_RULES
