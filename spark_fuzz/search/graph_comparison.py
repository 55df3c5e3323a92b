"""A rule and its mutant compared in every state of a small instance: the first state that differs.

Before that state both have the same states at every depth, so the path to it, and one step more, is
a shortest schedule that distinguishes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from properties.mutants.derivation import RuleMutant, compute_fingerprint, mutate, record_rule
from reference.language.machine import Action, RecordedInstance
from reference.language.terms import Term
from spark_fuzz.search.array_reading import ArrayReading
from spark_fuzz.search.state_graph import RowLayout, StateGraph, compute_enabled, list_steps


@frozen
class StepDifference:
    """The first step that a rule and its mutant do not have in common."""

    number: int
    """The state before it."""
    action: Action
    what: str
    """Who has the step: ``only the rule``, ``only the mutant``, or ``both, to other states``."""


@frozen(eq=False)
class MutatedInstance:
    """One instance of a rule, and the instance with the mistake."""

    true: RecordedInstance
    mutated: RecordedInstance


def list_mutated(layout: RowLayout, mutant: RuleMutant) -> list[MutatedInstance]:
    """Every instance of the mutant's rule, with the parameters filled in."""
    return [
        MutatedInstance(layout.specialise(r), layout.specialise(mutate(r, mutant)))
        for r in record_rule(layout.structure, mutant.rule)
    ]


class GraphComparison:
    """The states of one graph; work for one mutant is reused for the others of its rule."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph
        self.reading = graph.layout.read(graph.rows)

    def forget(self) -> None:
        """Free the computations for the last rule."""
        self.reading.forget()

    def find_difference(self, mutated: list[MutatedInstance]) -> StepDifference | None:
        """The first difference in the order of the states; None if there is none."""
        found = None
        for pair in mutated:
            if compute_fingerprint(pair.true) == compute_fingerprint(pair.mutated):
                continue
            difference = self._compare(pair)
            if difference and (found is None or difference.number < found.number):
                found = difference
        return found

    def _compare(self, pair: MutatedInstance) -> StepDifference | None:
        true, mutated, reading = pair.true, pair.mutated, self.reading
        fires, fires_too = compute_enabled(true, reading), compute_enabled(mutated, reading)
        differs = fires != fires_too
        for _, one, other in _pair_ends(pair):
            if one is not other:
                differs |= fires & fires_too & (reading(one) != reading(other))
        found = [self._describe_guard(pair, fires, number) for number in _find_first(differs)]
        paths = [p for p in true.effects if true.effects[p] is not mutated.effects.get(p)]
        paths += [p for p in mutated.effects if p not in true.effects]
        if paths:
            both = np.flatnonzero(fires & fires_too)
            found += self._compare_effects(pair, paths, both)
        return min(found, key=lambda d: d.number, default=None)

    def _describe_guard(self, pair: MutatedInstance, fires: Any, number: int) -> StepDifference:
        """The step of one state that only one of the two has."""
        low = {name: self._get(one, number) for name, one, _ in _pair_ends(pair, ends=(2,))}
        if fires[number] and compute_enabled(pair.mutated, self._read_one(number))[0]:
            return self._describe_range(pair, low, number)
        who, owner = ("only the rule", pair.true)
        if not fires[number]:
            who, owner = "only the mutant", pair.mutated
            low = {name: self._get(other, number) for name, _, other in _pair_ends(pair, ends=(2,))}
        return StepDifference(number, Action(owner.instance.name, low), who)

    def _describe_range(
        self, pair: MutatedInstance, low: dict[str, int], number: int
    ) -> StepDifference:
        """The argument that only one of the two ranges has."""
        for index in (2, 3):
            for name, one, other in _pair_ends(pair, ends=(index,)):
                values = self._get(one, number), self._get(other, number)
                if values[0] != values[1]:
                    chosen = min(values) if index == 2 else max(values)
                    who = "only the rule" if chosen == values[0] else "only the mutant"
                    action = Action(pair.true.instance.name, {**low, name: chosen})
                    return StepDifference(number, action, who)
        raise AssertionError("the ranges are the same")

    def _compare_effects(
        self, pair: MutatedInstance, paths: list[str], sources: Any
    ) -> list[StepDifference]:
        """The first step that both have, and that leads to other states."""
        steps = list_steps(pair.true, self.reading, sources)
        rows, arguments = self.graph.rows, steps.arguments
        reading = self.reading
        if arguments:
            reading = self.graph.layout.read(rows[steps.sources], arguments)
        else:
            rows = rows[: self.reading.count]
        differs = np.zeros(len(steps.sources), bool)
        for path in paths:
            one, other = (self._read_effect(r, path, reading) for r in (pair.true, pair.mutated))
            unequal = one != other
            differs |= unequal if arguments else unequal[steps.sources]
        return [
            StepDifference(
                int(steps.sources[i]),
                Action(pair.true.instance.name, {n: int(c[i]) for n, c in arguments.items()}),
                "both, to other states",
            )
            for i in _find_first(differs)
        ]

    def _read_effect(self, recorded: RecordedInstance, path: str, reading: ArrayReading) -> Any:
        term = recorded.effects.get(path)
        return reading.columns(path) if term is None else reading(term)

    def _get(self, term: Term, number: int) -> int:
        return int(self.reading(term)[number])

    def _read_one(self, number: int) -> ArrayReading:
        return self.graph.layout.read(self.graph.rows[number : number + 1])


def _pair_ends(
    pair: MutatedInstance, ends: tuple[int, ...] = (2, 3)
) -> list[tuple[str, Term, Term]]:
    """Each argument with the true and the mutated end of its range; 2: low, 3: high."""
    return [
        (one[0], one[end], other[end])  # type: ignore[misc]
        for one, other in zip(pair.true.arguments, pair.mutated.arguments, strict=True)
        for end in ends
    ]


def _find_first(differs: Any) -> list[int]:
    """The first true place, or nothing."""
    first = int(np.argmax(differs)) if len(differs) else 0
    return [first] if len(differs) and differs[first] else []
