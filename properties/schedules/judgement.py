"""Schedules judged by the reference: what holds after each step, and the fewest steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import takewhile
from typing import Any

from attrs import evolve, frozen

from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from reference.language.dependencies import compute_dependencies
from reference.language.machine import Action, Outcome, compute_machine
from reference.language.parameters import BaseParameters


class ScheduleError(ValueError):
    """Raised when a schedule contains a step that the reference refuses."""


@frozen
class JudgedStep:
    """A state of a schedule, with the guarantees that do not hold in it."""

    index: int
    """0 for the initial state, else the number of steps taken."""
    action: Action | None
    """The step that led here; None for the initial state."""
    cluster: Any
    violated: tuple[str, ...]


def judge(cluster: Any, names: Iterable[str] | None = None) -> tuple[str, ...]:
    """The claims, by default all guarantees, that do not hold in a state."""
    world = cluster.structure.world
    judged = _list_guarantees(cluster.structure) if names is None else names
    return tuple(name for name in judged if not world.get_claim(name).predicate(cluster))


def judge_after(before: JudgedStep, taken: str, cluster: Any) -> tuple[str, ...]:
    """Which guarantees do not hold after an instance has fired; what it does not touch stays."""
    world, touched = cluster.structure.world, _list_touched(cluster.structure)[taken]
    return tuple(
        name
        for name in _list_guarantees(cluster.structure)
        if (
            not world.get_claim(name).predicate(cluster)
            if name in touched
            else name in before.violated
        )
    )


@cache
def _list_touched(structure: ClaimedStructure) -> Mapping[str, frozenset[str]]:
    """By instance: the guarantees that read what it writes."""
    world = structure.world
    predicates = {n: world.get_claim(n).predicate for n in _list_guarantees(structure)}
    return compute_dependencies(structure).list_touched(predicates)


@cache
def _list_guarantees(structure: ClaimedStructure) -> tuple[str, ...]:
    """The names of the guarantees, computed once for the millions of states of a structure."""
    return tuple(structure.world.judged)


def take_steps(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Iterable[Action],
    begin: Any = None,
) -> Iterator[tuple[Action, Outcome]]:
    """Each step of a schedule with its outcome; a refused one is skipped. Raises KeyError.

    It begins in this state, or in the initial one.
    """
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters) if begin is None else begin
    for action in schedule:
        outcome = machine.step(cluster, action)
        cluster = outcome.cluster
        yield action, outcome


def follow(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Iterable[Action],
    begin: Any = None,
) -> Iterator[tuple[Action | None, Any]]:
    """Every state of a schedule, with the step to it; raises ScheduleError at a refused step.

    It begins in this state, or in the initial one.
    """
    yield None, structure.make_initial(parameters) if begin is None else begin
    steps = take_steps(structure, parameters, schedule, begin)
    for index, (action, outcome) in enumerate(steps, start=1):
        if outcome.is_refused:
            reasons = ", ".join(outcome.failed)
            raise ScheduleError(f"step {index}, {action}, is refused: {reasons} does not hold")
        yield action, outcome.cluster


def follow_while_possible(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Iterable[Action]
) -> Iterator[tuple[Action | None, Any]]:
    """Every state of a schedule, with the step to it, up to the first step that is impossible."""
    known = compute_machine(structure).instances
    named = takewhile(lambda action: action.instance in known, schedule)
    with suppress(ScheduleError):
        yield from follow(structure, parameters, named)


def replay(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Iterable[Action],
    names: Iterable[str] | None = None,
) -> Iterator[JudgedStep]:
    """Every state of a schedule, judged by these claims or the guarantees. Raises ScheduleError."""
    judged = None if names is None else tuple(names)
    for index, (action, cluster) in enumerate(follow(structure, parameters, schedule)):
        yield JudgedStep(index, action, cluster, judge(cluster, judged))


def find_first_violation(steps: Iterable[JudgedStep], name: str) -> int | None:
    """The index of the first step that violates a guarantee; None if none does."""
    return next((s.index for s in steps if name in s.violated), None)


def is_refuted_by(
    name: str,
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Sequence[Action],
    begin: Any = None,
) -> bool:
    """The schedule is possible, and its last step is the first that violates the guarantee.

    It begins in this state, or in the initial one.
    """
    holds = structure.world.get_claim(name).predicate
    try:
        states = [cluster for _, cluster in follow(structure, parameters, schedule, begin)]
    except (ScheduleError, KeyError):
        return False
    return not holds(states[-1]) and all(map(holds, states[:-1]))


def is_reached_by(
    predicate: Callable[[Any], bool],
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Sequence[Action],
) -> bool:
    """The schedule is possible, and the predicate holds at its end."""
    try:
        *_, (_, last) = follow(structure, parameters, schedule)
    except (ScheduleError, KeyError):
        return False
    return bool(predicate(last))


def lower_numbers(
    schedule: Sequence[Action], is_still_good: Callable[[Sequence[Action]], bool]
) -> tuple[Action, ...]:
    """The schedule with smaller numbers: equal numbers together, then each by itself."""
    before: tuple[Action, ...] = ()
    while before != tuple(schedule):
        before, schedule = tuple(schedule), _lower_once(schedule, is_still_good)
    return before


def _lower_once(
    schedule: Sequence[Action], is_still_good: Callable[[Sequence[Action]], bool]
) -> list[Action]:
    actions = list(schedule)
    values = {v for a in schedule for v in a.arguments.values()}
    for value in sorted(values, reverse=True):
        for smaller in range(value):
            lowered = [
                evolve(
                    a, arguments={n: smaller if v == value else v for n, v in a.arguments.items()}
                )
                for a in actions
            ]
            if is_still_good(lowered):
                actions = lowered
                break
    for index, action in enumerate(actions):
        for name, value in action.arguments.items():
            for smaller in range(value):
                arguments = {**action.arguments, name: smaller}
                trial = [*actions]
                trial[index] = evolve(action, arguments=arguments)
                if is_still_good(trial):
                    actions = trial
                    break
    return actions


def keep_possible(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Iterable[Action]
) -> list[Action]:
    """The steps that take place when refused ones are skipped."""
    steps = take_steps(structure, parameters, schedule)
    return [action for action, outcome in steps if not outcome.is_refused]


def find_violating_part(
    holds: Predicate,
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Iterable[Action],
) -> list[Action] | None:
    """The steps that take place up to the first violation; None when there is none."""
    taken = []
    for action, outcome in take_steps(structure, parameters, schedule):
        if not outcome.is_refused:
            taken.append(action)
            if not holds(outcome.cluster):
                return taken
    return None


def shorten_refutation(
    name: str, structure: ClaimedStructure, parameters: BaseParameters, schedule: Sequence[Action]
) -> tuple[Action, ...]:
    """A part of a refuting schedule that refutes too, and has no needless step."""
    holds = structure.world.get_claim(name).predicate
    return shorten_schedule(
        schedule, lambda others: find_violating_part(holds, structure, parameters, others)
    )


def shorten_schedule(
    schedule: Sequence[Action], find_part: Callable[[Sequence[Action]], list[Action] | None]
) -> tuple[Action, ...]:
    """The part of a schedule that is left when no step can be removed.

    ``find_part`` gives those steps of a trial that are possible and needed, or None if the trial is
    not good. A step is removed together with those that are impossible without it: a stop with the
    start after it. Halves are tried first, then smaller parts down to single steps, and all of that
    again until nothing can be removed.
    """
    actions, before = list(schedule), -1
    while before != len(actions):
        before = len(actions)
        size = max(1, before // 2)
        while size:
            actions = _leave_out_parts(actions, size, find_part)
            size //= 2
    return tuple(actions)


def _leave_out_parts(
    actions: list[Action],
    size: int,
    find_part: Callable[[Sequence[Action]], list[Action] | None],
) -> list[Action]:
    """The schedule without each needless part of this many steps."""
    index = 0
    while index < len(actions):
        part = find_part([*actions[:index], *actions[index + size :]])
        if part is None:
            index += size
        else:
            actions = part
    return actions


def find_needless_steps(
    schedule: Sequence[Action], is_still_good: Callable[[Sequence[Action]], bool]
) -> list[int]:
    """The steps that can be left out, each by itself; empty for a minimal schedule."""
    return [i for i in range(len(schedule)) if is_still_good([*schedule[:i], *schedule[i + 1 :]])]


def remove_needless_steps(
    schedule: Sequence[Action], is_still_good: Callable[[Sequence[Action]], bool]
) -> tuple[Action, ...]:
    """A part of the schedule from which no single step can be left out."""
    actions = list(schedule)
    while needless := find_needless_steps(actions, is_still_good):
        del actions[needless[0]]
    return tuple(actions)
