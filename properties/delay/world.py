"""The world of delayed delivery, complete: whoever imports it has its rules, claims and lemmas."""

from __future__ import annotations

# Each registers what it has: guarantees, lemmas, and how schedules are drawn.
import properties.delay.guarantee
import properties.delay.lemma  # noqa: F401
import reference.delay.timeline  # noqa: F401
from properties.delay.registry import DELAY

__all__ = ["DELAY"]
