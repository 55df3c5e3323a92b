"""Interval arithmetic: the bounds of a term for given bounds of its leaves.

Coarse, and never too narrow: two occurrences of one leaf count as two leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from properties.schedules.possible_steps import LOWEST, PossibleStep, Values
from reference.language.terms import Term, walk

Interval: TypeAlias = tuple[int, int]
"""The lowest and the highest value, both included; 0 and 1 for truth values."""

TRUTH: Interval = (0, 1)

_BOUNDS: dict[str, Callable[..., Interval]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "subtract": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "minimum": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "maximum": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "quotient": lambda a, b: (min(0, a[0]), a[1]),
    "remainder": lambda a, b: (0, max(0, b[1] - 1)),
    "choose": lambda c, a, b: (min(a[0], b[0]), max(a[1], b[1])),
}


def compute_interval(term: Term, leaves: Mapping[str, Interval]) -> Interval:
    """The interval of a term; raises KeyError for a leaf that is not given."""
    found: dict[int, Interval] = {}
    for node in walk([term]):
        if node.operator == "constant":
            found[id(node)] = int(node.payload), int(node.payload)
        elif node.operator == "leaf":
            found[id(node)] = leaves[node.payload]
        else:
            operands = (found[id(a)] for a in node.arguments)
            bounds = _BOUNDS.get(node.operator)
            found[id(node)] = bounds(*operands) if bounds else TRUTH
    return found[id(term)]


def compute_argument_intervals(
    step: PossibleStep, leaves: Mapping[str, Interval]
) -> dict[str, Interval]:
    """The values that the arguments of a step may have, by the paths of their leaves."""
    triples = zip(step.ranges[::3], step.ranges[1::3], step.ranges[2::3], strict=True)
    return {
        argument.payload: (compute_interval(low, leaves)[0], compute_interval(high, leaves)[1])
        for argument, low, high in triples
    }


def compute_leaf_intervals(
    steps: Iterable[PossibleStep], initial: Values, highest: int
) -> dict[str, Interval]:
    """The values that each leaf may take, from its initial one on, whatever the conditions say.

    No computed number is assumed to be below LOWEST or above ``highest``: conditions ensure that,
    and they are not examined here. A bound is only as good as these two; its user must check it.
    """
    found: dict[str, Interval] = {path: (int(v), int(v)) for path, v in initial.items()}
    before: dict[str, Interval] = {}
    known = list(steps)
    while before != found:
        before = dict(found)
        for step in known:
            leaves = {**found, **compute_argument_intervals(step, found)}
            for path, effect in step.effects.items():
                low, high = compute_interval(effect, leaves)
                one = found[path]
                found[path] = max(LOWEST, min(one[0], low)), min(highest, max(one[1], high))
    return found
