"""The recorder: it keeps meaning, shares equal terms, and refuses what would lose meaning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.language import operators as op
from reference.language.operator_table import OPERATORS, Sort
from reference.language.terms import (
    TermError,
    constant,
    evaluate,
    leaf,
    record,
    specialise,
    substitute,
)

X, Y = leaf("x", Sort.INTEGER), leaf("y", Sort.INTEGER)
P, Q = leaf("p", Sort.BOOLEAN), leaf("q", Sort.BOOLEAN)


def integers() -> st.SearchStrategy[Any]:
    """Integer terms over x and y."""
    base = st.one_of(st.sampled_from([X, Y]), st.integers(-5, 5).map(constant))
    return st.recursive(
        base,
        lambda inner: st.builds(
            record, st.sampled_from(["add", "subtract", "minimum", "maximum"]), inner, inner
        ),
        max_leaves=8,
    )


@given(integers(), integers(), st.integers(-9, 9), st.integers(-9, 9))
def test_substitution_agrees_with_arithmetic(a: Any, b: Any, x: int, y: int) -> None:
    """A recorded operation means what the operation means."""
    values = {"x": x, "y": y}
    left, right = substitute(a, values), substitute(b, values)
    assert left + right == substitute(a + b, values)
    assert (left <= right) == substitute(a <= b, values)
    assert min(left, right) == substitute(op.minimum(a, b), values)
    assert (left if left < right else right) == substitute(op.choose(a < b, a, b), values)


@given(integers(), st.integers(-9, 9), st.integers(-9, 9))
def test_specialising_agrees_with_substitution(a: Any, x: int, y: int) -> None:
    """Replacing some leaves first makes no difference."""
    assert substitute(a, {"x": x, "y": y}) == substitute(specialise(a, {"x": x}), {"y": y})


def test_equal_terms_are_one_object() -> None:
    """Terms are shared."""
    assert (X + Y) is (X + Y)
    assert (X <= Y) is (Y >= X)


@pytest.mark.parametrize(
    "accident",
    [
        lambda: bool(X <= Y),
        lambda: min(X, Y),
        lambda: X == Y and Y == X,
        lambda: X if P else Y,  # type: ignore[truthy-bool]
        lambda: not P,
        lambda: ~P,
        lambda: P + X,
        lambda: X & Y,
        lambda: op.choose(X, 1, 0),  # type: ignore[arg-type]
        lambda: X + 1.5,
    ],
)
def test_accidents_fail_loudly(accident: Any) -> None:
    """What would silently mean something else raises."""
    with pytest.raises(TermError):
        accident()


def test_static_conditions_vanish() -> None:
    """Constants fold away, so that a structure leaves no dead conditions behind."""
    assert op.all_of(True, P) is P  # type: ignore[comparison-overlap]
    assert op.any_of(True, P) is constant(True)  # type: ignore[comparison-overlap]
    assert op.choose(True, X, Y) is X  # type: ignore[type-var]
    assert op.negate(op.negate(P)) is P  # type: ignore[arg-type]


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_has_a_meaning(operator: str) -> None:
    """Each operator can be evaluated, and its result has its sort."""
    sorts, result = OPERATORS[operator].sorts, OPERATORS[operator].result
    answer = evaluate(operator, *(True if s is Sort.BOOLEAN else 3 for s in sorts))
    assert isinstance(answer, bool) == (result is Sort.BOOLEAN)


def test_numbers_stay_numbers() -> None:
    """On numbers the operations compute at once."""
    assert op.minimum(3, 1, 2) == 1
    assert op.count_true(True, False, True) == 2
    assert op.choose(False, 1, 2) == 2
    assert op.quotient(7, 2) == 3
    assert op.remainder(7, 2) == 1


def test_a_term_that_shares_much_is_written_part_by_part() -> None:
    """Its length is that of the parts; equal terms are written alike, others differently."""
    longest, other = X, Y
    for _ in range(200):
        longest, other = record("add", longest, longest), record("add", other, other)
    assert repr(longest).splitlines()[0] == "#1 = add(x, x)"
    assert len(repr(longest).splitlines()) == 200
    assert repr(longest) != repr(other)
