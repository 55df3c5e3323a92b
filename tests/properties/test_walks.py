"""Random walks by Hypothesis: what is proved holds on every walk, and each walk comes to it."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import settings

from properties.verdicts import certificates
from properties.walks.hypothesis_machine import make_state_machine, run_state_machine
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FAULT_MODELS
from properties.worlds.replication.world import GUARANTEES, LEMMAS, SANITY_CHECKS
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from tests.structures import GROUPS, SYNCHRONOUS_PAIR, name_of

STEPS = 20
QUICK_SHARE = 0.4
"""Part of a profile's walks that each column gets outside the nightly run: columns overlap."""
QUICK = [FAULT_MODEL_BY_NAME[name] for name in ("none", "link cut", "slave kill", "every fault")]


@pytest.mark.parametrize("fault_model", QUICK, ids=name_of)
def test_proved_guarantees_hold_on_every_walk(fault_model: object) -> None:
    """Sanity, lemmas and the proved guarantees of a synchronous pair."""
    walk(SYNCHRONOUS_PAIR, fault_model, QUICK_SHARE)


@pytest.mark.nightly
@pytest.mark.parametrize("structure", GROUPS, ids=name_of)
@pytest.mark.parametrize("fault_model", FAULT_MODELS, ids=name_of)
def test_proved_guarantees_hold_everywhere(structure: object, fault_model: object) -> None:
    """The same for every structure."""
    walk(structure, fault_model)


def walk(structure: object, fault_model: object, share: float = 1.0) -> None:
    """Walk a structure under a fault model and assert all that is proved for it."""
    document = certificates.load(structure)  # type: ignore[arg-type]
    assert document is not None
    fault = fault_model.name  # type: ignore[attr-defined]
    proved = {
        c["guarantee"]
        for c in document["cells"]
        if c["fault"] == fault and c["verdict"] == "proved"
    }
    claims = {
        n: p
        for n, p in {**SANITY_CHECKS, **LEMMAS, **GUARANTEES}.items()
        if n not in GUARANTEES or n in proved
    }
    parameters = evolve(SMALL_PARAMETERS, limits=FAULT_MODEL_BY_NAME[fault].search_limits)
    machine = make_state_machine(structure, parameters, claims)  # type: ignore[arg-type]
    examples = settings.default.max_examples if settings.default else 50
    run_state_machine(
        machine, settings(max_examples=int(share * examples), stateful_step_count=STEPS)
    )
