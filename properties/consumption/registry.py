"""The properties of the world of consumption, its columns, and the sizes of its searches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from properties.expectation import get_expectations_file
from properties.fault_class import FaultClass
from properties.property import Predicate, Property, PropertyRole
from properties.subject import (
    get_claims,
    get_everything,
    get_fault_classes,
    get_lemmas_of,
    get_small_parameters,
)
from reference.consumption.structure import (
    SMALL_CONSUMPTION,
    ConsumptionFaults,
    ConsumptionParameters,
    ConsumptionStructure,
)

PROGRESS_GUARANTEES: dict[str, Property] = {}
PROGRESS_LEMMAS: dict[str, Property] = {}


def progress_guarantee(*, why: str, premise: Predicate) -> Callable[[Predicate], Predicate]:
    """Register a guarantee of this world; its docstring's first paragraph is its sentence."""
    return _register(PROGRESS_GUARANTEES, PropertyRole.GUARANTEE, why, premise)


def progress_lemma(*, why: str) -> Callable[[Predicate], Predicate]:
    """Register what a proof in this world needs."""
    return _register(PROGRESS_LEMMAS, PropertyRole.LEMMA, why)


def _register(
    registry: dict[str, Property], role: PropertyRole, why: str, premise: Predicate | None = None
) -> Callable[[Predicate], Predicate]:
    def register(predicate: Predicate) -> Predicate:
        name = predicate.__name__
        registry[name] = Property(name, role, predicate, why, premise)
        return predicate

    return register


def _make_class(name: str, *admitted: str) -> FaultClass:
    return FaultClass(name, admitted, counts=ConsumptionFaults)


ALL_CONSUMPTION_FAULTS = tuple(attrs.fields_dict(ConsumptionFaults))

EVERY_CONSUMPTION_FAULT = _make_class("every fault", *ALL_CONSUMPTION_FAULTS)

CONSUMPTION_FAULT_CLASSES = (
    _make_class("none"),
    _make_class("consumer kill", "consumer_kills"),
    _make_class("slave outage", "slave_stops", "slave_kills"),
    _make_class("master stop", "master_stops"),
    _make_class("partition", "partitions"),
    _make_class("stale commit", "stale_commits"),
    _make_class("master kill", "master_kills"),
    _make_class("master power loss", "master_power_losses"),
    EVERY_CONSUMPTION_FAULT,
)
"""Every column of this world, weaker classes before the classes that contain them."""


@get_expectations_file.register
def _(structure: ConsumptionStructure) -> Path:
    return Path(__file__).parent / "expected_verdicts.toml"


@get_claims.register
def _(structure: ConsumptionStructure) -> dict[str, Property]:
    return PROGRESS_GUARANTEES


@get_lemmas_of.register
def _(structure: ConsumptionStructure) -> dict[str, Property]:
    return PROGRESS_LEMMAS


@get_fault_classes.register
def _(structure: ConsumptionStructure) -> tuple[FaultClass, ...]:
    return CONSUMPTION_FAULT_CLASSES


@get_everything.register
def _(structure: ConsumptionStructure) -> FaultClass:
    return EVERY_CONSUMPTION_FAULT


@get_small_parameters.register
def _(structure: ConsumptionStructure) -> ConsumptionParameters:
    return SMALL_CONSUMPTION
