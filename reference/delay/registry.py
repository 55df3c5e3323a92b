"""The rules of delayed delivery."""

from __future__ import annotations

from functools import partial

from reference.delay.structure import DelayStructure
from reference.rule import rule
from reference.world import make_registry

DELAY_RULES = make_registry(DelayStructure)
"""Every rule of this world by name, in the order of definition."""

delay_rule = partial(rule, into=DELAY_RULES)
"""Register a rule of this world."""
