"""Hypothesis' machine walks what is proved: a mistake in a rule is to be found here first."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import load_required
from properties.walks.hypothesis_machine import make_state_machine, run_state_machine
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import LEMMAS, SANITY_CHECKS
from tests.structures import GROUPS, name_of

STEPS = 64
EXAMPLES = 120
"""Enough to find 30 of the mistakes of ``spark_fuzz/judges/planted_rules.toml`` or more."""
PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave"
WALKED = [
    (PAIR, "none"),
    (PAIR, "link cut"),
    (PAIR, "slave kill"),
    ("ASYNC_MASTER/ASYNC_FLUSH/1 slave", "none"),
    ("ASYNC_MASTER/ASYNC_FLUSH/1 slave", "master kill"),
    ("ASYNC_MASTER/SYNC_FLUSH/1 slave", "master power loss"),
    ("SYNC_MASTER/SYNC_FLUSH/2 slaves", "every fault"),
    ("reading/closed/no offset check/first", "none"),
    ("delay/4.4.0", "none"),
    ("delay/4.4.0", "stop"),
    ("tables/topics/4.4.0", "kill"),
]
"""The structures and fault models that every run of the tests walks."""


@pytest.mark.parametrize(("name", "fault"), WALKED)
def test_what_is_proved_holds_on_every_walk(name: str, fault: str) -> None:
    """The claims that are proved, and each of them is tested; with every fault the lemmas too."""
    structure = STRUCTURES[name]
    world = structure.world
    claims = {n: world.claims[n] for n in list_proved(structure, fault)}
    if fault == world.every_fault.name:
        claims |= world.get_lemmas(structure)
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine(make_state_machine(structure, fault, claims), chosen)


@pytest.mark.nightly
@pytest.mark.parametrize("structure", GROUPS, ids=name_of)
@pytest.mark.parametrize("fault_model", FAULT_MODELS, ids=name_of)
def test_proved_guarantees_hold_everywhere(structure: object, fault_model: object) -> None:
    """The same for every group, with its sanity checks and lemmas."""
    fault = fault_model.name  # type: ignore[attr-defined]
    world = structure.world  # type: ignore[attr-defined]
    proved = list_proved(structure, fault)  # type: ignore[arg-type]
    claims = {**SANITY_CHECKS, **LEMMAS, **{n: world.claims[n] for n in proved}}
    examples = settings.default.max_examples if settings.default else 50
    chosen = settings(max_examples=examples, stateful_step_count=STEPS)
    run_state_machine(make_state_machine(structure, fault, claims), chosen)  # type: ignore[arg-type]


def list_proved(structure: ClaimedStructure, fault: str) -> list[str]:
    """The claims that a certificate proves under a fault model."""
    cells = load_required(structure)["cells"]
    return [c["guarantee"] for c in cells if c["fault"] == fault and c["verdict"] == "proved"]
