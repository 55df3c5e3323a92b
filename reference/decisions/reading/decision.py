"""Decisions as the broker's code makes them: named conditions, checked in order.

A condition is a function; reports use its name. In a *choice* the first condition that holds
decides. In a *sequence* each condition that holds overwrites the value of the one before, so the
last one decides, and a report can show what was overwritten.

Each table has two interpretations. One explains: it takes numbers, and returns the value with the
condition that decided. The other computes: it takes numbers or the terms of a proof, and returns
only the value. Conditions that are to be terms are joined by ``&``, ``|`` and ``negate``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeAlias, TypeVar

from attrs import frozen

from reference.language.operators import choose

Subject = TypeVar("Subject")
Value = TypeVar("Value")


@frozen
class Decided(Generic[Value]):
    """A value, and the name of the condition that decided it."""

    value: Value
    by: str


Case: TypeAlias = tuple[Callable[[Subject], bool], Callable[[Subject], Value]]
"""A condition, and the value that it gives."""


def compute_first(cases: Sequence[Case[Subject, int]], subject: Subject, otherwise: int = 0) -> int:
    """The number given by the first condition that holds; ``otherwise`` if none does.

    For numbers and terms alike; every value is computed, whether its condition holds or not.
    """
    result = otherwise
    for condition, compute in reversed(cases):
        result = choose(condition(subject), compute(subject), result)
    return result


def compute_last(cases: Sequence[Case[Subject, int]], subject: Subject, otherwise: int = 0) -> int:
    """The number written by the last condition that holds; ``otherwise`` if none does.

    For numbers and terms alike; every value is computed, whether its condition holds or not.
    """
    return compute_first(tuple(reversed(cases)), subject, otherwise)


def choose_first(cases: Iterable[Case[Subject, Value]], subject: Subject) -> Decided[Value] | None:
    """The value of the first condition that holds; None if none does."""
    for condition, compute in cases:
        if condition(subject):
            return Decided(compute(subject), condition.__name__)
    return None


def write_in_order(
    cases: Iterable[Case[Subject, Value]], subject: Subject
) -> tuple[Decided[Value], ...]:
    """Every value that is written, in order; the last one stays."""
    return tuple(
        Decided(compute(subject), condition.__name__)
        for condition, compute in cases
        if condition(subject)
    )
