"""All rules of delayed delivery, in their order."""

from __future__ import annotations

from reference.delay import delivery, lifecycle
from reference.delay.registry import DELAY_RULES

__all__ = ["DELAY_RULES"]

TOPICS = tuple(topic.__name__.rpartition(".")[2] for topic in (delivery, lifecycle))
"""The order of rules: by topic, inside a topic as they are written. Certificates rest on it."""

_in_order = sorted(DELAY_RULES.items(), key=lambda item: TOPICS.index(item[1].topic))
DELAY_RULES.clear()
DELAY_RULES.update(_in_order)
