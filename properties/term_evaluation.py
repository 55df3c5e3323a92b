"""Many terms evaluated together: what they share is computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reference.terms import Term, evaluate


def find_false(
    terms: Mapping[str, Term], names: Iterable[str], values: Mapping[str, int | bool]
) -> list[str]:
    """Of the named terms those that are false when the leaves have these values."""
    known: dict[int, int | bool] = {}

    def compute(term: Term) -> int | bool:
        result = known.get(id(term))
        if result is None:
            if term.operator == "leaf":
                result = values[term.payload]
            elif term.operator == "constant":
                result = term.payload
            else:
                result = evaluate(term.operator, *map(compute, term.arguments))
            known[id(term)] = result
        return result

    return [name for name in names if not compute(terms[name])]
