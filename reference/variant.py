"""Variants: what a version or a repair does differently from RocketMQ 4.4.0, and nothing else.

A variant overrides rules and named conditions by their names, and may add rules. Everything that it
does not mention stays as it is, so a reader sees the difference only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

from attrs import field, frozen

from reference.release import Span
from reference.rule import RULES, Rule
from reference.structure import Structure
from reference.world import get_rules

Function = TypeVar("Function", bound=Callable[..., Any])


@frozen(eq=False)
class Variant:
    """One difference from RocketMQ 4.4.0; each has a module of its own in `reference.variants`."""

    name: str
    """Its public identifier, and the name of its module."""
    sentence: str
    """What it does, in one sentence."""
    comes_from: str
    """The release, proposal or pull request that does it, or that nobody does: our own idea."""
    rules: dict[str, Rule] = field(factory=dict)
    """The rules that it overrides or adds, by name."""
    conditions: dict[str, Callable[..., Any]] = field(factory=dict)
    """The named conditions and computations that it overrides, by name."""
    removes: tuple[str, ...] = ()
    """The rules that it takes away."""
    endless: tuple[str, ...] = ()
    """Rules that a group which is left in peace may take for ever, in certain states."""
    span: Span | None = None
    """The releases that have it; None for a repair that no release has as it stands here."""

    def __attrs_post_init__(self) -> None:
        VARIANTS[self.name] = self

    def override(self, function: Function) -> Function:
        """Decorator: use this function in place of the ``overridable`` one of the same name."""
        self.conditions[function.__name__] = function
        return function


VARIANTS: dict[str, Variant] = {}
"""Every variant by name."""


RULE_SETS: dict[str, tuple[Variant, ...]] = {}
"""The changes of a release, by the name of the first release and mode that have just these; filled
by ``reference.version``. A structure names one like a variant."""


@cache
def expand(names: tuple[str, ...]) -> tuple[Variant, ...]:
    """The variants of these names, those of a release one by one; the first of two wins.

    Raises KeyError for a name that is no variant's.
    """
    return tuple(
        variant
        for name in names
        for variant in (RULE_SETS[name] if name in RULE_SETS else (VARIANTS[name],))
    )


def overridable(function: Function) -> Function:
    """Decorator of a condition over a cluster that a variant may define anew."""

    @wraps(function)
    def choose_by_variant(cluster: Any, *others: Any) -> Any:
        for variant in expand(cluster.structure.variants):
            if function.__name__ in variant.conditions:
                return variant.conditions[function.__name__](cluster, *others)
        return function(cluster, *others)

    return choose_by_variant  # type: ignore[return-value]


def compute_rules(variants: tuple[str, ...]) -> dict[str, Rule]:
    """The rules under some variants: 4.4.0's in their order, then those that are added.

    Where two variants override the same rule, the one named first counts. Raises KeyError for a
    name that is no variant's.
    """
    rules = dict(RULES)
    for variant in reversed(expand(variants)):
        for name in variant.removes:
            rules.pop(name, None)
        rules.update(variant.rules)
    return rules


@get_rules.register
def _(structure: Structure) -> dict[str, Rule]:
    return compute_rules(structure.variants)
