"""All rules of consumption, in their order."""

from __future__ import annotations

from reference.consumption import brokers, consumer, faults, progress, routes
from reference.consumption.registry import CONSUMPTION_RULES
from reference.rule import sort_by_topic

__all__ = ["CONSUMPTION_RULES"]

sort_by_topic(CONSUMPTION_RULES, brokers, routes, progress, consumer, faults)
