"""Known schedules that violate a guarantee, to tell, write and draw: of every world the longest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from attrs import astuple, frozen

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import JudgedStep, replay
from properties.verdicts.fault_sets.certificates import load_borders
from properties.worlds.catalogue import WORLD_BY_TOPIC, Tag, list_tagged
from properties.z3.fault_sets import make_parameters
from reference.language.machine import Action
from reference.language.parameters import BaseParameters


@frozen
class KnownSchedule:
    """What violates a guarantee at its last step, and not before."""

    structure: ClaimedStructure
    parameters: BaseParameters
    schedule: tuple[Action, ...]
    guarantee: str

    @property
    def name(self) -> str:
        """For a test's identifier."""
        return f"{self.structure.name} {self.guarantee}"

    @property
    def has_faults(self) -> bool:
        """Something strikes in it."""
        return any(astuple(self.parameters.limits))

    @property
    def steps(self) -> list[JudgedStep]:
        """Every state on the way, judged."""
        return list(replay(self.structure, self.parameters, self.schedule))


def list_known(structure: ClaimedStructure) -> Iterator[KnownSchedule]:
    """The shortest schedule of every known way to fail, each fault allowed three times."""
    for border in load_borders(structure):
        if border.guarantee in structure.world.guarantees:
            for refutation in border.refuted:
                parameters = make_parameters(structure, refutation.faults)
                yield KnownSchedule(structure, parameters, refutation.schedule, border.guarantee)


def find_longest(structure: ClaimedStructure) -> KnownSchedule:
    """Of the known ways to fail, with faults where there are such, the one of the most steps."""
    return max(list_known(structure), key=lambda known: (known.has_faults, len(known.schedule)))


@cache
def find_known(world: str) -> KnownSchedule:
    """The one of a world."""
    structures = reversed(WORLD_BY_TOPIC[world].structures)
    return find_longest(next(s for s in structures if s in list_tagged(Tag.FAULT_SETS)))


every_world: Callable[..., None] = pytest.mark.parametrize("world", WORLD_BY_TOPIC)
