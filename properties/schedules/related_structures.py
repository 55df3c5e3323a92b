"""Schedules carried over to related groups: with more slaves, or with slaves that change places."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from properties.language.world import ClaimedStructure
from reference.language.machine import Action, compute_machine
from reference.language.parameters import BaseParameters

SOUND_STEPS = {"swallow_append_error": "append_to_slave"}
"""The steps of a slave that the fault does not hit."""

Schedule = tuple[Action, ...]


def carry_over(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Schedule
) -> Iterator[Schedule]:
    """The schedule unchanged, in another order, with all slaves alike, or with one moved."""
    yield schedule
    if structure.variants:
        yield hold_back(structure, parameters, schedule)
    if structure.slaves > 1:
        yield mirror(structure, parameters, schedule)
    for index in range(1, structure.slaves):
        yield move(structure, schedule, index)


def move(structure: ClaimedStructure, schedule: Schedule, index: int) -> Schedule:
    """The schedule in which the slave with this index takes the first one's steps."""
    return tuple(
        evolve(action, instance=f"{rule}[{index}]")
        if bracket == "[0]" and is_of_a_slave(structure, rule)
        else action
        for action in schedule
        for rule, bracket in [_split(action)]
    )


def is_of_a_slave(structure: ClaimedStructure, rule: str) -> bool:
    """The rule is one that a structure has, once for each slave."""
    rules = structure.rules
    return rule in rules and rules[rule].indexes == ("slave",)


def mirror(structure: ClaimedStructure, parameters: BaseParameters, schedule: Schedule) -> Schedule:
    """The schedule in which every slave takes the first one's steps, as far as possible.

    Faults happen only to the first slave. Empty if the schedule itself becomes impossible.
    """
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    mirrored: list[Action] = []
    for action in schedule:
        rule, _ = _split(action)
        name = SOUND_STEPS.get(rule, rule)
        is_shared = is_of_a_slave(structure, name) and not structure.rules[name].is_fault
        others = range(1, structure.slaves) if is_shared else ()
        for trial in (action, *(evolve(action, instance=f"{name}[{i}]") for i in others)):
            if trial.instance not in machine.instances:
                return ()
            outcome = machine.step(cluster, trial)
            if not outcome.is_refused:
                cluster = outcome.cluster
                mirrored.append(trial)
            elif trial is action and (not is_shared or action.instance.endswith("[0]")):
                return ()
    return tuple(mirrored)


def hold_back(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Schedule
) -> Schedule:
    """The schedule in which a refused step waits until it is possible.

    A step that never becomes possible is left out. If a release takes the same steps in another
    order, this finds that order.
    """
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    taken: list[Action] = []
    waiting: list[Action] = []
    for action in schedule:
        if action.instance in machine.instances:
            waiting.append(action)
        while True:
            outcomes = ((trial, machine.step(cluster, trial)) for trial in waiting)
            possible = next(((t, o) for t, o in outcomes if not o.is_refused), None)
            if possible is None:
                break
            trial, outcome = possible
            cluster = outcome.cluster
            taken.append(trial)
            waiting.remove(trial)
    return tuple(taken)


def fill_in(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Schedule
) -> Schedule:
    """The schedule with a step before each refused one that makes it possible, if one does.

    A step that no single step makes possible is left out. If another setting needs one step more,
    this finds it.
    """
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    taken: list[Action] = []
    for action in (a for a in schedule if a.instance in machine.instances):
        outcome, before = machine.step(cluster, action), None
        for enabled in machine.enabled(cluster) if outcome.is_refused else ():
            before = Action(enabled.instance.name, {r.name: r.high for r in enabled.ranges})
            outcome = machine.step(machine.step(cluster, before).cluster, action)
            if not outcome.is_refused:
                break
        if not outcome.is_refused:
            taken += [action] if before is None else [before, action]
            cluster = outcome.cluster
    return tuple(taken)


def _split(action: Action) -> tuple[str, str]:
    """The rule of a step, and its index in brackets, empty if it has none."""
    rule, bracket, index = action.instance.partition("[")
    return rule, bracket + index
