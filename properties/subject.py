"""What the engines ask of a world's properties: claims, lemmas, columns, and the sizes of a search.

The answers of a world are registered for the class of its structures, like those of
``reference.world``.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import attrs
from attrs import evolve

import properties.controller_lemmas
import properties.replication_healing  # noqa: F401  (registers how replication heals)
from properties.claims import CLAIMS
from properties.fault_class import EVERYTHING, FAULT_CLASSES, FaultClass
from properties.lemmas import LEMMAS
from properties.property import Property, PropertyRole
from properties.sanity_check import SANITY_CHECKS
from properties.variant_lemmas import VARIANT_LEMMAS
from reference.structure import SMALL_PARAMETERS, Parameters, Structure
from reference.variant import expand


@singledispatch
def get_claims(structure: Any) -> dict[str, Property]:
    """Guarantees, and claims of convergence, by name. Raises TypeError for an unknown world."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")


@singledispatch
def get_lemmas_of(structure: Any) -> dict[str, Property]:
    """What is inductive whatever strikes: the sanity checks and the lemmas. Raises TypeError."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")


@singledispatch
def get_fault_classes(structure: Any) -> tuple[FaultClass, ...]:
    """The columns, weaker ones before those that contain them. Raises TypeError."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")


@singledispatch
def get_everything(structure: Any) -> FaultClass:
    """All faults and circumstances together. Raises TypeError."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")


@singledispatch
def get_small_parameters(structure: Any) -> Any:
    """The sizes of a search. Raises TypeError."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")


@get_claims.register
def _(structure: Structure) -> dict[str, Property]:
    return CLAIMS


@get_lemmas_of.register
def _(structure: Structure) -> dict[str, Property]:
    variants = expand(structure.variants)
    own = {n: p for v in variants for n, p in VARIANT_LEMMAS.get(v.name, {}).items()}
    return {**SANITY_CHECKS, **LEMMAS, **own}


@get_fault_classes.register
def _(structure: Structure) -> tuple[FaultClass, ...]:
    return FAULT_CLASSES


@get_everything.register
def _(structure: Structure) -> FaultClass:
    return EVERYTHING


@get_small_parameters.register
def _(structure: Structure) -> Parameters:
    return SMALL_PARAMETERS


def get_search_parameters(structure: Any, fault_class: FaultClass) -> Any:
    """The sizes of a search, with the limits of a column."""
    return evolve(get_small_parameters(structure), limits=fault_class.search_limits)


def get_largest_size(parameters: Any) -> int:
    """Where the modelled log or queue of a search ends: no offset is beyond."""
    sizes = attrs.asdict(parameters, recurse=False).values()
    return max(size for size in sizes if isinstance(size, int))


def get_guarantees(structure: Any) -> dict[str, Property]:
    """The claims that are judged state by state, by name and in order."""
    claims = get_claims(structure).items()
    return {name: claim for name, claim in claims if claim.role is PropertyRole.GUARANTEE}


def get_every_fault(structure: Any) -> FaultClass:
    """The last column: all that may befall a system whose configuration nobody changes."""
    return get_fault_classes(structure)[-1]


def get_fault_class(structure: Any, name: str) -> FaultClass:
    """A column by its heading. Raises KeyError for a name that is none."""
    return {c.name: c for c in get_fault_classes(structure)}[name]


def get_candidates_of(structure: Any) -> dict[str, Property]:
    """Everything that may become part of an inductive set."""
    return {**get_lemmas_of(structure), **get_claims(structure)}
