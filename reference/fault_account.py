"""The account of faults: how often each has struck, and whether it may strike again."""

from __future__ import annotations

from typing import Any

from attrs import evolve


def count_fault(cluster: Any, name: str) -> Any:
    """The cluster with one more fault of this name on the account."""
    faults = evolve(cluster.faults, **{name: getattr(cluster.faults, name) + 1})
    return evolve(cluster, faults=faults)


def is_within_limit(cluster: Any, name: str) -> bool:
    """The fault may strike once more."""
    count: int = getattr(cluster.faults, name)
    limit: int = getattr(cluster.parameters.limits, name)
    return count < limit
