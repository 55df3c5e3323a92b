"""Settings that are changed while a broker runs."""

from __future__ import annotations

from reference.trace.reading import Event
from reference.trace.state import Explanation


def explain_set_config(explanation: Explanation, event: Event) -> Explanation:
    """Properties of a broker are set."""
    return explanation


def explain_address(explanation: Explanation, event: Event) -> Explanation:
    """A slave's master is set, or looked at."""
    return explanation
