"""What a world beside replication has for the engines, registered in one place.

``reference.world`` has its states and rules; here are its properties, its columns and its sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from properties.expectation import get_expectations_file
from properties.fault_class import FaultClass
from properties.generated_text import SPEC
from properties.property import Predicate, Property, PropertyRole
from properties.subject import (
    get_claims,
    get_everything,
    get_fault_classes,
    get_lemmas_of,
    get_small_parameters,
)
from reference.rule import Rule


@frozen(eq=False)
class World:
    """A state machine of its own, with what is claimed of it."""

    name: str
    """What its structures' names begin with."""
    structures: tuple[Any, ...]
    """Every one of them has a certificate."""
    rules: Mapping[str, Rule]
    counts: type
    """The class that counts its faults."""
    columns: tuple[FaultClass, ...]
    """Weaker ones before those that contain them; the last one has every fault."""
    small: Any
    """The sizes of its searches."""
    folder: Path
    """Where its properties and its expectations lie."""
    chapter: str
    """The file in ``spec/`` that tells it."""
    guarantees: dict[str, Property] = field(factory=dict)
    lemmas: dict[str, Property] = field(factory=dict)

    @property
    def topic(self) -> str:
        """Its chapter's name, with which the ledger names its rules."""
        return self.chapter.removesuffix(".md")

    @property
    def chapter_path(self) -> Path:
        """Where its chapter lies."""
        return SPEC / self.chapter

    def guarantee(self, *, why: str, premise: Predicate) -> Callable[[Predicate], Predicate]:
        """Register a guarantee; its docstring's first paragraph is its sentence.

        ``premise`` must be reachable, lest it hold vacuously.
        """
        return _register_in(self.guarantees, PropertyRole.GUARANTEE, why, premise)

    def convergence(self, *, why: str, premise: Predicate) -> Callable[[Predicate], Predicate]:
        """Register a claim about what the world comes to in peace; told with the guarantees."""
        return _register_in(self.guarantees, PropertyRole.CONVERGENCE, why, premise)

    def lemma(self, *, why: str) -> Callable[[Predicate], Predicate]:
        """Register what a proof needs; ``why`` says what goes wrong without it."""
        return _register_in(self.lemmas, PropertyRole.LEMMA, why, None)


def _register_in(
    registry: dict[str, Property], role: PropertyRole, why: str, premise: Predicate | None
) -> Callable[[Predicate], Predicate]:
    def register(predicate: Predicate) -> Predicate:
        name = predicate.__name__
        registry[name] = Property(name, role, predicate, why, premise)
        return predicate

    return register


def make_columns(counts: type, columns: Mapping[str, tuple[str, ...]]) -> tuple[FaultClass, ...]:
    """The columns of a world: none, these, and every fault that ``counts`` can count."""
    every = tuple(attrs.fields_dict(counts))
    named = {"none": (), **columns, "every fault": every}
    return tuple(FaultClass(name, admitted, counts=counts) for name, admitted in named.items())


def register_world(world: World) -> World:
    """Let the engines find a world by the class of its structures."""
    kind = type(world.structures[0])
    get_expectations_file.register(kind, lambda structure: world.folder / "expected_verdicts.toml")
    get_claims.register(kind, lambda structure: world.guarantees)
    get_lemmas_of.register(kind, lambda structure: world.lemmas)
    get_fault_classes.register(kind, lambda structure: world.columns)
    get_everything.register(kind, lambda structure: world.columns[-1])
    get_small_parameters.register(kind, lambda structure: world.small)
    return world
