"""Small examples: the model of a question with the smallest numbers.

Leaf by leaf, in a fixed order, each value is the initial one if a model allows that, else the
lowest possible one. The result depends on the question alone, not on what Z3 happens to try.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import z3

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure, get_largest_size
from properties.schedules.possible_steps import LOWEST
from properties.z3.induction import InductionProblem, SolverGaveUpError
from reference.language.leaves import flatten, is_parameter

FAULT_PREFIX = "faults."


def make_small_problem(structure: ClaimedStructure, fault_model: FaultModel) -> InductionProblem:
    """Induction over a log of a few bytes, where each fault happens as often as in a search."""
    return InductionProblem(
        structure, fault_model, sizes=structure.world.make_search_parameters(fault_model)
    )


def find_smallest_model(
    problem: InductionProblem,
    solver: z3.Solver,
    question: Any,
    arguments: Mapping[str, Any],
) -> dict[str, int | bool] | None:
    """The smallest values of leaves and arguments under which the question holds.

    No number exceeds the size of the searched log or queue. Fault counts come first: fewer faults
    make a simpler example. None if there is no model. Raises SolverGaveUpError.
    """
    leaves = {p: v for p, v in problem.variables.items() if not is_parameter(p)}
    ordered = dict(sorted(leaves.items(), key=lambda item: not item[0].startswith(FAULT_PREFIX)))
    wanted = {**ordered, **arguments}
    solver.push()
    try:
        highest = get_largest_size(problem.structure.world.sizes.search)
        solver.add(question, *(_is_small(v, highest) for v in wanted.values()))
        return _lower(problem, solver, wanted)
    finally:
        solver.pop()


def _is_small(variable: Any, highest: int) -> Any:
    if not z3.is_int(variable):
        return z3.BoolVal(True)
    return z3.And(variable >= LOWEST, variable <= highest)


def _lower(
    problem: InductionProblem, solver: z3.Solver, wanted: Mapping[str, Any]
) -> dict[str, int | bool] | None:
    value = problem.arithmetic.value
    initial = flatten(problem.structure.make_initial(problem.structure.world.sizes.search))
    model = _find_model(solver)
    if model is None:
        return None
    found: dict[str, int | bool] = {}
    for name, variable in wanted.items():
        for wish in _list_wishes(initial.get(name, 0), value(model, variable)):
            better = _find_model(solver, variable == wish)
            if better is not None:
                model = better
                break
        found[name] = value(model, variable)
        solver.add(variable == found[name])
    return found


def _list_wishes(initial: int | bool, present: int | bool) -> Iterable[int | bool]:
    """The values that are better than the present one, the best first."""
    if present == initial:
        return ()
    if isinstance(present, bool):
        return (initial,)
    return (initial, *(n for n in range(present) if n != initial))


def _find_model(solver: z3.Solver, *assumed: Any) -> z3.ModelRef | None:
    answer = solver.check(*assumed)
    if answer == z3.unknown:
        raise SolverGaveUpError("for the smallest state", solver.reason_unknown())
    return solver.model() if answer == z3.sat else None
