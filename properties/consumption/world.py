"""The world of consumption, complete: whoever imports this has its rules, claims and timelines."""

from __future__ import annotations

import reference.consumption.timeline  # noqa: F401  # It registers how schedules are drawn.
from properties.consumption.guarantee import PROGRESS_GUARANTEES
from properties.consumption.lemma import PROGRESS_LEMMAS
from properties.consumption.registry import CONSUMPTION, CONSUMPTION_FAULT_CLASSES
from reference.consumption.rules import CONSUMPTION_RULES
from reference.consumption.structure import CONSUMPTION_STRUCTURES

__all__ = [
    "CONSUMPTION",
    "CONSUMPTION_FAULT_CLASSES",
    "CONSUMPTION_RULES",
    "CONSUMPTION_STRUCTURES",
    "PROGRESS_GUARANTEES",
    "PROGRESS_LEMMAS",
]
