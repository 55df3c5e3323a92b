"""What no sequence of permitted steps can bring: the goals that a search need not look for.

Each leaf has the values that it may come to have: a few, or all between two bounds. An instance
adds what its effects make of such values, once its conditions may hold for some of them. What
belongs together in one state is torn apart here, so a goal may be out of reach that counts as
reachable; one that counts as out of reach is.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from attrs import define, field

from reference.language.compiled import CompiledMachine, State
from reference.language.machine import ARGUMENT_PREFIX, RecordedInstance
from reference.language.terms import Term

Values: TypeAlias = frozenset[Any] | tuple[float, float]
"""These values; or all from the lowest to the highest, both included."""

FEW = 8
"""Up to how many values are told apart."""

ROUNDS_MAX = 6
"""After how many rounds a bound that still moves counts as none."""

ANY = (-math.inf, math.inf)
NONE: Values = frozenset()

PLAIN: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "minimum": min,
    "maximum": max,
    "quotient": operator.floordiv,
    "remainder": operator.mod,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not": operator.not_,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}
"""Operators on single values."""


COMPARISONS = ("less", "less_equal", "equal")


@define(eq=False)
class Reach:
    """What the leaves may come to be from one state on."""

    machine: CompiledMachine
    may_change: Callable[[str, str], bool]
    """Whether an instance may fire and change a leaf, by its path; without a path: may fire."""
    leaves: dict[str, Values]
    """By path; arguments of the same name, whichever instance has them, count as one leaf."""
    known: dict[int, Values] = field(init=False, factory=dict)
    """By the identity of a term: its values in this round."""
    is_new: bool = field(init=False, default=True)
    """This round has added something."""

    @classmethod
    def of(
        cls, machine: CompiledMachine, state: State, may_change: Callable[[str, str], bool]
    ) -> Reach:
        """What may come of a state."""
        reach = cls(
            machine, may_change, {p: frozenset((state[i],)) for p, i in machine.places.items()}
        )
        reach.run()
        return reach

    def can_become(self, path: str, wanted: int) -> bool:
        """A leaf may come to have this value."""
        return contains(self.leaves[path], wanted)

    def run(self) -> None:
        """Lets all instances fire until nothing is added any more."""
        waiting = [
            each.recorded for n, each in self.machine.instances.items() if self.may_change(n, "")
        ]
        rounds = 0
        while self.is_new:
            rounds, self.is_new, self.known = rounds + 1, False, {}
            for recorded in waiting:
                self.fire(recorded, is_widened=rounds > ROUNDS_MAX)

    def fire(self, recorded: RecordedInstance, *, is_widened: bool) -> None:
        """Adds what an instance may bring, if each of its conditions may hold."""
        for argument, _, low, high in recorded.arguments:
            ends = find_bounds(self.find(low))[0], find_bounds(self.find(high))[1]
            self.add(f"{ARGUMENT_PREFIX}{argument}", ends, is_widened=is_widened)
        if not all(contains(self.find(term), True) for term in recorded.conditions.values()):
            return
        for path, term in recorded.effects.items():
            if self.may_change(recorded.instance.name, path):
                self.add(path, self.find(term), is_widened=is_widened)

    def add(self, path: str, values: Values, *, is_widened: bool) -> None:
        """More values of a leaf; with ``is_widened`` a bound that moves is none any more."""
        old = self.leaves.get(path, NONE)
        new = join(old, values)
        if new == old:
            return
        if is_widened and isinstance(new, tuple):
            low, high = find_bounds(old)
            new = (new[0] if new[0] >= low else -math.inf, new[1] if new[1] <= high else math.inf)
        self.leaves[path], self.is_new = new, True

    def find(self, term: Term) -> Values:
        """The values that a term may have."""
        found = self.known.get(id(term))
        if found is None:
            found = self.known[id(term)] = self.compute(term)
        return found

    def compute(self, term: Term) -> Values:
        """The same, not found before in this round."""
        if term.operator == "constant":
            return frozenset((term.payload,))
        if term.operator == "leaf":
            return self.leaves.get(term.payload, NONE)
        if term.operator.startswith("choose"):
            condition, yes, no = term.arguments
            told = self.find(condition)
            chosen = self.find(yes) if contains(told, True) else NONE
            return join(chosen, self.find(no)) if contains(told, False) else chosen
        parts = [self.find(each) for each in term.arguments]
        if NONE in parts:
            return NONE
        sets = [each for each in parts if isinstance(each, frozenset)]
        if len(sets) == len(parts) and math.prod(map(len, sets)) <= FEW * FEW:
            plain = PLAIN[term.operator]
            return gather(plain(*each) for each in itertools.product(*sets))
        return compute_bounds(term.operator, *(find_bounds(each) for each in parts))


def contains(values: Values, wanted: float) -> bool:
    """A value is among these."""
    if isinstance(values, frozenset):
        return wanted in values
    return values[0] <= wanted <= values[1]


def gather(found: Iterable[Any]) -> Values:
    """These values, or all between their bounds where they are many."""
    values = frozenset(found)
    return values if len(values) <= FEW else (min(values), max(values))


def join(one: Values, other: Values) -> Values:
    """The values of both."""
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one if other <= one else gather(one | other)
    if NONE in (one, other):
        return other if one == NONE else one
    (low, high), (lower, higher) = find_bounds(one), find_bounds(other)
    return min(low, lower), max(high, higher)


def find_bounds(values: Values) -> tuple[float, float]:
    """The lowest and the highest; of none: bounds that nothing is between."""
    if isinstance(values, frozenset):
        return (min(values), max(values)) if values else (math.inf, -math.inf)
    return values


def compute_bounds(name: str, one: tuple[float, float], other: tuple[float, float]) -> Values:
    """What an operator makes of all numbers between bounds."""
    (low, high), (lower, higher) = one, other
    if name in COMPARISONS:
        return compare_bounds(name, one, other)
    simple: Mapping[str, tuple[float, float]] = {
        "add": (low + lower, high + higher),
        "subtract": (low - higher, high - lower),
        "minimum": (min(low, lower), min(high, higher)),
        "maximum": (max(low, lower), max(high, higher)),
    }
    return simple.get(name, ANY)


def compare_bounds(name: str, one: tuple[float, float], other: tuple[float, float]) -> Values:
    """What a comparison may say of numbers between bounds."""
    (low, high), (lower, higher) = one, other
    may_hold = {"less": low < higher, "less_equal": low <= higher}
    may_fail = {"less": high >= lower, "less_equal": high > lower}
    is_apart = high < lower or higher < low
    is_fixed = low == high == lower == higher
    found = (may_fail.get(name, not is_fixed), may_hold.get(name, not is_apart))
    return frozenset(value for value, may_be in zip((False, True), found, strict=True) if may_be)
