"""The steps of a rule and of its mutant as formulas: where one has a step that the other lacks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import z3

from properties.z3.induction import InductionProblem
from properties.z3.translation import Translator
from reference.language.machine import RecordedInstance
from reference.language.terms import Sort, Term, leaf, record, walk

Arguments = Mapping[str, Term]
"""What is put in place of each argument of a rule."""


class StepComparison:
    """One instance of a rule, and the same with a mistake.

    Both are translated together, so that a remainder that both have is the same number.
    """

    def __init__(
        self, problem: InductionProblem, true: RecordedInstance, mutated: RecordedInstance
    ) -> None:
        self.true, self.mutated = true, mutated
        leaves = dict(problem.variables)
        for name, *_ in true.arguments:
            path = f"argument.{name}"
            leaves[path] = problem.arithmetic.variable(path, Sort.INTEGER)
        self.now = Translator(problem.arithmetic, leaves)
        self.given = {name: argument for name, argument, *_ in true.arguments}
        fires, fires_too = (self._compute_guard(r, self.given) for r in (true, mutated))
        same = self._lead_to_the_same(true, self.given, mutated, self.given)
        self.is_other_step = z3.Or(fires != fires_too, z3.And(fires, z3.Not(same)))
        """One of the two has a step that the other lacks."""
        self.is_other_successor = z3.Or(
            self._is_beyond(true, mutated), self._is_beyond(mutated, true)
        )
        """The same, and neither does the step change nothing, nor has the other one of its steps
        to the same state: with these arguments, or with the lowest or highest ones."""

    def _is_beyond(self, one: RecordedInstance, other: RecordedInstance) -> Any:
        """``one`` has a step to a state to which ``other`` is not seen to have one."""
        ends = [(leaf_, low, high) for _, leaf_, low, high in other.arguments]
        reached = [
            z3.And(
                self._compute_guard(other, dict(zip(self.given, chosen, strict=True))),
                self._lead_to_the_same(
                    one, self.given, other, dict(zip(self.given, chosen, strict=True))
                ),
            )
            for chosen in itertools.product(*ends)
        ]
        changes = [
            self._get(one, p, self.given) != self.now(leaf(p, t.sort))
            for p, t in one.effects.items()
        ]
        fires = self._compute_guard(one, self.given)
        return z3.And(fires, z3.Or(changes), z3.Not(z3.Or(reached)))

    def _compute_guard(self, recorded: RecordedInstance, chosen: Arguments) -> Any:
        """The instance may fire with these arguments."""
        conditions = [self.now(c) for c in recorded.conditions.values()]
        ranges = [
            z3.And(self.now(low) <= self.now(chosen[n]), self.now(chosen[n]) <= self.now(high))
            for n, _, low, high in recorded.arguments
        ]
        return z3.And([*conditions, *ranges])

    def _lead_to_the_same(
        self, one: RecordedInstance, chosen: Arguments, other: RecordedInstance, others: Arguments
    ) -> Any:
        """Both effects, each with its arguments, make the same state."""
        return z3.And(
            [
                self._get(one, path, chosen) == self._get(other, path, others)
                for path in {**one.effects, **other.effects}
            ]
        )

    def _get(self, recorded: RecordedInstance, path: str, chosen: Arguments) -> Any:
        """What a leaf is after the step with these arguments."""
        if path not in recorded.effects:
            return self.now.leaves[path]
        return self.now(replace_arguments(recorded.effects[path], chosen))


def replace_arguments(term: Term, chosen: Arguments) -> Term:
    """The term with other terms in place of the arguments."""
    results: dict[int, Term] = {}
    for node in walk([term]):
        if node.arguments:
            results[id(node)] = record(node.operator, *(results[id(a)] for a in node.arguments))
        elif node.operator == "leaf" and node.payload.startswith("argument."):
            results[id(node)] = chosen[node.payload.removeprefix("argument.")]
        else:
            results[id(node)] = node
    return results[id(term)]
