"""The world of consumption, complete: whoever imports this has its rules, claims and timelines."""

from __future__ import annotations

# Each registers what it has: guarantees, lemmas, claims about rest, and how schedules are drawn.
import properties.consumption.guarantee
import properties.consumption.lemma
import properties.consumption.rest  # noqa: F401
import reference.consumption.timeline  # noqa: F401
from properties.consumption.registry import (
    CONSUMPTION,
    CONSUMPTION_FAULT_CLASSES,
    PROGRESS_GUARANTEES,
    PROGRESS_LEMMAS,
)
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
