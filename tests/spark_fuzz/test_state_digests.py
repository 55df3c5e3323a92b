"""All states of small instances, by fingerprint: what kills mutants that change values only."""

from __future__ import annotations

from functools import cache

import pytest

from properties.mutants.findings import compute_world_digest
from spark_fuzz.search.small_instances import ListedInstance
from tests.spark_fuzz.state_digests import compute_state_digest, list_asked, load_digests

RENEW = "other rules; renew with `python -m tests.spark_fuzz.state_digests`"


@cache
def load_asked() -> dict[str, tuple[str, ListedInstance]]:
    """World and instance by the name of their fingerprint."""
    return {f"{world}: {instance.name}": (world, instance) for world, instance in list_asked()}


@pytest.mark.parametrize("name", load_digests())
def test_the_states_are_the_recorded_ones(name: str) -> None:
    """Every value of every leaf in every state."""
    world, instance = load_asked()[name]
    recorded = load_digests()[name]
    assert recorded["rules"] == compute_world_digest(world), RENEW
    assert recorded["states"] == compute_state_digest(instance)


def test_no_fingerprint_is_missing_or_left_over() -> None:
    """Each instance that kills some mutant by other values has one, and each belongs to one."""
    assert set(load_asked()) == set(load_digests())
