"""Properties: the named predicates of a world, each with its purpose."""

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
    DIFFERENCE = "difference"
    """A situation by which an operator can tell releases apart."""
    AID = "aid"
    """A proof that no run reaches a difference may need it, where it holds."""
    PHENOMENON = "phenomenon"
    """A situation that reports complain of, although it breaks no guarantee."""
    FEATURE = "feature"
    """A situation by which the class of a refuting schedule is recognised."""


CLAIMS = (PropertyRole.GUARANTEE, PropertyRole.CONVERGENCE)
"""What is proved or refuted."""

CANDIDATES = (PropertyRole.SANITY, PropertyRole.LEMMA)
"""What proofs may rest on."""


@frozen
class Property:
    """A named predicate over states."""

    name: str
    """Its public identifier: the function's name and its heading in ``spec/``."""
    role: PropertyRole
    """Its purpose."""
    predicate: Predicate
    """True in states where the property holds (for a situation: where it is reached)."""
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


def _mark(
    role: PropertyRole,
    why: str = "",
    premise: Predicate | None = None,
    variants: tuple[str, ...] = (),
    broken_by: tuple[str, ...] = (),
) -> Decorator:
    def mark(predicate: Predicate) -> Predicate:
        made = Property(predicate.__name__, role, predicate, why, premise, variants, broken_by)
        predicate.property = made  # type: ignore[attr-defined]
        return predicate

    return mark


witness = _mark(PropertyRole.WITNESS)
"""Make a predicate a witness."""

difference = _mark(PropertyRole.DIFFERENCE)
"""Make a predicate an observable difference between releases."""

aid = _mark(PropertyRole.AID)
"""Make a predicate an aid for showing that no run reaches a difference."""

phenomenon = _mark(PropertyRole.PHENOMENON)
"""Make a predicate a phenomenon."""

feature = _mark(PropertyRole.FEATURE)
"""Make a predicate a feature of refuting schedules."""


def collect_properties(*topics: ModuleType) -> dict[str, Property]:
    """The properties of these modules by name, in the order of each module.

    Raises ValueError if two have one name.
    """
    found: dict[str, Property] = {}
    for topic in topics:
        for value in vars(topic).values():
            each = getattr(value, "property", None)
            if isinstance(each, Property) and value.__module__ == topic.__name__:
                if each.name in found:
                    raise ValueError(f"two properties are called {each.name}")
                found[each.name] = each
    return found
