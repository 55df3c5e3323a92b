"""Variants: the differences of a release or a repair from RocketMQ 4.4.0, and nothing else.

A variant overrides rules and named conditions by their names, and may add rules. Everything that it
does not mention stays as it is, so a reader sees only the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from attrs import field, frozen

from reference.language.rule import Rule
from reference.releases.releases import Span

Function = TypeVar("Function", bound=Callable[..., Any])


@frozen(eq=False)
class Variant:
    """One difference from RocketMQ 4.4.0; each has a module of its own in `changes`."""

    name: str
    """Its public identifier, and the name of its module."""
    sentence: str
    """What it does, in one sentence."""
    comes_from: str
    """The release, proposal or pull request that does it, or our own idea."""
    rules: dict[str, Rule] = field(factory=dict)
    """The rules that it overrides or adds, by name."""
    conditions: dict[str, Callable[..., Any]] = field(factory=dict)
    """The named conditions and computations that it overrides, by name."""
    removes: tuple[str, ...] = ()
    """The rules that it removes."""
    endless: tuple[str, ...] = ()
    """Rules that a group may take for ever in certain states, even once faults stop."""
    unawaited: tuple[str, ...] = ()
    """Rules whose steps may never be taken, even once faults stop: rest does not wait for them."""
    span: Span | None = None
    """The releases that have it; None for a repair that no release has in this form."""
    is_setting: bool = False
    """Settings of brokers decide it, and no release has it by itself."""
    on: str = ""
    """The release, with its mode, that it repairs or is a setting of; empty for 4.4.0."""

    def override(self, function: Function) -> Function:
        """Decorator: use this function instead of the ``overridable`` one of the same name."""
        self.conditions[function.__name__] = function
        return function


def overridable(function: Function) -> Function:
    """Decorator of a condition over a cluster that a variant may redefine."""

    @wraps(function)
    def choose_by_variant(cluster: Any, *others: Any) -> Any:
        for variant in cluster.structure.changes:
            if function.__name__ in variant.conditions:
                return variant.conditions[function.__name__](cluster, *others)
        return function(cluster, *others)

    return choose_by_variant  # type: ignore[return-value]
