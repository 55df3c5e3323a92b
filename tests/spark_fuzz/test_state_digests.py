"""All states of small instances, by fingerprint: what kills mutants that change values only."""

from __future__ import annotations

import pytest

from properties.mutants.findings import compute_world_digest
from spark_fuzz.judges.small_instances import (
    ListedInstance,
    list_further_instances,
    list_instances,
)
from tests.spark_fuzz.state_digests import compute_state_digest, load_digests

RENEW = "other rules; renew with `python -m tests.spark_fuzz.state_digests`"


def find(name: str) -> ListedInstance:
    """The instance of a stored name."""
    world, _, instance = name.partition(": ")
    rule = load_digests()[name]["rule"]
    known = (*list_instances(world, rule), *list_further_instances(world, rule))
    return next(each for each in known if each.name == instance)


@pytest.mark.parametrize("name", load_digests())
def test_the_states_are_the_recorded_ones(name: str) -> None:
    """Every value of every leaf in every state."""
    recorded = load_digests()[name]
    assert recorded["rules"] == compute_world_digest(name.partition(": ")[0]), RENEW
    assert recorded["states"] == compute_state_digest(find(name))
