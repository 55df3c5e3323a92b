"""Seeded random walks of the reference: states that a run reaches, without any solver."""

from __future__ import annotations

import random
from collections.abc import Iterator

import attrs
from attrs import evolve

from reference.machine import Action, Enabled, compute_machine
from reference.parameters import SMALL_PARAMETERS, FaultCounts, Parameters
from reference.state import Cluster
from reference.structure import Structure

STEPS_PER_WALK = 200
FAULT_SHARE = 1 / 12
"""How often a walk lets a fault strike where one may: often enough to see all, and seldom enough
that puts come to their end between faults."""


def choose_evenly(enabled: list[Enabled], chance: random.Random) -> Action:
    """One of the enabled steps, each as likely as any other, and so are its arguments."""
    picked = chance.choice(enabled)
    arguments = {r.name: chance.randint(r.low, r.high) for r in picked.ranges}
    return Action(picked.instance.name, arguments)


def walk_randomly(structure: Structure, *, walks: int, seed: int = 0) -> Iterator[Cluster]:
    """The states of walks under all faults, every other walk in a log of a few bytes."""
    for number in range(walks):
        chance = random.Random(f"{seed}/{number}")
        sizes = SMALL_PARAMETERS if number % 2 else Parameters()
        limits = FaultCounts(*(chance.randint(0, 3) for _ in attrs.fields(FaultCounts)))
        yield from _walk(structure, evolve(sizes, limits=limits), chance)


def _walk(structure: Structure, parameters: Parameters, chance: random.Random) -> Iterator[Cluster]:
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    yield cluster
    for _ in range(STEPS_PER_WALK):
        enabled = machine.enabled(cluster)
        if not enabled:
            return
        cluster = machine.step(cluster, _choose(enabled, chance)).cluster
        yield cluster


def _choose(enabled: list[Enabled], chance: random.Random) -> Action:
    faults = [e for e in enabled if e.instance.rule.is_fault]
    others = [e for e in enabled if not e.instance.rule.is_fault]
    is_fault = bool(faults) and (not others or chance.random() < FAULT_SHARE)
    picked = chance.choice(faults if is_fault else others)
    arguments = {r.name: _choose_number(r.low, r.high, chance) for r in picked.ranges}
    return Action(picked.instance.name, arguments)


def _choose_number(low: int, high: int, chance: random.Random) -> int:
    """An end of the range, a number near the lower end, or any."""
    near = chance.randint(low, min(high, low + 2))
    return chance.choice((low, high, near, chance.randint(low, high)))
