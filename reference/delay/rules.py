"""All rules of delayed delivery, in their order."""

from __future__ import annotations

from reference.delay import delivery, lifecycle
from reference.delay.registry import DELAY_RULES
from reference.rule import sort_by_topic

__all__ = ["DELAY_RULES"]

sort_by_topic(DELAY_RULES, delivery, lifecycle)
