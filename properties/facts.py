"""Facts that nobody thought of: a grammar of comparisons, filtered by walks of the reference.

A claim compares two leaves of the same kind, or a leaf with a number, or says what a flag is. A
fact is a claim by itself or under one guard: a flag, an offset that is known, a count or a code
within bounds. Equality is two comparisons. The grammar is made from the fields of the state; no
path is written down here. ``properties.comparison_grammar`` tells what induction makes of them.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import attrs
from attrs import frozen

from reference.leaves import compute_leaf_sorts, flatten, is_parameter
from reference.machine import record_machine
from reference.parameters import FaultCounts, Parameters
from reference.state import UNKNOWN_OFFSET, Cluster
from reference.structure import Structure
from reference.terms import Sort, Term, constant, leaf, record

NUMBERS_MAX = 9
"""A count or a code that no walk sees above this is compared with each number up to its highest."""


@frozen
class Claim:
    """One comparison: ``low`` is at most ``high``, each a leaf's path or a number."""

    low: str | int
    high: str | int

    @property
    def leaves(self) -> tuple[str, ...]:
        """The paths that it mentions."""
        return tuple(side for side in (self.low, self.high) if isinstance(side, str))

    def __str__(self) -> str:
        return f"{self.low} <= {self.high}"


@frozen
class Fact:
    """A claim, always or under a guard."""

    claim: Claim
    guard: Claim | None = None

    def __str__(self) -> str:
        return f"{self.claim}" if self.guard is None else f"{self.guard} => {self.claim}"


class Grammar:
    """All facts about one structure, and those that none of the given states falsifies."""

    def __init__(self, structure: Structure, states: Iterable[Cluster]) -> None:
        self.structure = structure
        self.sorts = compute_leaf_sorts(structure)
        self.kinds = compute_leaf_kinds(structure)
        self.initial = flatten(structure.make_initial(Parameters()))
        rows = [flatten(cluster) for cluster in states]
        self.columns = {path: [row[path] for row in rows] for path in self.sorts}
        self.states = len(rows)
        changing = set().union(*(r.effects for r in record_machine(structure)))
        self.changing = [path for path in self.sorts if path in changing]

    @cached_property
    def claims(self) -> list[Claim]:
        """Every claim: of pairs, of leaves with numbers, of flags."""
        return [*self._compare_pairs(), *self._compare_with_numbers()]

    @cached_property
    def guards(self) -> list[Claim]:
        """Every claim that may be a guard: it tells cases apart, and needs no second leaf."""
        return [c for c in self._compare_with_numbers() if self._is_guard(c)]

    def list_facts(self) -> Iterator[Fact]:
        """Every fact; no guard mentions a leaf of its claim, no claim under a guard a parameter."""
        yield from (Fact(claim) for claim in self.claims)
        for guard, claim in itertools.product(self.guards, self.claims):
            is_parameter_free = not any(map(is_parameter, claim.leaves))
            if is_parameter_free and not set(guard.leaves) & set(claim.leaves):
                yield Fact(claim, guard)

    def list_survivors(self) -> Iterator[Fact]:
        """The facts that hold in every given state."""
        always = int.from_bytes(bytes([1]) * self.states, "big")
        holds = {claim: self._evaluate(claim) for claim in self.claims}
        for fact in self.list_facts():
            where = always if fact.guard is None else holds[fact.guard]
            if where & ~holds[fact.claim] == 0:
                yield fact

    def record(self, fact: Fact) -> Term:
        """A fact as a term."""
        claim = self._record_claim(fact.claim)
        if fact.guard is None:
            return claim
        return record("or", record("not", self._record_claim(fact.guard)), claim)

    def _compare_pairs(self) -> Iterator[Claim]:
        for low, high in itertools.permutations(self.sorts, 2):
            is_changing = low in self.changing and (high in self.changing or is_parameter(high))
            is_number = self.sorts[low] is Sort.INTEGER
            if is_changing and is_number and self.kinds[low] == self.kinds[high]:
                yield Claim(low, high)

    def _compare_with_numbers(self) -> Iterator[Claim]:
        for path in self.sorts:
            if is_parameter(path):
                continue
            if self.sorts[path] is Sort.BOOLEAN:
                numbers: Iterable[int] = ()
                yield from (Claim(1, path), Claim(path, 0))
            elif self.initial[path] == UNKNOWN_OFFSET:
                numbers = (UNKNOWN_OFFSET, 0)
            else:
                numbers = range(self._find_highest_number(path) + 1)
            for number in numbers:
                yield from (Claim(number, path), Claim(path, number))

    def _find_highest_number(self, path: str) -> int:
        """The highest number that a walk sees in a leaf; 0 where that says nothing of others."""
        is_fault = path.removeprefix("faults.") in attrs.fields_dict(FaultCounts)
        highest = max(self.columns[path])
        is_small = self.kinds[path] in ("Count", "Code") and highest <= NUMBERS_MAX
        return highest if is_small and not is_fault else 0

    def _is_guard(self, claim: Claim) -> bool:
        [path] = claim.leaves
        if path not in self.changing:
            return False
        if self.kinds[path] == "Offset":
            return claim == Claim(0, path) and self.initial[path] == UNKNOWN_OFFSET
        highest = self._find_highest_number(path)
        if self.kinds[path] == "Code":
            return claim not in (Claim(0, path), Claim(path, highest))
        if self.kinds[path] == "Count":
            # Every guard multiplies the grammar: none and at most one tell most cases apart.
            return claim.low == path and claim.high in range(max(1, min(highest, 2)))
        return True

    def _evaluate(self, claim: Claim) -> int:
        """Where the claim holds: one byte per state, in one number."""
        low, high = (
            self.columns[side] if isinstance(side, str) else [side] * self.states
            for side in (claim.low, claim.high)
        )
        return int.from_bytes(bytes(map(operator.le, low, high)), "big")

    def _record_claim(self, claim: Claim) -> Term:
        paths = claim.leaves
        if self.sorts[paths[0]] is Sort.BOOLEAN:
            flag = leaf(paths[0], Sort.BOOLEAN)
            return flag if claim.low == 1 else record("not", flag)
        sides = (
            leaf(side, Sort.INTEGER) if isinstance(side, str) else constant(side)
            for side in (claim.low, claim.high)
        )
        return record("less_equal", *sides)


def compute_leaf_kinds(structure: Structure) -> dict[str, str]:
    """The kind of every leaf: the name of its field's type, for example ``Offset``."""
    return dict(_collect_kinds(structure.make_initial(Parameters()), ""))


def _collect_kinds(value: Any, path: str) -> Iterator[tuple[str, str]]:
    for attribute in attrs.fields(type(value)):
        if attribute.metadata.get("static"):
            continue
        kind = str(attribute.type).removeprefix("tuple[").removesuffix(", ...]")
        content, below = getattr(value, attribute.name), f"{path}{attribute.name}"
        items = [(below, content)]
        if isinstance(content, tuple):
            items = [(f"{below}.{index}", item) for index, item in enumerate(content)]
        for place, item in items:
            if attrs.has(type(item)):
                yield from _collect_kinds(item, f"{place}.")
            else:
                yield place, kind
