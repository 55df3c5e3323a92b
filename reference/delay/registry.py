"""The rules of delayed delivery."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.delay.structure import DelayStructure
from reference.rule import Rule, RuleBody, rule
from reference.world import get_rules

DELAY_RULES: dict[str, Rule] = {}
"""Every rule of this world by name, in the order of definition."""


def delay_rule(
    *, who: str, source: str
) -> Callable[[Callable[..., RuleBody]], Callable[..., RuleBody]]:
    """Register a rule of this world."""
    return rule(who=who, source=source, into=DELAY_RULES)


@get_rules.register
def _(structure: DelayStructure) -> Mapping[str, Rule]:
    return DELAY_RULES
