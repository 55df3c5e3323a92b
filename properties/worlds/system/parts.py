"""The lemmas of both parts as lemmas of the whole system.

They are proved again for the steps of the whole: a lemma of reading then holds for what the log
really does to queues, not for an assumed environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
from attrs import evolve

from properties.language.property import Property
from properties.language.world import PartClaim, World
from properties.worlds.reading.world import READING
from properties.worlds.replication.world import REPLICATION
from properties.worlds.system.lemma import CAUSES
from reference.worlds.replication.parameters import FaultCounts
from reference.worlds.system.state import System, get_cluster, get_reading

LEFT_OUT = ("fault_counts_are_within_limits", "faults_are_within_limits")
"""The whole has its own count of faults."""


Part = Callable[[System], Any]
"""Extracts the state of a part from the state of the whole."""


def lift(each: Property, prefix: str, get_state: Part) -> Property:
    """A property of a part as one of the whole, with its part's name first."""

    def make(predicate: Callable[[Any], bool]) -> Callable[[System], bool]:
        def holds(state: System) -> bool:
            return predicate(get_state(state))

        holds.__doc__ = predicate.__doc__
        return holds

    premise = None if each.premise is None else make(each.premise)
    name = f"{prefix}{each.name}"
    return evolve(each, name=name, predicate=make(each.predicate), premise=premise)


def lift_lemmas(
    lemmas: Mapping[str, Property], prefix: str, get_state: Part
) -> dict[str, Property]:
    """The lemmas of a part."""
    lifted = (lift(each, prefix, get_state) for n, each in lemmas.items() if n not in LEFT_OUT)
    return {each.name: each for each in lifted}


def lift_claims(
    world: World,
    prefix: str,
    get_state: Part,
    get_part: Callable[[Any], Any],
    get_faults: Callable[[frozenset[str]], frozenset[str]],
) -> dict[str, PartClaim]:
    """The guarantees of a part."""
    claims = {name: lift(each, prefix, get_state) for name, each in world.guarantees.items()}
    return {c.name: PartClaim(c, name, get_part, get_faults) for name, c in claims.items()}


def list_log_faults(faults: frozenset[str]) -> frozenset[str]:
    """The faults that may happen to the log; stops do not count as faults there."""
    return faults & attrs.fields_dict(FaultCounts).keys()


def list_seen_faults(faults: frozenset[str]) -> frozenset[str]:
    """The faults that readers may see if these may happen."""
    return frozenset(seen for seen, causes in CAUSES.items() if not faults.isdisjoint(causes))


PART_CLAIMS = {
    **lift_claims(REPLICATION, "log_", get_cluster, lambda s: s.log, list_log_faults),
    **lift_claims(READING, "reading_", get_reading, lambda s: s.reading, list_seen_faults),
}
"""The guarantees of the log and of reading; campaigns check these as well."""

LOG_LEMMAS = lift_lemmas(REPLICATION.lemmas, "log_", get_cluster)
"""The lemmas of the log."""

READING_LEMMAS = lift_lemmas(READING.lemmas, "reading_", get_reading)
"""The lemmas of reading: its requirements on the log, and their consequences for readers."""
