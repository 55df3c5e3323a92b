"""Random walks by Hypothesis: what is proved holds on every walk, what is refuted can be broken."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from properties import certificates
from properties.fault_class import FAULT_CLASS_BY_NAME, FAULT_CLASSES
from properties.guarantee import GUARANTEES
from properties.hypothesis_machine import make_state_machine
from properties.lemmas import LEMMAS
from properties.sanity_check import SANITY_CHECKS
from reference.state import Cluster
from reference.structure import SMALL_PARAMETERS
from tests.structures import STRUCTURES, SYNCHRONOUS_PAIR, name_of

STEPS = 40


@pytest.mark.parametrize("fault_class", FAULT_CLASSES, ids=name_of)
def test_proved_guarantees_hold_on_every_walk(fault_class: object) -> None:
    """Sanity, lemmas and the proved guarantees of a synchronous pair."""
    walk(SYNCHRONOUS_PAIR, fault_class)


@pytest.mark.nightly
@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
@pytest.mark.parametrize("fault_class", FAULT_CLASSES, ids=name_of)
def test_proved_guarantees_hold_everywhere(structure: object, fault_class: object) -> None:
    """The same for every structure."""
    walk(structure, fault_class)


def walk(structure: object, fault_class: object) -> None:
    """Walk a structure under a fault class and assert all that is proved for it."""
    document = certificates.load(structure)  # type: ignore[arg-type]
    assert document is not None
    fault = fault_class.name  # type: ignore[attr-defined]
    proved = {
        c["guarantee"]
        for c in document["cells"]
        if c["fault"] == fault and c["verdict"] == "proved"
    }
    claims = {
        n: p.predicate
        for n, p in {**SANITY_CHECKS, **LEMMAS, **GUARANTEES}.items()
        if n not in GUARANTEES or n in proved
    }
    parameters = evolve(SMALL_PARAMETERS, limits=FAULT_CLASS_BY_NAME[fault].search_limits)
    machine = make_state_machine(structure, parameters, claims)  # type: ignore[arg-type]
    examples = settings.default.max_examples if settings.default else 50
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=STEPS)
    )


def test_a_false_claim_is_found() -> None:
    """The machine can fail, and what it prints is the schedule up to the failure."""

    def nobody_reports(cluster: Cluster) -> bool:
        return not cluster.links[0].has_reported

    machine = make_state_machine(
        SYNCHRONOUS_PAIR, SMALL_PARAMETERS, {"nobody_reports": nobody_reports}
    )
    with pytest.raises(AssertionError, match="report_offset") as failure:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=300,
                stateful_step_count=12,
                derandomize=True,
                database=None,
                print_blob=False,
            ),
        )
    schedule = str(failure.value).partition("violated by: ")[2].splitlines()[0]
    assert schedule.split("; ")[-1].startswith("report_offset")
