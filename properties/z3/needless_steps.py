"""Steps that no shortest refutation needs: proved by postponing them, one step at a time.

A step is *needless* if each later step is possible without it too, and then either hides what it
did or can change places with it; and if the claim, violated after it, is violated without it as
well, or after another step that does the same. The last such step of a schedule can then be
postponed until it is hidden or last, and left out or replaced. What is left refutes still, is not
longer, and has one such step less.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import z3

from properties.schedules.possible_steps import find_access
from properties.z3.bounded_search import BoundedSearch
from properties.z3.induction import SolverGaveUpError
from properties.z3.translation import IntegerArithmetic, Translator
from reference.language.machine import RecordedInstance
from reference.language.terms import Term, specialise

State = Mapping[str, Any]


class Postponement:
    """One step of a search, and the other steps that it may be postponed behind."""

    def __init__(
        self, search: BoundedSearch, step: RecordedInstance, others: Collection[RecordedInstance]
    ) -> None:
        self.search = search
        self.step = step
        self.others = others
        self.arithmetic = IntegerArithmetic()
        self.begin = {p: self.arithmetic.variable(p, s) for p, s in search.sorts.items()}
        self.conditions = dict(step.conditions)
        """Those that hold wherever the step is postponed to."""
        self.is_possible = not step.arguments and self._settle()

    def is_needless(self, goal: Term) -> bool:
        """A state that is reached with the step is reached without it, in as many steps at most.

        Raises SolverGaveUpError.
        """
        if not self.is_possible:
            return False
        term = specialise(goal, self.search.constants)
        after = self._take(self.step, self.begin)
        free = {
            name: self.arithmetic.variable(name, sort)
            for name, sort in self.search.free_sorts(term).items()
        }
        is_reached = Translator(self.arithmetic, {**self.begin, **free})(term)
        replaced = [
            z3.And(self._is_enabled(t, self.begin), _is_same(self._take(t, self.begin), after))
            for t in self.others
            if not t.arguments and set(self.step.effects) <= set(t.effects)
        ]
        was_reached = Translator(self.arithmetic, {**after, **free})(term)
        return self._find_model(was_reached, z3.Not(z3.Or(is_reached, *replaced))) is None

    def _settle(self) -> bool:
        """Leave out conditions that other steps end. False if some step stays in the way."""
        while (found := self._find_ended()) is not None:
            if not found:
                return False
            self.conditions = {n: c for n, c in self.conditions.items() if n not in found}
        return True

    def _find_ended(self) -> set[str] | None:
        """The conditions that some step ends; none of them if it cannot change places; or None."""
        obstacles = (self._find_obstacle(t) for t in self.others if not self._is_apart(t))
        return next((found for found in obstacles if found is not None), None)

    def _is_apart(self, other: RecordedInstance) -> bool:
        """The other step is independent of this one."""
        return find_access(self.step).is_independent_of(find_access(other))

    def _find_obstacle(self, other: RecordedInstance) -> set[str] | None:
        first = self._take(self.step, self.begin)
        behind, without = self._take(other, first), self._take(other, self.begin)
        kept = {n: self._hold(c, without) for n, c in self.conditions.items()}
        exchanged = z3.And(*kept.values(), _is_same(behind, self._take(self.step, without)))
        is_fine = z3.And(
            self._is_enabled(other, self.begin), z3.Or(_is_same(behind, without), exchanged)
        )
        model = self._find_model(self._is_enabled(other, first), z3.Not(is_fine))
        if model is None:
            return None
        return {n for n, c in kept.items() if z3.is_false(model.eval(c, model_completion=True))}

    def _find_model(self, *wanted: Any) -> Any:
        """A state with these properties in which the step is possible and the lemmas hold."""
        solver = z3.Solver()
        solver.add([self._hold(c, self.begin) for c in self.conditions.values()])
        for state in (self.begin, self._take(self.step, self.begin)):
            solver.add([Translator(self.arithmetic, state)(lemma) for lemma in self.search.lemmas])
        answer = solver.check(*wanted)
        if answer == z3.unknown:
            raise SolverGaveUpError("whether a step is needless", solver.reason_unknown())
        return solver.model() if answer == z3.sat else None

    def _hold(self, condition: Term, state: State) -> Any:
        return Translator(self.arithmetic, state)(specialise(condition, self.search.constants))

    def _is_enabled(self, recorded: RecordedInstance, state: State) -> Any:
        return self.search.is_enabled(recorded, self._translate(recorded, state))

    def _take(self, recorded: RecordedInstance, state: State) -> dict[str, Any]:
        translate = self._translate(recorded, state)
        constants = self.search.constants
        effects = {p: translate(specialise(t, constants)) for p, t in recorded.effects.items()}
        return {**state, **effects}

    def _translate(self, recorded: RecordedInstance, state: State) -> Translator:
        names = (f"argument.{name}" for name, *_ in recorded.arguments)
        return Translator(self.arithmetic, {**state, **{n: z3.Int(n) for n in names}})


def _is_same(one: State, other: State) -> Any:
    return z3.And([one[path] == other[path] for path in one if not one[path].eq(other[path])])


def find_needless(
    search: BoundedSearch, rules: Collection[str], goals: Mapping[str, Term]
) -> tuple[str, ...]:
    """The goals that no step of these rules brings any nearer. Raises SolverGaveUpError."""
    steps = [r for r in search.instances if r.instance.rule.name in rules]
    others = [r for r in search.instances if r.instance.rule.name not in rules]
    postponed = [Postponement(search, step, others) for step in steps]
    return tuple(n for n, goal in goals.items() if all(p.is_needless(goal) for p in postponed))
