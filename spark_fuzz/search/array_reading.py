"""Terms over many states at once: each term becomes a column of numbers.

No compiler is needed, so a short-lived rule, such as a mutant, costs nothing to prepare. A column
is computed once; terms are hash-consed, so a changed rule shares all unchanged parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reference.language.terms import Term, walk

Columns = Callable[[str], Any]
"""The column of a leaf by its path."""

_MEANING: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "quotient": np.floor_divide,
    "remainder": np.remainder,
    "less": np.less,
    "less_equal": np.less_equal,
    "equal": np.equal,
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
    "choose": np.where,
    "choose_flag": np.where,
}

NUMBER = np.int16
"""Wide enough for small instances."""


class ArrayReading:
    """Terms over the states whose leaves have these columns."""

    def __init__(self, columns: Columns, count: int) -> None:
        self.columns = columns
        self.count = count
        self._done: dict[int, Any] = {}

    def __call__(self, term: Term) -> Any:
        """The column of a term; raises KeyError for an operator or leaf that is not known."""
        if id(term) not in self._done:
            for node in walk([term]):
                if id(node) not in self._done:
                    self._done[id(node)] = self._compute(node)
        return np.broadcast_to(self._done[id(term)], self.count)

    def _compute(self, node: Term) -> Any:
        if node.operator == "leaf":
            return self.columns(node.payload)
        if node.operator == "constant":
            is_flag = isinstance(node.payload, bool)
            return np.bool_(node.payload) if is_flag else NUMBER(node.payload)
        return _MEANING[node.operator](*(self._done[id(a)] for a in node.arguments))

    def forget(self) -> None:
        """Free the columns that were computed."""
        self._done.clear()
