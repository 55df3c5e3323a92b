"""Fault counts: how often each fault has happened, and whether it may happen again."""

from __future__ import annotations

from typing import Any

import attrs
from attrs import evolve

from reference.language.operators import all_of


def count_fault(cluster: Any, name: str) -> Any:
    """The cluster with one more fault of this name counted."""
    faults = evolve(cluster.faults, **{name: getattr(cluster.faults, name) + 1})
    return evolve(cluster, faults=faults)


def is_within_limit(cluster: Any, name: str) -> bool:
    """The fault may happen once more."""
    count: int = getattr(cluster.faults, name)
    limit: int = getattr(cluster.parameters.limits, name)
    return count < limit


def has_faults_within_limits(state: Any) -> bool:
    """No fault has happened more often than it may."""
    pairs = (
        (getattr(state.faults, n), getattr(state.parameters.limits, n)) for n in list_faults(state)
    )
    return all_of(*((count >= 0) & (count <= limit) for count, limit in pairs))


def list_faults(state: Any) -> tuple[str, ...]:
    """The names of the faults that a state's world counts."""
    return tuple(attrs.fields_dict(type(state.faults)))
