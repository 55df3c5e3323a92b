"""The solved reading: recorded terms as Z3 expressions, over integers or over bit vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import z3

from reference.language.operator_table import Sort
from reference.language.terms import Term, walk


class IntegerArithmetic:
    """Unbounded integers, for proofs about all offsets."""

    def __init__(self) -> None:
        self.remainders = 0
        """The number of remainders with a variable of their own so far."""

    def variable(self, name: str, sort: Sort) -> Any:
        """A free variable."""
        return z3.Bool(name) if sort is Sort.BOOLEAN else z3.Int(name)

    def constant(self, value: int | bool) -> Any:
        """A literal."""
        return z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value)

    def remainder(self, dividend: Any, divisor: Any) -> tuple[Any, Any]:
        """The remainder, and the facts known about it.

        A fresh number from 0 to below the divisor. This allows more than division does, so proofs
        are still sound, and it stays linear if the divisor is symbolic. Also known: the numbers in
        the first file, and that later files begin at one file's length or more. A literal divisor
        needs no such detour.
        """
        if z3.is_int_value(divisor):
            return dividend % divisor, z3.BoolVal(True)
        fresh = z3.Int(f"remainder.{self.remainders}")
        self.remainders += 1
        is_first = z3.Implies(z3.And(dividend >= 0, dividend < divisor), fresh == dividend)
        is_later = z3.Implies(dividend >= divisor, dividend - fresh >= divisor)
        return fresh, z3.And(fresh >= 0, fresh < divisor, is_first, is_later)

    def value(self, model: z3.ModelRef, expression: Any) -> int | bool:
        """The value of an expression in a model; an open one becomes 0 or False."""
        result = model.eval(expression, model_completion=True)
        return bool(z3.is_true(result)) if z3.is_bool(result) else int(result.as_long())


class BitVectorArithmetic(IntegerArithmetic):
    """Signed bit vectors, for bounded search; the caller keeps values far below the width."""

    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.width = width

    def variable(self, name: str, sort: Sort) -> Any:
        """A free variable."""
        return z3.Bool(name) if sort is Sort.BOOLEAN else z3.BitVec(name, self.width)

    def constant(self, value: int | bool) -> Any:
        """A literal; raises OverflowError for one that the width cannot hold."""
        if isinstance(value, bool):
            return z3.BoolVal(value)
        if not -(1 << (self.width - 1)) <= value < 1 << (self.width - 1):
            raise OverflowError(f"{value} does not fit into {self.width} bits")
        return z3.BitVecVal(value, self.width)

    def remainder(self, dividend: Any, divisor: Any) -> tuple[Any, Any]:
        """The remainder of numbers that are not negative."""
        return z3.URem(dividend, divisor), z3.BoolVal(True)

    def value(self, model: z3.ModelRef, expression: Any) -> int | bool:
        """The value of an expression in a model."""
        result = model.eval(expression, model_completion=True)
        return bool(z3.is_true(result)) if z3.is_bool(result) else int(result.as_signed_long())


def conjoin(*formulas: Any) -> Any:
    """The conjunction, like ``z3.And``, which first queries each operand's sort.

    Terms know their sorts, and those queries took a fifth of the time of ``check``.
    """
    return _join(z3.Z3_mk_and, formulas)


def disjoin(*formulas: Any) -> Any:
    """The disjunction, like ``z3.Or``."""
    return _join(z3.Z3_mk_or, formulas)


def _join(make: Callable[..., Any], formulas: Sequence[Any]) -> Any:
    context = z3.main_ctx()
    operands = (z3.Ast * len(formulas))(*[formula.ast for formula in formulas])
    return z3.BoolRef(make(context.ref(), len(formulas), operands), context)


_TRANSLATION: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "minimum": lambda a, b: z3.If(a <= b, a, b),
    "maximum": lambda a, b: z3.If(a <= b, b, a),
    "quotient": lambda a, b: a / b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "equal": lambda a, b: a == b,
    "not": z3.Not,
    "and": conjoin,
    "or": disjoin,
    "choose": z3.If,
    "choose_flag": z3.If,
}


class Translator:
    """Translates terms under one assignment of Z3 expressions to leaves."""

    def __init__(self, arithmetic: IntegerArithmetic, leaves: Mapping[str, Any]) -> None:
        self.arithmetic = arithmetic
        self.leaves = leaves
        self.side_conditions: list[Any] = []
        """The facts about fresh variables; assert them together with a translation."""
        self._done: dict[int, Any] = {}

    def __call__(self, term: Term) -> Any:
        """The Z3 expression for a term; raises KeyError for an operator or leaf not known."""
        if id(term) not in self._done:
            for node in walk([term]):
                if id(node) not in self._done:
                    self._done[id(node)] = self._translate(node)
        return self._done[id(term)]

    def _translate(self, node: Term) -> Any:
        if node.operator == "leaf":
            return self.leaves[node.payload]
        if node.operator == "constant":
            return self.arithmetic.constant(node.payload)
        operands = [self._done[id(a)] for a in node.arguments]
        if node.operator == "remainder":
            result, known = self.arithmetic.remainder(*operands)
            self.side_conditions.append(known)
            return result
        return _TRANSLATION[node.operator](*operands)
