"""Why each step of a schedule is possible, and what becomes of the others without it."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from properties.scenarios.counterexamples.cases import Case
from properties.schedules.judgement import take_steps
from properties.worlds import find_world
from reference.language.machine import compute_machine
from reference.language.rule import Rule


@frozen
class Need:
    """One step: under which conditions it may happen, and that it is needed."""

    step: int
    """Its number, from 1."""
    rule: Rule
    conditions: tuple[str, ...]
    """Names of the conditions of its rule; all of them hold before it."""
    refused_step: int | None
    """Without this step, the first later one that is impossible; None where all are possible."""
    refused_for: tuple[str, ...] = ()
    """The conditions of that one that do not hold then."""
    is_enough_without: bool = False
    """The guarantee falls without this step too: then it was needless."""


def list_needs(case: Case) -> Iterator[Need]:
    """One entry for each step."""
    machine = compute_machine(case.structure)
    state = case.structure.make_initial(case.parameters)
    for number, action in enumerate(case.schedule, start=1):
        instance = machine.instances[action.instance]
        named = next(instance.start(state)).named
        refused_step, refused_for, is_enough = leave_out(case, number)
        conditions = tuple(named)
        yield Need(number, instance.rule, conditions, refused_step, refused_for, is_enough)
        state = machine.step(state, action).cluster


def leave_out(case: Case, number: int) -> tuple[int | None, tuple[str, ...], bool]:
    """What becomes of a schedule without one step: (step refused, conditions, whether it falls).

    The steps after a refused one are not tried: without it the story is another one.
    """
    holds = find_world(case.structure).claims[case.claim].predicate
    others = [*case.schedule[: number - 1], *case.schedule[number:]]
    for index, (_, outcome) in enumerate(
        take_steps(case.structure, case.parameters, others), start=1
    ):
        if outcome.is_refused:
            return index + (index >= number), tuple(outcome.failed), False
        if not holds(outcome.cluster):
            return None, (), True
    return None, (), False
