"""What a property is, and the registries of guarantees, lemmas, sanity checks and witnesses."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from attrs import frozen

Predicate: TypeAlias = Callable[[Any], bool]
"""A condition over the states of a world."""


class PropertyRole(enum.Enum):
    """What a property is for; a reader must not mistake one for another."""

    GUARANTEE = "guarantee"
    """What an operator relies on."""
    CONVERGENCE = "convergence"
    """What a group comes to when it is left in peace."""
    LEMMA = "lemma"
    """What a proof needs; of no interest by itself."""
    SANITY = "sanity"
    """What every well-formed state obeys: types, ranges, orders."""
    WITNESS = "witness"
    """What must be reachable, or else a check that mentions it says nothing."""


@frozen
class Property:
    """A named predicate over clusters."""

    name: str
    """Its public identifier: the function's name and its heading in ``spec/``."""
    role: PropertyRole
    """What it is for."""
    predicate: Predicate
    """True where the property holds (for a witness: where it is reached)."""
    why: str = ""
    """Why it matters (guarantee), or which counterexample to induction demanded it (lemma)."""
    premise: Predicate | None = None
    """For a guarantee or convergence: what must be reachable lest it hold vacuously."""

    @property
    def sentence(self) -> str:
        """One English sentence: the first paragraph of the docstring."""
        return " ".join((inspect.getdoc(self.predicate) or "").split("\n\n")[0].split())


GUARANTEES: dict[str, Property] = {}
CONVERGENCE: dict[str, Property] = {}
LEMMAS: dict[str, Property] = {}
SANITY_CHECKS: dict[str, Property] = {}
WITNESSES: dict[str, Property] = {}
VARIANT_LEMMAS: dict[str, dict[str, Property]] = {}
"""The lemmas that only a variant's proofs need, by variant."""

_REGISTRIES = {
    PropertyRole.GUARANTEE: GUARANTEES,
    PropertyRole.CONVERGENCE: CONVERGENCE,
    PropertyRole.LEMMA: LEMMAS,
    PropertyRole.SANITY: SANITY_CHECKS,
    PropertyRole.WITNESS: WITNESSES,
}


def guarantee(*, why: str, premise: Predicate) -> Callable[[Predicate], Predicate]:
    """Register a guarantee; its docstring's first paragraph is its sentence."""
    return _register(PropertyRole.GUARANTEE, why, premise)


def convergence(*, why: str, premise: Predicate) -> Callable[[Predicate], Predicate]:
    """Register a claim about what a group comes to when it is left in peace."""
    return _register(PropertyRole.CONVERGENCE, why, premise)


def lemma(*, why: str) -> Callable[[Predicate], Predicate]:
    """Register a lemma."""
    return _register(PropertyRole.LEMMA, why, None)


def variant_lemma(*variants: str, why: str) -> Callable[[Predicate], Predicate]:
    """Register a lemma that the proofs of these variants need."""

    def register(predicate: Predicate) -> Predicate:
        name = predicate.__name__
        for variant in variants:
            lemmas = VARIANT_LEMMAS.setdefault(variant, {})
            lemmas[name] = Property(name, PropertyRole.LEMMA, predicate, why)
        return predicate

    return register


def sanity() -> Callable[[Predicate], Predicate]:
    """Register a sanity check."""
    return _register(PropertyRole.SANITY, "", None)


def witness() -> Callable[[Predicate], Predicate]:
    """Register a witness."""
    return _register(PropertyRole.WITNESS, "", None)


def _register(
    role: PropertyRole, why: str, premise: Predicate | None
) -> Callable[[Predicate], Predicate]:
    def register(predicate: Predicate) -> Predicate:
        name = predicate.__name__
        _REGISTRIES[role][name] = Property(name, role, predicate, why, premise)
        return predicate

    return register
