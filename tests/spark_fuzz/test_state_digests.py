"""All states of small instances, by fingerprint: what kills mutants that change values only."""

from __future__ import annotations

import pytest

from properties.mutants.findings import compute_world_digest
from spark_fuzz.search.small_instances import ListedInstance
from tests.spark_fuzz.state_digests import compute_state_digest, list_asked, load_digests

RENEW = "other rules; renew with `python -m tests.spark_fuzz.state_digests`"
ASKED = {f"{world}: {instance.name}": (world, instance) for world, instance in list_asked()}


@pytest.mark.parametrize(("name", "asked"), ASKED.items(), ids=list(ASKED))
def test_the_states_are_the_recorded_ones(name: str, asked: tuple[str, ListedInstance]) -> None:
    """Every value of every leaf in every state."""
    world, instance = asked
    recorded = load_digests()[name]
    assert recorded["rules"] == compute_world_digest(world), RENEW
    assert recorded["states"] == compute_state_digest(instance)


def test_no_fingerprint_is_left_over() -> None:
    """Each belongs to an instance that kills some mutant."""
    assert set(ASKED) == set(load_digests())
