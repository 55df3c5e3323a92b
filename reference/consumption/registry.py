"""The rules of consumption."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from reference.consumption.structure import ConsumptionStructure
from reference.rule import Rule, rule
from reference.world import get_rules

CONSUMPTION_RULES: dict[str, Rule] = {}
"""Every rule of this world by name, in the order of definition."""

consumption_rule: Callable[..., Any] = partial(rule, into=CONSUMPTION_RULES)
"""Decorator: registers a rule of this world."""


@get_rules.register
def _(structure: ConsumptionStructure) -> Mapping[str, Rule]:
    return CONSUMPTION_RULES
