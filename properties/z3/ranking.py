"""Healing ends: every healing step decreases a rank, so only finitely many are possible.

The rank is a tuple of non-negative numbers, compared lexicographically: a step may increase a later
number if it decreases an earlier one. There is no infinite descent: once faults stop, a group comes
to rest, in whatever order its brokers take their steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import z3
from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.z3.induction import InductionProblem, InductionStep
from reference.language.machine import record_machine, record_predicate
from reference.language.terms import Term


@frozen
class RankedStep:
    """The result of the ranking proof for one healing step."""

    instance: str
    is_smaller: bool
    """The step decreases the rank, for all offsets, sizes and thresholds."""


def rank_steps(structure: ClaimedStructure, lemmas: tuple[str, ...]) -> Iterator[RankedStep]:
    """Every healing step of a structure, and whether it is proved to decrease the rank.

    ``lemmas`` are proved. A step that does not decrease it may repeat forever: the group may never
    come to rest. Empty for a world without convergence claims. Raises SolverGaveUpError.
    """
    healing = structure.healing
    if healing is None:
        return
    problem = InductionProblem(structure, structure.world.everything)
    numbers = [record_predicate(structure, cast(Any, number)) for number in healing.rank]
    is_quiescent = problem.now(record_predicate(structure, healing.is_quiescent))
    assumed = [problem.now(problem.predicates[n]) for n in lemmas]
    for recorded in record_machine(structure):
        if recorded.instance.rule.name in healing.steps:
            step = InductionStep(problem, recorded)
            moving = [_changes_something(step)] if healing.is_idling_left_out else []
            failing = z3.Not(_is_smaller(step, numbers))
            question = z3.And(*assumed, *moving, is_quiescent, failing)
            is_smaller = problem.check(step.solver, question) is None
            yield RankedStep(recorded.instance.name, is_smaller)


def _changes_something(step: InductionStep) -> Any:
    """Some leaf has another value after the step."""
    variables = step.problem.variables
    return z3.Or(*(new != variables[path] for path, new in step.effects.items()))


def _is_smaller(step: InductionStep, numbers: list[Term]) -> Any:
    """The rank after the step is smaller, and no number of it was negative before."""
    now, after = step.problem.now, step.after
    result: Any = z3.BoolVal(False)
    for number in reversed(numbers):
        before, then = now(number), after(number)
        result = z3.Or(then < before, z3.And(then == before, result))
    return z3.And(result, *(now(number) >= 0 for number in numbers))
