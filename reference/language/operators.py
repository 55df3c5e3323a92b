"""The vocabulary of rules: operations that work on numbers and on recorded terms alike.

For the type checker a rule is a program over ``int`` and ``bool``; recorded terms imitate both.
"""

from __future__ import annotations

from typing import Any, TypeVar

from reference.language.operator_table import Sort
from reference.language.terms import Term, evaluate, record

Leaf = TypeVar("Leaf", int, bool)


def choose(condition: bool, when_true: Leaf, when_false: Leaf) -> Leaf:
    """``when_true`` if the condition holds, else ``when_false``; both are always computed."""
    if not isinstance(condition, Term):
        return when_true if condition else when_false
    is_flag = _is_flag(when_true) or _is_flag(when_false)
    operator = "choose_flag" if is_flag else "choose"
    result: Any = record(operator, condition, when_true, when_false)
    return result


def negate(condition: bool) -> bool:
    """The opposite of a condition (``not`` would evaluate a term as a Python truth value)."""
    if not isinstance(condition, Term):
        return not condition
    result: Any = record("not", condition)
    return result


def all_of(*conditions: bool) -> bool:
    """True when every condition holds; true for none."""
    result = True
    for condition in conditions:
        result = result & condition
    return result


def any_of(*conditions: bool) -> bool:
    """True when at least one condition holds; false for none."""
    result = False
    for condition in conditions:
        result = result | condition
    return result


def implies(premise: bool, conclusion: bool) -> bool:
    """The conclusion holds whenever the premise does."""
    return negate(premise) | conclusion


def is_same(one: bool, other: bool) -> bool:
    """Both conditions hold, or neither does."""
    return implies(one, other) & implies(other, one)


def minimum(first: int, *others: int) -> int:
    """The smallest of the numbers."""
    result = first
    for other in others:
        is_recorded = isinstance(result, Term) or isinstance(other, Term)
        result = record("minimum", result, other) if is_recorded else min(result, other)  # type: ignore[assignment]
    return result


def maximum(first: int, *others: int) -> int:
    """The largest of the numbers."""
    result = first
    for other in others:
        is_recorded = isinstance(result, Term) or isinstance(other, Term)
        result = record("maximum", result, other) if is_recorded else max(result, other)  # type: ignore[assignment]
    return result


def quotient(dividend: int, divisor: int) -> int:
    """Integer division of a non-negative number by a positive one."""
    result: int = _apply("quotient", dividend, divisor)
    return result


def remainder(dividend: int, divisor: int) -> int:
    """The remainder of integer division of a non-negative number by a positive one."""
    result: int = _apply("remainder", dividend, divisor)
    return result


def count_true(*conditions: bool) -> int:
    """How many of the conditions hold."""
    result = 0
    for condition in conditions:
        result = result + choose(condition, 1, 0)
    return result


def _apply(operator: str, *operands: Any) -> Any:
    if any(isinstance(operand, Term) for operand in operands):
        return record(operator, *operands)
    return evaluate(operator, *operands)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Term) and value.sort is Sort.BOOLEAN)
