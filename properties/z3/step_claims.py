"""Claims about one step: what a rule may do to a state in which every lemma holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import z3

from properties.z3.induction import InductionProblem, InductionStep, SolverGaveUpError, make_solver
from properties.z3.translation import Translator
from reference.language.leaves import symbolic_cluster
from reference.language.machine import run_on_leaves
from reference.language.terms import as_term

StepClaim = Callable[[Any, Any], bool]
"""A claim about the states before and after a step."""


def find_breaking_instances(
    problem: InductionProblem, lemmas: Iterable[str], claim: StepClaim
) -> tuple[str, ...]:
    """The rule instances that can break the claim from a state in which all these lemmas hold.

    Raises SolverGaveUpError.
    """
    assumed = [problem.now(problem.predicates[name]) for name in lemmas]
    before = symbolic_cluster(problem.structure)
    broken = []
    for recorded in problem.instances:
        step = InductionStep(problem, recorded)
        _, _, after = run_on_leaves(before, recorded.instance)
        translate = Translator(problem.arithmetic, {**problem.variables, **step.arguments})
        denied = z3.Not(translate(as_term(claim(before, after))))
        solver = make_solver()
        solver.add(problem.parameter_constraints)
        solver.add([*step.conditions.values(), *step.ranges.values(), *step.remainders])
        solver.add([*assumed, *problem.now.side_conditions, *translate.side_conditions])
        answer = solver.check(denied)
        if answer == z3.unknown:
            query = f"whether {recorded.instance.name} keeps a claim about steps"
            raise SolverGaveUpError(query, solver.reason_unknown())
        if answer == z3.sat:
            broken.append(recorded.instance.name)
    return tuple(broken)
