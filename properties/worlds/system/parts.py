"""The lemmas of both parts as lemmas of the whole.

They are proved anew, of the whole's steps: a lemma of reading holds there of what the log really
does to queues, and not of what an environment was thought to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from properties.property import Property
from properties.worlds.reading.world import READING
from properties.worlds.replication.world import REPLICATION
from reference.worlds.system.state import System, get_cluster, get_reading

LEFT_OUT = ("fault_counts_are_within_limits", "faults_are_within_limits")
"""The whole has an account of its own."""


def lift_lemmas(
    lemmas: Mapping[str, Property], prefix: str, get_part: Callable[[System], Any]
) -> dict[str, Property]:
    """The lemmas of a part, each with its part's name first."""

    def lift(each: Property) -> Property:
        def predicate(state: System) -> bool:
            return each.predicate(get_part(state))

        predicate.__doc__ = each.predicate.__doc__
        return evolve(each, name=f"{prefix}{each.name}", predicate=predicate)

    lifted = (lift(each) for name, each in lemmas.items() if name not in LEFT_OUT)
    return {each.name: each for each in lifted}


LOG_LEMMAS = lift_lemmas(REPLICATION.lemmas, "log_", get_cluster)
"""Those of the log."""

READING_LEMMAS = lift_lemmas(READING.lemmas, "reading_", get_reading)
"""Those of reading: what it asks of the log, and what follows for readers."""
