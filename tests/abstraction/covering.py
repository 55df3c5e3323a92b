"""Whether some rule leads from one abstract state to one that is true of the bytes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from attrs import frozen

from reference.language.machine import Action, Machine, compute_machine, probe
from reference.language.rule import Argument
from reference.worlds.replication.state import Cluster
from tests.abstraction.forgetting import list_misses
from tests.abstraction.group import STRUCTURE, Group

Plan: TypeAlias = tuple[tuple[str, ...], ...]
"""The stages of a step; each names rules of which one takes place, ``""`` for none."""
Hints: TypeAlias = Mapping[str, frozenset[int]]
"""Values of arguments that are looked at first."""

MACHINE = compute_machine(STRUCTURE)


@frozen
class Step:
    """A step of bytes, with the rules that may be it."""

    name: str
    after: Group
    plan: Plan
    hints: Hints


@frozen
class Found:
    """The rules that a step of bytes is."""

    cluster: Cluster
    actions: tuple[Action, ...]


def list_values(argument: Argument, hints: Hints, *, is_whole: bool) -> list[int]:
    """Values in the argument's range: the likely ones, or all."""
    if is_whole:
        return list(range(argument.low, argument.high + 1))
    likely = {argument.low, argument.high, *hints.get(argument.name, ())}
    return sorted(value for value in likely if argument.low <= value <= argument.high)


def list_actions(
    machine: Machine, name: str, cluster: Cluster, hints: Hints, *, is_whole: bool
) -> Iterator[Action]:
    """Every way in which a rule may take place."""
    for instance in machine.instances.values():
        if instance.rule.name != name:
            continue
        failed, ranges = probe(instance, cluster)
        if failed:
            continue
        is_hinted = [argument.name != "kept_offset" or not is_whole for argument in ranges]
        values = [
            list_values(argument, hints, is_whole=not hinted)
            for argument, hinted in zip(ranges, is_hinted, strict=True)
        ]
        names = [argument.name for argument in ranges]
        for chosen in itertools.product(*values):
            yield Action(instance.name, dict(zip(names, chosen, strict=True)))


def walk(machine: Machine, before: Found, step: Step, *, is_whole: bool) -> Iterator[Found]:
    """Every way through the stages of a step."""
    reached = [before]
    for stage in step.plan:
        later: list[Found] = []
        for one, name in itertools.product(reached, stage):
            if not name:
                later.append(one)
                continue
            for action in list_actions(machine, name, one.cluster, step.hints, is_whole=is_whole):
                outcome = machine.step(one.cluster, action)
                if not outcome.is_refused:
                    later.append(Found(outcome.cluster, (*one.actions, action)))
        reached = later
    yield from reached


def find_cover(
    before: Cluster, step: Step, machine: Machine = MACHINE, *, is_thorough: bool = True
) -> tuple[Found | None, list[str]]:
    """Rules that are the step; or none, and what the nearest ones say that is not so.

    Likely values of arguments are tried first; a thorough search tries all of what is kept.
    """
    nearest: list[tuple[int, list[str]]] = []
    for is_whole in (False, True)[: 1 + is_thorough]:
        for found in walk(machine, Found(before, ()), step, is_whole=is_whole):
            misses = list_misses(found.cluster, step.after)
            if not misses:
                return found, []
            told = [" ".join(map(str, found.actions)), *misses]
            nearest.append((len(misses) + ("max_offset" in misses[0]), told))
    nearest.sort(key=lambda pair: pair[0])
    return None, nearest[0][1] if nearest else ["no rule of the plan is enabled"]
