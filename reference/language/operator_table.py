"""The operators of terms, a row each: sorts, meaning, and how each language spells it.

Z3 and NumPy have functions instead of texts, in ``properties/z3/translation.py``, ``intervals.py``
and ``spark_fuzz/search/array_reading.py``; a test finds an operator that one of them lacks. SMT-LIB
is what Z3 prints.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen


class Sort(enum.Enum):
    """The two sorts of values."""

    INTEGER = "integer"
    BOOLEAN = "boolean"


@frozen
class Operator:
    """An operator that every interpretation of terms must know.

    A text has a place for each operand, in order.
    """

    name: str
    sorts: tuple[Sort, ...]
    """Of the operands."""
    result: Sort
    meaning: Callable[..., Any]
    """On numbers and truth values: every other reading must agree with it."""
    python: str
    c: str
    """Of one state. A truth value is 0 or 1."""
    c_lanes: str
    """Of many states at once, a lane each. A truth value is 0 or -1."""
    javascript: str
    promela: str
    tla: str


N, B = Sort.INTEGER, Sort.BOOLEAN

_ROWS = (
    Operator(
        "add",
        (N, N),
        N,
        lambda a, b: a + b,
        python="({} + {})",
        c="({} + {})",
        c_lanes="({} + {})",
        javascript="({} + {})",
        promela="({} + {})",
        tla="({} + {})",
    ),
    Operator(
        "subtract",
        (N, N),
        N,
        lambda a, b: a - b,
        python="({} - {})",
        c="({} - {})",
        c_lanes="({} - {})",
        javascript="({} - {})",
        promela="({} - {})",
        tla="({} - {})",
    ),
    Operator(
        "minimum",
        (N, N),
        N,
        min,
        python="min({}, {})",
        c="minimum_of({}, {})",
        c_lanes="minimum({}, {})",
        javascript="minimum({}, {})",
        promela="minimum({}, {})",
        tla="Min({}, {})",
    ),
    Operator(
        "maximum",
        (N, N),
        N,
        max,
        python="max({}, {})",
        c="maximum_of({}, {})",
        c_lanes="maximum({}, {})",
        javascript="maximum({}, {})",
        promela="maximum({}, {})",
        tla="Max({}, {})",
    ),
    Operator(
        "quotient",
        (N, N),
        N,
        lambda a, b: a // b,
        python="({} // {})",
        c="quotient_of({}, {})",
        c_lanes="quotient({}, {})",
        javascript="quotient({}, {})",
        promela="({} / {})",
        tla="({} \\div {})",
    ),
    Operator(
        "remainder",
        (N, N),
        N,
        lambda a, b: a % b,
        python="({} % {})",
        c="modulo_of({}, {})",
        c_lanes="modulo({}, {})",
        javascript="remainder({}, {})",
        promela="({} % {})",
        tla="({} % {})",
    ),
    Operator(
        "less",
        (N, N),
        B,
        lambda a, b: a < b,
        python="({} < {})",
        c="({} < {})",
        c_lanes="({} < {})",
        javascript="({} < {})",
        promela="({} < {})",
        tla="({} < {})",
    ),
    Operator(
        "less_equal",
        (N, N),
        B,
        lambda a, b: a <= b,
        python="({} <= {})",
        c="({} <= {})",
        c_lanes="({} <= {})",
        javascript="({} <= {})",
        promela="({} <= {})",
        tla="({} <= {})",
    ),
    Operator(
        "equal",
        (N, N),
        B,
        lambda a, b: a == b,
        python="({} == {})",
        c="({} == {})",
        c_lanes="({} == {})",
        javascript="({} === {})",
        promela="({} == {})",
        tla="({} = {})",
    ),
    Operator(
        "not",
        (B,),
        B,
        lambda a: not a,
        python="(not {})",
        c="(!{})",
        c_lanes="(~{})",
        javascript="!{}",
        promela="!{}",
        tla="~{}",
    ),
    Operator(
        "and",
        (B, B),
        B,
        lambda a, b: a and b,
        python="({} and {})",
        c="({} & {})",
        c_lanes="({} & {})",
        javascript="({} && {})",
        promela="({} && {})",
        tla="({} /\\ {})",
    ),
    Operator(
        "or",
        (B, B),
        B,
        lambda a, b: a or b,
        python="({} or {})",
        c="({} | {})",
        c_lanes="({} | {})",
        javascript="({} || {})",
        promela="({} || {})",
        tla="({} \\/ {})",
    ),
    Operator(
        "choose",
        (B, N, N),
        N,
        lambda c, a, b: a if c else b,
        python="({1} if {0} else {2})",
        c="({} ? {} : {})",
        c_lanes="either({}, {}, {})",
        javascript="({} ? {} : {})",
        promela="({} -> {} : {})",
        tla="(IF {} THEN {} ELSE {})",
    ),
    Operator(
        "choose_flag",
        (B, B, B),
        B,
        lambda c, a, b: a if c else b,
        python="({1} if {0} else {2})",
        c="({} ? {} : {})",
        c_lanes="either({}, {}, {})",
        javascript="({} ? {} : {})",
        promela="({} -> {} : {})",
        tla="(IF {} THEN {} ELSE {})",
    ),
)

OPERATORS: Mapping[str, Operator] = {row.name: row for row in _ROWS}
"""Every operator by its name. A division is by a positive number only."""


def spell(language: str) -> dict[str, str]:
    """The texts of all operators in a language, by the name of its field."""
    return {name: getattr(operator, language) for name, operator in OPERATORS.items()}
