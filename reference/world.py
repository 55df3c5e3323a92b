"""Worlds: state machines of their own that share the engines.

A world is known by the class of its structures. It has states made of leaves, rules, and a number
of things for each index of a rule. Recorder, prover, search and walks ask for these here, and know
nothing else of a world; a new world registers its answers for the class of its structures.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, ClassVar

from reference.rule import Rule


class Pair:
    """What structures of the other worlds have in common: two brokers, and no variants."""

    __slots__ = ()

    slaves: ClassVar[int] = 1
    """A master has one slave."""
    variants: ClassVar[tuple[str, ...]] = ()
    """Other forms of such a world are structures of their own."""


@singledispatch
def make_initial(structure: Any, parameters: Any) -> Any:
    """The first state of a structure with these parameters.

    Raises TypeError for a structure of an unknown world.
    """
    raise TypeError(f"{type(structure).__name__} belongs to no world")


@singledispatch
def make_template(structure: Any) -> Any:
    """The first state with the usual parameters. Raises TypeError."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")


@singledispatch
def get_rules(structure: Any) -> Mapping[str, Rule]:
    """The rules of a structure's world, by name and in order. Raises TypeError."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")


def make_registry(kind: type) -> dict[str, Rule]:
    """An empty registry, which is the one that ``get_rules`` has for structures of this class."""
    rules: dict[str, Rule] = {}
    get_rules.register(kind, lambda structure: rules)
    return rules


@singledispatch
def count_indexes(structure: Any) -> Mapping[str, int]:
    """How many of each index there are: slaves, followed messages. Raises TypeError."""
    raise TypeError(f"{type(structure).__name__} belongs to no world")
