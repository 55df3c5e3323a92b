"""The account of faults: how often each has struck, and whether it may strike again."""

from __future__ import annotations

from attrs import evolve

from reference.state import Cluster


def count_fault(cluster: Cluster, name: str) -> Cluster:
    """The cluster with one more fault of this name (a field of FaultCounts) on the account."""
    faults = evolve(cluster.faults, **{name: getattr(cluster.faults, name) + 1})
    return evolve(cluster, faults=faults)


def is_within_limit(cluster: Cluster, name: str) -> bool:
    """The fault may strike once more."""
    count: int = getattr(cluster.faults, name)
    limit: int = getattr(cluster.parameters.limits, name)
    return count < limit
