"""What a property is: a guarantee, a claim about peace, a lemma, a sanity check or a witness."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from types import ModuleType
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
    variants: tuple[str, ...] = ()
    """For a lemma: the variants that alone need it; empty where every structure does."""

    @property
    def sentence(self) -> str:
        """One English sentence: the first paragraph of the docstring."""
        return " ".join((inspect.getdoc(self.predicate) or "").split("\n\n")[0].split())


Decorator: TypeAlias = Callable[[Predicate], Predicate]


def guarantee(*, why: str, premise: Predicate) -> Decorator:
    """Make a predicate a guarantee; its docstring's first paragraph is its sentence.

    ``premise`` must be reachable, lest it hold vacuously.
    """
    return _mark(PropertyRole.GUARANTEE, why, premise)


def convergence(*, why: str, premise: Predicate) -> Decorator:
    """Make a predicate a claim about what a system comes to when it is left in peace."""
    return _mark(PropertyRole.CONVERGENCE, why, premise)


def lemma(*variants: str, why: str) -> Decorator:
    """Make a predicate a lemma; ``why`` says what goes wrong without it.

    With names of variants only their proofs need it.
    """
    return _mark(PropertyRole.LEMMA, why, None, variants)


def sanity() -> Decorator:
    """Make a predicate a sanity check."""
    return _mark(PropertyRole.SANITY, "", None)


def witness() -> Decorator:
    """Make a predicate a witness."""
    return _mark(PropertyRole.WITNESS, "", None)


def _mark(
    role: PropertyRole, why: str, premise: Predicate | None, variants: tuple[str, ...] = ()
) -> Decorator:
    def mark(predicate: Predicate) -> Predicate:
        made = Property(predicate.__name__, role, predicate, why, premise, variants)
        predicate.property = made  # type: ignore[attr-defined]
        return predicate

    return mark


def collect_properties(*topics: ModuleType) -> dict[str, Property]:
    """The properties of these modules by name, inside a module as they are written."""
    return {
        value.property.name: value.property
        for topic in topics
        for value in vars(topic).values()
        if isinstance(getattr(value, "property", None), Property)
        and value.__module__ == topic.__name__
    }
