"""The world of delayed delivery, complete: whoever imports this has its rules and claims."""

from __future__ import annotations

import properties.delay.guarantee
import properties.delay.lemma  # noqa: F401
from properties.delay.registry import DELAY

__all__ = ["DELAY"]
