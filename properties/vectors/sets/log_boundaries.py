"""Schedules that end at a boundary of a rule: a condition alone that fails, an end of a range.

They begin with schedules that are known, and with random walks. Of each boundary the shortest few
are taken, so that every condition and every range of every rule is asked from both sides.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.mutants.places import remove_numbers
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine, probe
from reference.language.parameters import BaseParameters
from reference.language.rule import Argument

Schedule: TypeAlias = tuple[Action, ...]
Key: TypeAlias = tuple[str, ...]

SEED = 4406
WALKS, WALK_STEPS = 150, 14
TAKEN = 2
"""Schedules of each boundary."""
TAKEN_EFFECTS = 12
"""Schedules of each end of a range that take place, each changing other leaves than the others."""
STATES_MAX = 2500


@frozen
class Reached:
    """A state, and a shortest known schedule to it."""

    cluster: Any
    schedule: Schedule


def list_reached(
    structure: ClaimedStructure, parameters: BaseParameters, schedules: Sequence[Schedule]
) -> list[Reached]:
    """The states of some schedules and of some walks, those that are reached soonest first."""
    machine = compute_machine(structure)
    found: dict[Any, Reached] = {}
    for schedule in schedules:
        cluster = structure.make_initial(parameters)
        found.setdefault(cluster, Reached(cluster, ()))
        for length, action in enumerate(schedule, 1):
            outcome = machine.step(cluster, action)
            if outcome.is_refused:
                break
            cluster = outcome.cluster
            known = found.get(cluster)
            if known is None or len(known.schedule) > length:
                found[cluster] = Reached(cluster, schedule[:length])
    ordered = sorted(found.values(), key=lambda each: len(each.schedule))
    return ordered[:STATES_MAX]


def make_walks(structure: ClaimedStructure, parameters: BaseParameters) -> Iterator[Schedule]:
    """Random walks; rules are as likely as each other, whatever their instances."""
    draw = random.Random(SEED)
    machine = compute_machine(structure)
    for _ in range(WALKS):
        cluster, schedule = structure.make_initial(parameters), list[Action]()
        for _ in range(WALK_STEPS):
            names = sorted(machine.instances)
            draw.shuffle(names)
            for name in names:
                failed, ranges = probe(machine.instances[name], cluster)
                if failed:
                    continue
                chosen = {r.name: draw.randint(int(r.low), int(r.high)) for r in ranges}
                outcome = machine.step(cluster, Action(name, chosen))
                if not outcome.is_refused:
                    schedule.append(Action(name, chosen))
                    cluster = outcome.cluster
                    break
        yield tuple(schedule)


def list_boundary_schedules(
    structure: ClaimedStructure, parameters: BaseParameters, schedules: Sequence[Schedule]
) -> Iterator[tuple[str, Schedule]]:
    """Names and schedules: known ones, and walks, each with one more step at a boundary."""
    known = [*schedules, *make_walks(structure, parameters)]
    taken: dict[Key, int] = defaultdict(int)
    machine = compute_machine(structure)
    for reached in list_reached(structure, parameters, known):
        for name, instance in machine.instances.items():
            failed, ranges = probe(instance, reached.cluster)
            trials = list_refusals(name, failed) if failed else list_ends(name, ranges)
            for key, arguments in trials:
                action = Action(name, arguments)
                changes = () if failed else tuple(list_changes(machine, reached.cluster, action))
                most = TAKEN_EFFECTS if changes else TAKEN
                if taken[key] < most and not taken[*key, *changes] * len(changes):
                    taken[key] += 1
                    taken[*key, *changes] += len(changes) > 0
                    yield " ".join(key), (*reached.schedule, action)


def list_refusals(instance: str, failed: list[str]) -> Iterator[tuple[Key, dict[str, int]]]:
    """A condition that fails alone."""
    if len(failed) == 1:
        yield (get_rule_name(instance), "refused by", failed[0]), {}


def list_ends(instance: str, ranges: tuple[Argument, ...]) -> Iterator[tuple[Key, dict[str, int]]]:
    """The ends of each range, from both sides; the other arguments have their lowest value."""
    rule = get_rule_name(instance)
    if not ranges:
        yield (rule, "takes place"), {}
    for each in ranges:
        low, high = int(each.low), int(each.high)
        for word, value in (("lowest", low), ("highest", high)):
            yield (rule, "with", word, each.name), {each.name: value}
        for word, value in (("below", low - 1), ("above", high + 1)):
            yield (rule, "with", each.name, word, "its range"), {each.name: value}


def list_changes(machine: Any, cluster: Any, action: Action) -> Iterator[str]:
    """The leaves that a step changes, without numbers; nothing for a step that is refused."""
    outcome = machine.step(cluster, action)
    if not outcome.is_refused:
        before, after = flatten(cluster), flatten(outcome.cluster)
        yield from sorted({remove_numbers(p) for p, value in after.items() if value != before[p]})


def get_rule_name(instance: str) -> str:
    """The rule of an instance."""
    return instance.partition("[")[0]
