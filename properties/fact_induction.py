"""Houdini for thousands of candidates: facts that nobody thought of, and named lemmas with them.

It does what ``InductionProblem.find_inductive_set`` does. A literal stands for each candidate, so
that a solver keeps what it has learned when one falls, and a model fells every candidate that is
false in its state after the step, found by evaluation rather than by asking Z3 one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import z3

from properties.induction import InductionProblem, SolverGaveUpError, Step, make_solver
from properties.term_evaluation import find_false
from properties.worlds.replication.columns import EVERYTHING
from reference.leaves import flatten, is_parameter
from reference.parameters import Parameters
from reference.structure import Structure
from reference.terms import Term, specialise


class FactInduction:
    """The facts of one structure, with sizes, thresholds and limits symbolic, under every fault."""

    def __init__(
        self, structure: Structure, facts: Mapping[str, Term], implied_by: Mapping[str, str]
    ) -> None:
        """``implied_by`` names for a fact a stronger one: while that stands, nothing is proved."""
        self.structure = structure
        self.implied_by = implied_by
        self.problem = InductionProblem(structure, EVERYTHING, facts=facts)
        self.steps = {name: FactStep(self.problem, s) for name, s in self.problem.steps.items()}

    def find_inductive_set(self, names: Iterable[str]) -> tuple[str, ...]:
        """The largest inductive set of these candidates. Raises SolverGaveUpError."""
        kept = self._find_initially_true(names)
        is_changed = True
        while is_changed:
            is_changed = False
            for step in self.steps.values():
                while fallen := step.find_falsified(self.find_strongest(kept)):
                    kept = [n for n in kept if n not in fallen]
                    is_changed = True
        return tuple(kept)

    def find_strongest(self, names: Iterable[str]) -> list[str]:
        """These candidates without those that another one of them implies."""
        given = tuple(names)
        standing = set(given)
        return [n for n in given if self.implied_by.get(n) not in standing]

    def _find_initially_true(self, names: Iterable[str]) -> list[str]:
        """The candidates that hold at the start whatever the sizes; one model fells many."""
        problem = self.problem
        initial = flatten(self.structure.make_initial(Parameters()))
        state = {path: v for path, v in initial.items() if not is_parameter(path)}
        claims = {n: specialise(problem.predicates[n], state) for n in names}
        solver = make_solver()
        solver.add(problem.parameter_constraints)
        while True:
            in_doubt = [c for c in claims.values() if c.operator != "constant" or not c.payload]
            model = problem.check(solver, z3.Or([z3.Not(problem.now(c)) for c in in_doubt]))
            if model is None:
                return list(claims)
            for name in find_fallen(claims, claims, problem.read_state(model)):
                del claims[name]


class FactStep:
    """One rule instance, with a literal for each candidate that is assumed before it."""

    def __init__(self, problem: InductionProblem, step: Step) -> None:
        self.problem = problem
        self.step = step
        self.assumptions: dict[str, Any] = {}

    def find_falsified(self, kept: list[str]) -> set[str]:
        """The candidates that one step of this rule can falsify when all of them hold before."""
        problem, step = self.problem, self.step
        touched = [n for n in kept if n in step.touched]
        if not touched:
            return set()
        self._prepare([n for n in kept if n not in self.assumptions])
        broken = z3.FreshBool("broken")
        claims = [z3.Not(step.after(problem.predicates[n])) for n in touched]
        step.solver.add(z3.Implies(broken, z3.Or(claims)))
        answer = step.solver.check(broken, *(self.assumptions[n] for n in kept))
        if answer == z3.unknown:
            raise SolverGaveUpError(step.solver.reason_unknown())
        if answer == z3.unsat:
            return set()
        model, value = step.solver.model(), problem.arithmetic.value
        after = {path: value(model, effect) for path, effect in step.effects.items()}
        state = {**problem.read_state(model), **after}
        return set(find_fallen(problem.predicates, touched, state))

    def _prepare(self, names: list[str]) -> None:
        for name in names:
            literal = z3.FreshBool("assumption")
            self.assumptions[name] = literal
            claim = self.problem.now(self.problem.predicates[name])
            self.step.solver.add(z3.Implies(literal, claim))


def find_fallen(
    claims: Mapping[str, Term], names: Iterable[str], state: Mapping[str, int | bool]
) -> list[str]:
    """The claims that are false in a state. Raises SolverGaveUpError where none is."""
    fallen = find_false(claims, names, state)
    if not fallen:
        raise SolverGaveUpError("a model that should falsify something falsifies nothing")
    return fallen
