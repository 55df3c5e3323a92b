"""The rules of consumption."""

from __future__ import annotations

from functools import partial

from reference.consumption.structure import ConsumptionStructure
from reference.rule import rule
from reference.world import make_registry

CONSUMPTION_RULES = make_registry(ConsumptionStructure)
"""Every rule of this world by name, in the order of definition."""

consumption_rule = partial(rule, into=CONSUMPTION_RULES)
"""Register a rule of this world."""
