"""Premises, checked by meaning: a premise is neither stronger nor weaker than its claim needs.

A proved cell counts as vacuous where its premise never holds. A premise that holds too often hides
vacuous cells; one that holds too rarely calls cells vacuous that are not. So two things are asked.
Where runs meet the premise, the claim must be able to fail: in most of these situations, with the
leaves that the premise reads as they are, some other leaves break it. And where the premise never
holds, the claim must hold for that reason alone, without any lemma.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import z3

from properties.property import Property, PropertyRole
from properties.worlds import find_world
from properties.z3.induction import InductionProblem, get_leaf_names, make_solver
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import record_predicate
from reference.language.terms import Term, record, substitute

PROJECTIONS_MAX = 40
"""How many different situations of a premise are looked at."""


def find_wrong_premises(
    structure: Any, lemmas: Iterable[str], states: Iterable[Any]
) -> Iterator[str]:
    """A line for each claim whose premise is wrong; ``states`` are some that runs reach.

    Raises SolverGaveUpError.
    """
    problem = InductionProblem(structure, find_world(structure).everything)
    kept, reached = tuple(lemmas), [flatten(state) for state in states]
    for name, claim in find_world(structure).claims.items():
        if claim.premise is None:
            yield f"{name} of {structure.name} has no premise"
            continue
        premise = record_predicate(structure, claim.premise)
        holds = problem.predicates[name]
        is_vacuous = problem.follows(record("not", premise), kept)
        if is_vacuous and not problem.follows(record("or", premise, holds), ()):
            yield f"{name} of {structure.name} counts as vacuous, and says something"
        if holds.operator != "constant":
            yield from _find_idle_premise(problem, claim, premise, reached)
        elif claim.role is PropertyRole.CONVERGENCE and not is_vacuous:
            yield f"{name} of {structure.name} says nothing, and does not count as vacuous"


def _find_idle_premise(
    problem: InductionProblem, claim: Property, premise: Term, reached: list[dict[str, Any]]
) -> Iterator[str]:
    """That the premise holds mostly where nothing could make the claim fail, if it does."""
    denied = record("not", problem.predicates[claim.name])
    read = sorted(path for path in get_leaf_names(premise) if not is_parameter(path))
    met = {tuple(state[path] for path in read) for state in reached if substitute(premise, state)}
    if claim.role is PropertyRole.CONVERGENCE:
        # Rest is told by nearly all leaves, so none is left to vary.
        met, read, denied = ({()} if met else set()), [], record("and", premise, denied)
    looked_at = sorted(met)[:PROJECTIONS_MAX]
    given = [dict(zip(read, situation, strict=True)) for situation in looked_at]
    idle = [situation for situation in given if not _is_possible(problem, denied, situation)]
    if 2 * len(idle) > len(given):
        yield (
            f"the premise of {claim.name} of {problem.structure.name} holds in {len(given)} "
            f"situations, in {len(idle)} of which the claim cannot fail"
        )


def _is_possible(problem: InductionProblem, question: Term, given: dict[str, Any]) -> bool:
    """Some state with these leaves answers yes."""
    solver = make_solver()
    solver.add([problem.variables[path] == value for path, value in given.items()])
    solver.add(problem.now(question))
    solver.add(problem.now.side_conditions)
    return bool(solver.check() == z3.sat)
