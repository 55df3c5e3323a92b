"""The lemmas of both parts as lemmas of the whole.

They are proved anew, of the whole's steps: a lemma of reading holds there of what the log really
does to queues, and not of what an environment was thought to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
from attrs import evolve

from properties.property import Property
from properties.world import PartClaim, World
from properties.worlds.reading.world import READING
from properties.worlds.replication.world import REPLICATION
from properties.worlds.system.lemma import CAUSES
from reference.worlds.replication.parameters import FaultCounts
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


def lift_claims(
    world: World,
    prefix: str,
    get_state: Callable[[System], Any],
    get_part: Callable[[Any], Any],
    get_faults: Callable[[frozenset[str]], frozenset[str]],
) -> dict[str, PartClaim]:
    """The guarantees of a part, each with its part's name first."""

    def lift(each: Property) -> PartClaim:
        def holds(state: System) -> bool:
            return each.predicate(get_state(state))

        def is_met(state: System) -> bool:
            return each.premise is None or each.premise(get_state(state))

        holds.__doc__ = each.predicate.__doc__
        name = f"{prefix}{each.name}"
        claim = evolve(each, name=name, predicate=holds, premise=is_met)
        return PartClaim(claim, each.name, get_part, get_faults)

    return {f"{prefix}{name}": lift(each) for name, each in world.guarantees.items()}


def list_log_faults(faults: frozenset[str]) -> frozenset[str]:
    """What may strike the log; stops are no faults there."""
    return faults & attrs.fields_dict(FaultCounts).keys()


def list_seen_faults(faults: frozenset[str]) -> frozenset[str]:
    """What readers may see where these may strike."""
    return frozenset(seen for seen, causes in CAUSES.items() if not faults.isdisjoint(causes))


PART_CLAIMS = {
    **lift_claims(REPLICATION, "log_", get_cluster, lambda s: s.log, list_log_faults),
    **lift_claims(READING, "reading_", get_reading, lambda s: s.reading, list_seen_faults),
}
"""What the log promises by itself, and what readers are promised: campaigns judge that as well."""

LOG_LEMMAS = lift_lemmas(REPLICATION.lemmas, "log_", get_cluster)
"""Those of the log."""

READING_LEMMAS = lift_lemmas(READING.lemmas, "reading_", get_reading)
"""Those of reading: what it asks of the log, and what follows for readers."""
