"""Properties: guarantees, convergence claims, lemmas, sanity checks and witnesses."""

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
    """The purpose of a property; the kinds must not be confused."""

    GUARANTEE = "guarantee"
    """An operator relies on it."""
    CONVERGENCE = "convergence"
    """A group converges to it once faults stop."""
    LEMMA = "lemma"
    """A proof needs it; of no interest by itself."""
    SANITY = "sanity"
    """Every well-formed state obeys it: types, ranges, orders."""
    WITNESS = "witness"
    """It must be reachable, or else a check that mentions it is vacuous."""


@frozen
class Property:
    """A named predicate over clusters."""

    name: str
    """Its public identifier: the function's name and its heading in ``spec/``."""
    role: PropertyRole
    """Its purpose."""
    predicate: Predicate
    """True in states where the property holds (for a witness: where it is reached)."""
    why: str = ""
    """Why it matters (guarantee), or the counterexample to induction that demands it (lemma)."""
    premise: Predicate | None = None
    """For a guarantee or convergence claim: must be reachable, or the claim is vacuous."""
    variants: tuple[str, ...] = ()
    """For a lemma: the only variants that need it; empty if every structure does."""
    broken_by: tuple[str, ...] = ()
    """For a lemma or sanity check: the variants under which it does not hold."""

    @property
    def sentence(self) -> str:
        """One English sentence: the first paragraph of the docstring."""
        return " ".join((inspect.getdoc(self.predicate) or "").split("\n\n")[0].split())


Decorator: TypeAlias = Callable[[Predicate], Predicate]


def guarantee(*, why: str, premise: Predicate) -> Decorator:
    """Make a predicate a guarantee; its docstring's first paragraph is its sentence.

    ``premise`` must be reachable, or the guarantee is vacuous.
    """
    return _mark(PropertyRole.GUARANTEE, why, premise)


def convergence(*, why: str, premise: Predicate) -> Decorator:
    """Make a predicate a claim about the state that a system reaches once faults stop."""
    return _mark(PropertyRole.CONVERGENCE, why, premise)


def lemma(*variants: str, why: str, broken_by: tuple[str, ...] = ()) -> Decorator:
    """Make a predicate a lemma; ``why`` says what goes wrong without it.

    If variants are named, only their proofs need it; those that break it do without it.
    """
    return _mark(PropertyRole.LEMMA, why, None, variants, broken_by)


def sanity(broken_by: tuple[str, ...] = ()) -> Decorator:
    """Make a predicate a sanity check, which some variants may break."""
    return _mark(PropertyRole.SANITY, "", None, broken_by=broken_by)


def witness() -> Decorator:
    """Make a predicate a witness."""
    return _mark(PropertyRole.WITNESS, "", None)


def _mark(
    role: PropertyRole,
    why: str,
    premise: Predicate | None,
    variants: tuple[str, ...] = (),
    broken_by: tuple[str, ...] = (),
) -> Decorator:
    def mark(predicate: Predicate) -> Predicate:
        made = Property(predicate.__name__, role, predicate, why, premise, variants, broken_by)
        predicate.property = made  # type: ignore[attr-defined]
        return predicate

    return mark


def collect_properties(*topics: ModuleType) -> dict[str, Property]:
    """The properties of these modules by name, in the order of each module."""
    return {
        value.property.name: value.property
        for topic in topics
        for value in vars(topic).values()
        if isinstance(getattr(value, "property", None), Property)
        and value.__module__ == topic.__name__
    }
