"""All rules of consumption, in their order."""

from __future__ import annotations

from reference.consumption import brokers, consumer, faults, progress, routes
from reference.consumption.registry import CONSUMPTION_RULES

__all__ = ["CONSUMPTION_RULES"]

TOPICS = tuple(
    topic.__name__.rpartition(".")[2] for topic in (brokers, routes, progress, consumer, faults)
)
"""The order of rules: by topic, inside a topic as they are written. Certificates rest on it."""

_in_order = sorted(CONSUMPTION_RULES.items(), key=lambda item: TOPICS.index(item[1].topic))
CONSUMPTION_RULES.clear()
CONSUMPTION_RULES.update(_in_order)
